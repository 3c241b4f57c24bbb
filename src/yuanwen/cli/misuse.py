"""What click says of a command line -> errors of ours, which can be translated and say what to do next."""

from collections.abc import Sequence

import click

from yuanwen.errors import UsageError


def explained(error: click.ClickException) -> UsageError:
    """Return what was wrong with the command line, and what to do about it."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption):
        near = _nearest(error.option_name, error.possibilities or ())
        if near:
            return UsageError(
                "there is no option {option}",
                hint="Did you mean {near}?",
                option=error.option_name,
                near=near,
            )
        return _see_help(context, "there is no option {option}", option=error.option_name)
    if isinstance(error, click.MissingParameter):
        return _see_help(context, "{name} is missing", name=_name(error.param))
    if isinstance(error, click.BadParameter):
        return _bad_value(error)
    if isinstance(error, click.BadOptionUsage):
        if "=" in error.message or "not take" in error.message:
            return _see_help(context, "the option {option} takes no value", option=error.option_name)
        return _see_help(context, "the option {option} needs a value", option=error.option_name)
    return _see_help(context, "{problem}", problem=error.format_message())


def _nearest(name: str, known: Sequence[str]) -> str:
    """Return the option that is most like what was written; nothing where there is none."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, sorted(known), 1, 0)), "")


def _bad_value(error: click.BadParameter) -> UsageError:
    name = _name(error.param)
    kind = error.param.type if error.param is not None else None
    if isinstance(kind, click.Choice):
        choices = ", ".join(map(str, kind.choices))
        return UsageError("{name}: no such choice", hint="Choose one of: {choices}.", name=name, choices=choices)
    if isinstance(kind, click.IntRange):
        return _see_help(error.ctx, "{name} needs a whole number, {least} or more", name=name, least=kind.min)
    return _see_help(error.ctx, "{name}: {problem}", name=name, problem=error.message)


def _see_help(context: click.Context | None, what: str, **values: object) -> UsageError:
    verb = f"{context.command.name} " if context is not None and context.parent is not None else ""
    return UsageError(what, hint="See: yuanwen {verb}--help", verb=verb, **values)


def _name(param: click.Parameter | None) -> str:
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return (param.metavar or param.human_readable_name) if param is not None else "?"
