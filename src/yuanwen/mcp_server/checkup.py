"""Whether the server works as a client starts it, in both eras of the protocol, and which clients have it."""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TextIO

import anyio
from mcp import Client as Session
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client

from yuanwen.doctor import Finding
from yuanwen.errors import Unreadable
from yuanwen.mcp_clients import Client, Server, installed

LIMIT = 30.0  # seconds that one visit may take

_WORDS = "yuanwen"  # searched for where the library has no title to search for


@dataclass(kw_only=True)
class _Visit:
    """What a client saw of the server, until it left or something went wrong."""

    protocol: str = ""
    seconds: float = 0.0
    tools: list[str] = field(default_factory=list)
    documents: int = -1
    words: str = _WORDS
    found: int = -1
    search_ms: float = 0.0
    stray: int = 0
    problem: str = ""


def examine(server: Server, clients: Sequence[Client]) -> tuple[Finding, ...]:
    """Return what was found: of the server, started twice, then of each client that is on this machine."""
    return (*_served(server), *(each for client in clients if client.is_here for each in _held(client)))


def _served(server: Server) -> Iterator[Finding]:
    logging.getLogger("mcp").addHandler(logging.NullHandler())  # else its tracebacks go to the terminal
    command = " ".join([server.command, *server.args])
    yield Finding(name="command", ok=True, detail="{command}", values={"command": command})
    newer, older = anyio.run(_visit, server, "auto"), anyio.run(_visit, server, "legacy")
    yield _started("newer clients", newer, command)
    yield _started("older clients", older, command)
    stray = newer.stray + older.stray
    if stray:
        yield Finding(
            name="stdout",
            ok=False,
            detail="lines that are not of the protocol: {count}",
            fix="Report this, with what yuanwen doctor says.",
            values={"count": stray},
        )
    elif newer.protocol or older.protocol:
        yield Finding(name="stdout", ok=True, detail="nothing but the protocol")
    yield from _searched(server, newer if newer.tools else older)


def _started(name: str, visit: _Visit, command: str) -> Finding:
    if not visit.tools:
        return Finding(
            name=name,
            ok=False,
            detail="the server does not start: {problem}" if visit.problem else "no answer within {seconds} seconds",
            fix="See what it says: {command}",
            values={"problem": visit.problem, "seconds": f"{LIMIT:.0f}", "command": command},
        )
    return Finding(
        name=name,
        ok=True,
        detail="protocol {protocol}, ready after {seconds} s: {tools}",
        values={"protocol": visit.protocol, "seconds": f"{visit.seconds:.1f}", "tools": ", ".join(visit.tools)},
    )


def _searched(server: Server, visit: _Visit) -> Iterator[Finding]:
    """Yield whether the library is there, and whether a search in it answers."""
    values: dict[str, object] = {"path": server.library, "documents": visit.documents, "problem": visit.problem}
    if not os.path.exists(server.library):
        fix = "Run: yuanwen -L {path} add FOLDER"
        yield Finding(name="library", ok=False, detail="there is no library at {path} yet", fix=fix, values=values)
        return
    if not visit.tools:
        return
    if visit.documents < 0:
        fix = "Run: yuanwen -L {path} check"
        yield Finding(name="library", ok=False, detail="{problem}", fix=fix, values=values)
        return
    fix = "" if visit.documents else "Run: yuanwen -L {path} add FOLDER"
    yield Finding(name="library", ok=True, detail="{path}: documents: {documents}", fix=fix, values=values)
    if visit.found < 0:
        fix = "Run: yuanwen -L {path} check"
        yield Finding(name="search", ok=False, detail="{problem}", fix=fix, values=values)
        return
    values |= {"words": visit.words, "found": visit.found, "ms": f"{visit.search_ms:.0f}"}
    yield Finding(name="search", ok=True, detail="“{words}”: {found} found in {ms} ms", values=values)


# ------------------------------------------------------------------------------------------- the visit


