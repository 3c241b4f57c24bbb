"""The verbs, the exit statuses, and what becomes of an error."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from yuanwen import errors
from yuanwen.cli.messages import SENTENCES, filled, say, sentences
from yuanwen.cli.options import PROGRAM, global_options, listed, two_columns
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit, one_line, speak_unicode

# In the order of the help page. A verb is imported and built when it is asked for.
VERBS: dict[str, str] = {
    "add": "yuanwen.cli.writing:add",
    "sync": "yuanwen.cli.writing:sync",
    "search": "yuanwen.cli.reading:search",
    "show": "yuanwen.cli.reading:show",
    "prompt": "yuanwen.cli.prompt:prompt",
    "ask": "yuanwen.cli.ask:ask",
    "verify": "yuanwen.cli.verify:verify",
    "cite": "yuanwen.cli.cite:cite",
    "mcp": "yuanwen.cli.mcp:mcp",
    "serve": "yuanwen.cli.serve:serve",
    "models": "yuanwen.cli.models:models_",
    "eval": "yuanwen.cli.eval:eval_",
    "list": "yuanwen.cli.reading:list_",
    "tags": "yuanwen.cli.reading:tags",
    "synonyms": "yuanwen.cli.synonyms:synonyms",
    "status": "yuanwen.cli.reading:status",
    "check": "yuanwen.cli.writing:check",
    "compact": "yuanwen.cli.writing:compact",
    "forget": "yuanwen.cli.writing:forget",
    "export": "yuanwen.cli.writing:export",
    "import": "yuanwen.cli.writing:import_",
    "extract": "yuanwen.cli.machine:extract",
    "doctor": "yuanwen.cli.machine:doctor",
    "completion": "yuanwen.cli.machine:completion",
}

# The class of an error -> exit status; the nearest class in the tree counts.
EXIT: dict[type[BaseException], int] = {
    errors.UsageError: 2,
    errors.LibraryDamaged: 2,
    errors.Unreadable: 2,
    errors.YuanwenError: 2,
    click.ClickException: 2,
    OSError: 2,
    errors.NotFound: 3,
    errors.Busy: 4,
    errors.Unavailable: 4,
    errors.Refused: 5,
    Exception: 70,
    KeyboardInterrupt: 130,
    BrokenPipeError: 141,
}


class Program(click.Group):
    """`yuanwen` itself."""

    def __init__(self) -> None:
        super().__init__(
            PROGRAM,
            callback=_without_verb,
            invoke_without_command=True,
            params=global_options(),
            add_help_option=False,
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb, built now."""
        module, _, name = VERBS.get(cmd_name, "").partition(":")
        if not module:
            return None
        command: click.Command = getattr(import_module(module), name)()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb that the arguments name. Raises UsageError for one that there is not."""
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            raise _no_verb(args[0])
        return (args[0] if command else None), command, args[1:]

    def get_help(self, ctx: click.Context) -> str:
        """Return the help page."""
        screen = Screen(sys.stdout)
        lines = [say("Usage: {program} VERB ...", program=PROGRAM), ""]
        lines += screen.paragraph(
            say("Yuanwen brings back the original words: it finds passages in your documents, offline."),
            indent="  ",
        )
        built = [(name, self.get_command(ctx, name)) for name in VERBS]
        rows = [(name, command.short_help or "") for name, command in built if command is not None]
        lines += ["", say("Verbs:"), *two_columns(screen, rows)]
        shared = [each for each in self.params if isinstance(each, click.Option)]
        lines += ["", say("Options of every verb:"), *listed(screen, shared)]
        lines += ["", say("Start with: yuanwen add FOLDER, then: yuanwen search WORDS")]
        return "\n".join(lines)


def _without_verb() -> int:
    """Print the help page where no verb was given; click calls this before each verb."""
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        emit(context.get_help(), sys.stderr)
    return EXIT[errors.UsageError]


def _no_verb(name: str) -> errors.UsageError:
    from difflib import get_close_matches

    near = get_close_matches(name, VERBS, 1)
    if near:
        return errors.UsageError("there is no verb {verb}", hint="Did you mean {near}?", verb=name, near=near[0])
    return errors.UsageError(
        "there is no verb {verb}", hint="To search for it, write: yuanwen search {verb}", verb=name
    )


# ---------------------------------------------------------------------------------------------- running


def run(args: Sequence[str]) -> int:
    """Run the program on arguments; return the exit status."""
    settings = Settings()
    for stream in (sys.stdout, sys.stderr):
        speak_unicode(stream)
    try:
        status = _call(list(args), settings)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as done:
        status = done.exit_code
    except (Exception, KeyboardInterrupt) as error:
        status = _status(error)
        if status != EXIT[BrokenPipeError]:
            _report(error, settings, args)
    _finish_output()
    return status


def _call(args: list[str], settings: Settings) -> int:
    program = Program()
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    name = name if name in (PROGRAM, "yw") else PROGRAM
    if f"_{name.upper()}_COMPLETE" in os.environ:
        program.main(args, name, obj=settings)  # answers the shell, and exits
    with program.make_context(name, args, obj=settings) as ctx:
        result = program.invoke(ctx)
    return result if isinstance(result, int) else 0


def _status(error: BaseException) -> int:
    return next(EXIT[kind] for kind in type(error).__mro__ if kind in EXIT)


def _report(error: BaseException, settings: Settings, args: Sequence[str]) -> None:
    """Say what went wrong, on one line."""
    if isinstance(error, KeyboardInterrupt):
        return
    named = _named(error)
    before_end = args[: args.index("--")] if "--" in args else args
    try:
        if settings.verbose:
            import traceback

            emit("".join(traceback.format_exception(error)).rstrip(), sys.stderr)
        emit(one_line(f"{PROGRAM}: {_localised(named)}"), sys.stderr)
        if settings.json or "--json" in before_end:
            from yuanwen.cli import output

            output.print_json(output.error(named))
    except OSError:
        pass  # there is nobody left to tell


def _named(error: BaseException) -> errors.YuanwenError:
    """Return the error as one of ours, which says what it is and what to do next."""
    if isinstance(error, errors.YuanwenError):
        return error
    if isinstance(error, click.ClickException):
        from yuanwen.cli.misuse import explained

        return explained(error)
    if isinstance(error, OSError):
        return errors.YuanwenError(
            "{path}: {problem}" if error.filename else "{problem}",
            hint="Check the path, its permissions, and the space on the disk.",
            path=os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else error.filename,
            problem=error.strerror or str(error),
        )
    return errors.YuanwenError(
        "a fault of ours: {kind}: {problem}",
        hint="Nothing you did wrong; run it again with -v and report what it prints.",
        kind=type(error).__name__,
        problem=str(error),
    )


def _localised(error: errors.YuanwenError) -> str:
    values = {name: filled(v) if name in SENTENCES else v for name, v in error.values.items()}
    return sentences(*(filled(say(part).format(**values)) for part in (error.what, error.hint) if part))


def _finish_output() -> None:
    """Write what is still to be written, or let it go, so that the interpreter has nothing to say of it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
