"""What every verb shares: the global options before and after it, and help that people can read."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import click

from yuanwen.cli.direct import MODES
from yuanwen.cli.messages import language, say
from yuanwen.cli.terminal import Screen, cells, pad

HELP_COLUMN = 26
PROGRAM = "yuanwen"


class Verb(click.Command):
    """A verb: it is called with the settings and its own options, and returns the exit status."""

    def __init__(
        self,
        name: str,
        callback: Callable[..., int | None],
        *,
        brief: str,
        details: str = "",
        usage: str = "",
        params: Sequence[click.Parameter] = (),
        examples: Sequence[str] = (),
    ) -> None:
        shared = global_options()
        super().__init__(
            name,
            callback=callback,
            params=[*params, *shared],
            help=brief,
            short_help=brief,
            add_help_option=False,
        )
        self.details = details
        self.usage = usage
        self.examples = examples
        self.shared = shared

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; what is wrong with it is said of this verb."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        assert self.callback is not None
        return self.callback(ctx.obj, **ctx.params)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help page."""
        import sys

        screen = Screen(sys.stdout)
        own = [p for p in self.params if isinstance(p, click.Option) and p not in self.shared]
        lines = [say("Usage: {line}", line=f"{PROGRAM} {self.name} {self.usage}".rstrip()), ""]
        lines += screen.paragraph(say("{brief}.", brief=self.help), indent="  ")
        if self.details:
            lines += screen.paragraph(self.details, indent="  ")
        if own:
            lines += ["", say("Options:"), *listed(screen, own)]
        lines += ["", say("Options of every verb:"), *listed(screen, self.shared)]
        if self.examples:
            lines += ["", say("Examples:"), *("  " + example for example in self.examples)]
        return "\n".join(lines)


def option(*names: str, help: str, metavar: str = "", **rest: Any) -> click.Option:
    """Return an option of a verb; one without a metavar is a flag."""
    if not metavar:
        return click.Option(names, is_flag=True, help=help, **rest)
    return click.Option(names, help=help, metavar=metavar, **rest)


def several(name: str, **rest: Any) -> click.Argument:
    """Return an argument that takes all that stands on the command line."""
    return click.Argument([name], nargs=-1, **rest)


def number(name: str, default: int, least: int, help: str, *, metavar: str = "N") -> click.Option:
    """Return an option that takes a whole number, `least` or more."""
    return option(name, metavar=metavar, type=click.IntRange(min=least), default=default, help=help)


def mode() -> click.Option:
    """Return the option that says how passages are looked for."""
    return option(
        "--mode",
        metavar=say("MODE"),
        type=click.Choice(MODES),
        default=None,
        help=say("ranked, hybrid (the default if there are vectors), semantic, exact (the very string), expand or raw"),
    )


def filters() -> list[click.Option]:
    """Return the options that say which documents are searched."""
    return [
        option("--tag", "tags", metavar=say("TAG"), multiple=True, help=say("only documents with this tag")),
        option("--source", metavar=say("GLOB"), default="", help=say("only from sources like this: *.md")),
        option("--type", metavar=say("TYPE"), default="", help=say("only of this type: md, pdf, text/html")),
        option("--author", metavar=say("NAME"), default="", help=say("only by an author with this in the name")),
        option("--since", metavar=say("WHEN"), default="", help=say("only from then on: 2026-11, 7d, yesterday")),
        option("--until", metavar=say("WHEN"), default="", help=say("only up to then")),
    ]


def password() -> click.Option:
    """Return the option for passwords of files."""
    return option(
        "--password",
        "passwords",
        metavar=say("WORD"),
        multiple=True,
        help=say("try this on files that need a password; - asks for it"),
    )


def typed(passwords: Sequence[str]) -> tuple[str, ...]:
    """Return passwords, each `-` replaced by what is typed or piped in. Raises UsageError where nothing is."""
    return tuple(_asked() if each == "-" else each for each in passwords)


def _asked() -> str:
    import sys
    from contextlib import suppress
    from getpass import getpass

    from yuanwen.errors import UsageError

    line = ""
    if sys.stdin is not None:
        with suppress(EOFError):
            line = getpass(say("Password: ")) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise UsageError("no password was typed", hint="Give it with: --password WORD")
    return line


def global_options() -> tuple[click.Option, ...]:
    """Return the options that may stand before the verb and after it; they end up in the settings."""
    return _global_options(language())


@cache
def _global_options(language: str) -> tuple[click.Option, ...]:
    return (
        option(
            "-L",
            "--library",
            metavar=say("PATH"),
            type=click.Path(),
            help=say("the library file; else YUANWEN_LIBRARY, else the one in your data folder"),
            expose_value=False,
            callback=_keep,
        ),
        option("--json", help=say("print one JSON document"), expose_value=False, callback=_keep),
        option("-q", "--quiet", help=say("print results and errors only"), expose_value=False, callback=_keep),
        option("-v", "--verbose", help=say("print all there is to know"), expose_value=False, callback=_keep),
        option(
            "--version",
            help=say("print the version and exit"),
            expose_value=False,
            is_eager=True,
            callback=_version,
        ),
        option(
            "-h",
            "--help",
            help=say("print this page and exit"),
            expose_value=False,
            is_eager=True,
            callback=_help,
        ),
    )


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value and param.name:
        setattr(ctx.obj, param.name, value)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from yuanwen import __version__

    click.echo(f"{PROGRAM} {__version__}")
    ctx.exit()


def _help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help())
        ctx.exit()


def listed(screen: Screen, options: Sequence[click.Option]) -> list[str]:
    rows = []
    for each in options:
        names = ", ".join(sorted(each.opts, key=len))
        rows.append((f"{names} {each.metavar}" if each.metavar else names, each.help or ""))
    return two_columns(screen, rows)


def two_columns(screen: Screen, rows: Sequence[tuple[str, str]]) -> list[str]:
    """Return names and what they mean as aligned lines."""
    lines = []
    for name, meaning in rows:
        wide = cells(name) > HELP_COLUMN - 4
        explained = screen.paragraph(meaning, indent=" " * HELP_COLUMN) or [""]
        if wide:
            lines.append(f"  {name}")
        else:
            explained[0] = pad(f"  {name}", HELP_COLUMN) + explained[0][HELP_COLUMN:]
        lines += explained
    return lines