async def _visit(server: Server, mode: Literal["auto", "legacy"]) -> _Visit:
    """Return what a client sees that starts the server from an empty folder, and asks it for something."""
    visit = _Visit()
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log,
    ):
        parameters = StdioServerParameters(
            command=server.command, args=list(server.args), env=dict(server.env), cwd=folder
        )
        try:
            with anyio.fail_after(LIMIT):
                await _ask(parameters, mode, visit, log)
        except TimeoutError:
            visit.problem = ""
        except Exception as error:
            visit.problem = _last_line(log) or _told(error)
    return visit


async def _ask(parameters: StdioServerParameters, mode: Literal["auto", "legacy"], visit: _Visit, log: TextIO) -> None:
    async def notice(message: object) -> None:
        visit.stray += isinstance(message, Exception)

    began = time.monotonic()
    transport = stdio_client(parameters, errlog=log)
    async with Session(transport, mode=mode, message_handler=notice) as session:
        visit.protocol = session.protocol_version
        tools = await session.list_tools()
        visit.seconds = time.monotonic() - began
        visit.tools = [each.name for each in tools.tools]
        held = await _called(session, visit, "sources", limit=1)
        if held is None:
            return
        visit.documents = int(held["total"])
        visit.words = next((each["title"] for each in held["documents"] if each["title"].strip()), _WORDS)
        began = time.monotonic()
        found = await _called(session, visit, "search", query=visit.words)
        visit.search_ms = 1000 * (time.monotonic() - began)
        visit.found = int(found["found"]) if found is not None else -1


async def _called(session: Session, visit: _Visit, tool: str, **arguments: object) -> dict[str, Any] | None:
    """Return what a tool answers; None where it cannot, and why is noted."""
    reply = await session.call_tool(tool, arguments)
    if reply.is_error:
        visit.problem = " ".join(getattr(each, "text", "") for each in reply.content)
        return None
    answered: dict[str, Any] | None = reply.structured_content
    return answered


def _told(error: BaseException) -> str:
    """Return what went wrong in words; of several things at once, the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


def _last_line(log: TextIO) -> str:
    log.seek(0)
    lines = [line.strip() for line in log if line.strip()]
    return lines[-1] if lines else ""


# ----------------------------------------------------------------------------------------- the clients


def _held(client: Client) -> Iterator[Finding]:
    """Yield what a client has of ours, and whether that can be started."""
    values: dict[str, object] = {"client": client.name, "file": client.file}
    if client.file is None:
        yield Finding(
            name=client.title,
            ok=True,
            detail="what it has cannot be looked into",
            fix="To have the entry, to put it in by hand: yuanwen mcp install {client}",
            values=values,
        )
        return
    try:
        servers = installed(client)
    except Unreadable as error:
        fix = "To have the entry, to put it in by hand: yuanwen mcp install {client}"
        yield Finding(name=client.title, ok=True, detail=error.what, fix=fix, values=values | error.values)
        return
    if not servers:
        fix = "Run: yuanwen mcp install {client}"
        yield Finding(name=client.title, ok=True, detail="not installed there yet", fix=fix, values=values)
    yield from (_entry(client, each, values | {"name": each.name}) for each in servers)


def _entry(client: Client, server: Server, values: dict[str, object]) -> Finding:
    """Return whether what an entry starts is there."""
    values |= {"command": server.command, "library": server.library}
    fix = "Take {name} out of {file}, and run: yuanwen mcp install {client}"
    if shutil.which(server.command) is None:
        detail = "{name}: {command} is not there any more"
        return Finding(name=client.title, ok=False, detail=detail, fix=fix, values=values)
    if server.library and not os.path.exists(server.library):
        detail = "{name}: there is no library at {library}"
        return Finding(name=client.title, ok=False, detail=detail, fix=fix, values=values)
    detail = "{name} searches {library}" if server.library else "{name}, in {file}"
    return Finding(name=client.title, ok=True, detail=detail, values=values)
