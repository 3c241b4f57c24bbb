"""The verbs that need no library: `extract`, `doctor` and `completion`."""

import os
import sys
from collections.abc import Sequence

import click

from yuanwen.cli.messages import say
from yuanwen.cli.options import PROGRAM, Verb, password, typed
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit
from yuanwen.errors import UsageError

SHELLS = ("bash", "zsh", "fish")


def extract() -> click.Command:
    """Return the verb `extract`."""
    return Verb(
        "extract",
        _extract,
        brief=say("print what would be taken in of a file, with its places"),
        details=say("No library is needed, and none is changed."),
        usage=say("FILE [OPTIONS]"),
        params=[click.Argument(["file"], metavar=say("FILE"), type=click.Path()), password()],
        examples=("yuanwen extract 合同.pdf",),
    )


def _extract(settings: Settings, *, file: str, passwords: Sequence[str]) -> None:
    from yuanwen.library import extract

    reading = extract(file, passwords=typed(passwords))
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.reading(reading, file))
        return
    from yuanwen.cli import render

    emit("\n".join(render.reading(Screen(sys.stdout), reading, file)), sys.stdout)


def doctor() -> click.Command:
    """Return the verb `doctor`."""
    return Verb("doctor", _doctor, brief=say("show what works on this machine, and how to mend what does not"))


def _doctor(settings: Settings) -> int:
    from pathlib import Path

    from yuanwen.doctor import examine

    findings = examine(Path(settings.path))
    if settings.json:
        from yuanwen.cli import output

        settings.answer({"findings": [output.finding(each) for each in findings]})
    else:
        from yuanwen.cli import render

        emit("\n".join(render.findings(Screen(sys.stdout), findings, verbose=settings.verbose)), sys.stdout)
    return 0 if all(each.ok for each in findings) else 1


def completion() -> click.Command:
    """Return the verb `completion`."""
    return Verb(
        "completion",
        _completion,
        brief=say("print the script that completes commands in bash, zsh or fish"),
        usage="[bash|zsh|fish]",
        params=[click.Argument(["shell"], required=False, type=click.Choice(SHELLS), metavar="bash|zsh|fish")],
        examples=('eval "$(yuanwen completion bash)"',),
    )


def _completion(settings: Settings, *, shell: str | None) -> None:
    from click.shell_completion import ShellComplete, get_completion_class

    shell = shell or os.path.basename(os.environ.get("SHELL", ""))
    kind = get_completion_class(shell) if shell in SHELLS else None
    if kind is None:
        raise UsageError("cannot tell which shell this is", hint="Name it: yuanwen completion bash")
    scripts = []
    for name in (PROGRAM, "yw"):
        script = kind(click.Command(name), {}, name, f"_{name.upper()}_COMPLETE")
        scripts.append(ShellComplete.source(script))  # without asking bash for its version first
    if settings.json:
        settings.answer({"shell": shell, "script": "".join(scripts)})
    else:
        emit("".join(scripts).rstrip(), sys.stdout)
