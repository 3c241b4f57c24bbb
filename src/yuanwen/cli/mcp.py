"""The verb `mcp`: the library in an assistant's hands, served to the program that starts it, or installed into one."""

import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches

import click

from yuanwen import mcp_clients
from yuanwen.cli.messages import say, sentences
from yuanwen.cli.options import PROGRAM, Verb, option
from yuanwen.cli.settings import Settings, collect_garbage
from yuanwen.cli.terminal import Screen, cells, clean, emit, one_line, pad
from yuanwen.errors import NotFound, Unreadable, UsageError
from yuanwen.mcp_clients import Client, Server

INSTALL, DOCTOR = "install", "doctor"
BY_HAND = "Settings > MCP Servers > Add > Import from JSON"


class Named(click.Choice[str]):
    """One of a few names; for another, the error is `what`, and names the nearest."""

    def __init__(self, choices: Sequence[str], what: str) -> None:
        super().__init__(choices)
        self.what = what

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name. Raises UsageError for one that there is not."""
        choices = list(self.choices)
        if value in choices:
            return value
        near = [each for each in choices if each.startswith(value.lower())] or get_close_matches(value, choices, 1)
        if near:
            raise UsageError(self.what, hint="Did you mean {near}?", name=value, near=", ".join(near))
        raise UsageError(self.what, hint="Choose one of: {choices}.", name=value, choices=", ".join(choices))


def mcp() -> click.Command:
    """Return the verb `mcp`."""
    return Verb(
        "mcp",
        _mcp,
        brief=say("let an assistant search the library, over the Model Context Protocol"),
        details=say(
            "install puts the server into the configuration of a program, or lists the programs; doctor starts it as"
            " they would, and says what works. Without either it serves the program that started it."
        ),
        usage=say("[install|doctor] [CLIENT] [OPTIONS]"),
        params=[
            click.Argument(["action"], required=False, type=Named((INSTALL, DOCTOR), "yuanwen mcp has no {name}")),
            click.Argument(["client"], required=False, type=Named(mcp_clients.NAMES, "there is no client {name}")),
            option("--dry-run", help=say("say what would be done, and do nothing")),
            option("--name", metavar=say("SERVER"), help=say("the name of the server there, for a second library")),
            option("--allow-write", help=say("let clients add notes, and bring the library in step")),
        ],
        examples=(
            "yuanwen mcp install",
            "yuanwen mcp install claude-desktop --dry-run",
            "yuanwen mcp install cursor -L work.sqlite --name work",
            "yuanwen mcp doctor",
        ),
    )


def _mcp(
    settings: Settings,
    *,
    action: str | None,
    client: str | None,
    name: str | None,
    allow_write: bool,
    dry_run: bool,
) -> int:
    for given, what in ((dry_run, "--dry-run"), (name, "--name")):
        if given and action != INSTALL:
            raise UsageError("{option} goes with: yuanwen mcp install", option=what)
    if action is None:
        return _serve(settings, allow_write=allow_write)
    server = mcp_clients.server(settings.path, name=name or PROGRAM, allow_write=allow_write)
    known = [each for each in mcp_clients.clients() if client in (None, each.name)]
    if action == DOCTOR:
        return _doctor(settings, server, known)
    if client is None:
        _list(settings, known)
    else:
        _install(settings, known[0], server, dry_run=dry_run)
    return 0


def _serve(settings: Settings, *, allow_write: bool) -> int:
    from yuanwen import wire

    if sys.stdin is not None and sys.stdin.isatty():
        waits = say("This waits for a program that speaks MCP. To have one start it: yuanwen mcp install")
        settings.talk("\n".join(Screen(sys.stderr).paragraph(waits, role="quiet")))
    client = wire.claim()  # before anything is loaded that may print
    from yuanwen.mcp_server import stdio

    collect_garbage()
    stdio.serve(settings.path, allow_write=allow_write, client=client)
    return 0


# ------------------------------------------------------------------------------------------ installing


def _install(settings: Settings, client: Client, server: Server, *, dry_run: bool) -> None:
    """Put the server into the configuration of a client, or show what there is to be put in by hand."""
    entry = mcp_clients.snippet(client, server)
    if client.file is None:
        _answer(settings, client, server, "by_hand", entry)
        return
    try:
        change = mcp_clients.change(client, server)
    except (NotFound, Unreadable):
        if not settings.json:
            emit(clean(entry) + "\n", sys.stdout)
        raise
    if not dry_run:
        mcp_clients.make(change)
    _answer(settings, client, server, "there" if change.is_made else "to_do" if dry_run else "done", entry)


def _answer(settings: Settings, client: Client, server: Server, status: str, entry: str) -> None:
    """Say what was done, or would be."""
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.installation(client, server, status, entry))
        return
    told: dict[str, object] = {"title": client.title, "name": server.name, "file": _short(client.file)}
    out, err = Screen(sys.stdout), Screen(sys.stderr)
    if status == "by_hand":
        emit(clean(entry), sys.stdout)
        how = say("Paste this into {title}: {where}", title=client.title, where=say(BY_HAND))
    elif status == "to_do":
        emit("\n".join([*out.paragraph(say("This would go into {file}:", **told)), "", clean(entry)]), sys.stdout)
        how = say("Nothing was written. All else in the file would stay as it is.")
    elif status == "there":
        emit("\n".join(out.paragraph(say("{title} has the server {name} already: {file}", **told))), sys.stdout)
        how = ""
    else:
        emit("\n".join(out.paragraph(say("{title} has the server {name} now: {file}", **told))), sys.stdout)
        how = say("Restart {title}, and ask it something that stands in your documents.", **told)
    notes = [sentences(how)] if how else []
    if not os.path.exists(server.library):
        absent = say("There is no library at {path} yet; yuanwen add makes it", path=_short(server.library))
        notes.append(sentences(absent))
    if notes:
        settings.talk("\n".join(["", *(line for each in notes for line in err.paragraph(each, role="quiet"))]))


# --------------------------------------------------------------------------------------------- listing


def _list(settings: Settings, clients: list[Client]) -> None:
    found: list[tuple[Client, tuple[Server, ...], Unreadable | None]] = []
    for client in clients:
        try:
            found.append((client, mcp_clients.installed(client), None))
        except Unreadable as error:
            found.append((client, (), error))
    if settings.json:
        from yuanwen.cli import output

        told = (output.client(each, servers, _what(problem)) for each, servers, problem in found)
        settings.answer({"clients": list(told)})
        return
    screen = Screen(sys.stdout)
    width = max(cells(each.name) for each in clients) + 2
    lines = [line for each in found for line in _row(screen, width, *each)]
    emit("\n".join(lines), sys.stdout)
    how = say("To put it into one of them: yuanwen mcp install CLIENT. With --dry-run nothing is written, only shown.")
    settings.talk("\n".join(["", *Screen(sys.stderr).paragraph(how, role="quiet")]))


def _row(
    screen: Screen, width: int, client: Client, servers: tuple[Server, ...], problem: Unreadable | None
) -> list[str]:
    """Return what is known of a client: whether it is here, what it has, and where that stands."""
    mark, where = screen.style("·", "changed"), _short(client.file)
    if problem:
        what = say("cannot be looked into")
        where = say(problem.what, **problem.values)
    elif not client.is_here:
        mark, what = " ", say("not on this machine")
    elif client.file is None:
        what = say("is given it by hand")
    elif servers:
        names = ", ".join(each.name for each in servers)
        mark, what = screen.style("✓", "good"), say("has {names}", names=names)
    else:
        what = say("does not have it yet")
    indent = " " * (width + 2)
    said = say("{name}: {note}", name=client.title, note=what)
    role = None if client.is_here else "quiet"
    first = screen.paragraph(one_line(said), indent=indent, role="quiet" if role else None)
    first[0] = f"{mark} {screen.style(pad(client.name, width), 'title' if not role else 'quiet')}{first[0].lstrip()}"
    return first + screen.paragraph(one_line(where or say(BY_HAND)), indent=indent, role="quiet")


def _what(problem: Unreadable | None) -> str:
    """Return why a configuration cannot be read, in English: programs read it."""
    return problem.what.format(**problem.values) if problem is not None else ""


def _short(path: str | os.PathLike[str] | None) -> str:
    """Return a path with the home folder as ~, where a shell understands that."""
    text, home = os.fspath(path) if path is not None else "", os.path.expanduser("~")
    inside = os.name == "posix" and len(home) > 1 and text.startswith(home + os.sep)
    return one_line("~" + text[len(home) :] if inside else text)


# ------------------------------------------------------------------------------------------ the doctor


def _doctor(settings: Settings, server: Server, clients: list[Client]) -> int:
    from yuanwen.cli import output, render
    from yuanwen.mcp_server.checkup import examine

    findings = examine(server, clients)
    if settings.json:
        settings.answer({"findings": [output.finding(each) for each in findings]})
    else:
        emit("\n".join(render.findings(Screen(sys.stdout), findings, verbose=settings.verbose)), sys.stdout)
    return 0 if all(each.ok for each in findings) else 1
