"""The MCP server over stdin and stdout, for a client that starts it; it ends when that client goes."""

import json
import logging
import os
import sys
import threading
import time
from io import BufferedReader, BufferedWriter
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.shared.message import SessionMessage

from yuanwen import wire
from yuanwen.mcp_server import arguments, server
from yuanwen.served import Served
from yuanwen.wire import Wire

LOOK = 2.0  # seconds between two looks at whether the client is still there
FINISH = 5.0  # seconds for the calls that are at work when the client has said all that it wants to
LAST_WORDS = 2.0  # seconds that a client has to take the replies that are on their way when it hangs up
LONGEST = 16 * 2**20  # bytes of a message
LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}  # which JSON allows, and some clients split at

log = logging.getLogger(__name__)


def serve(path: str, *, allow_write: bool = False, client: Wire | None = None) -> None:
    """Serve the library at `path` until the client closes its end, or dies; then end this process."""
    client = client or wire.claim()
    status = 0
    try:
        with Served(path, allow_write=allow_write) as served:
            threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
            anyio.run(_serve, served, client)
    except KeyboardInterrupt:
        status = 130
    except Exception:
        log.exception("the server failed")
        status = 70
    _leave(status)


async def _serve(served: Served, client: Wire) -> None:
    """Carry messages between the client and the server, until there are no more. Threads read and write the wire."""
    leaving, sent = anyio.create_memory_object_stream[SessionMessage]()
    unanswered = _Unanswered()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_write, client.writer, sent, unanswered, tasks.cancel_scope)
        async with leaving:
            await _hear(client.reader, server(served), leaving, unanswered, tasks)
        tasks.cancel_scope.deadline = anyio.current_time() + LAST_WORDS


# ---------------------------------------------------------------------------------------------- the wire


async def _hear(
    reader: BufferedReader,
    mcp: "Server[Any]",
    leaving: "MemoryObjectSendStream[SessionMessage]",
    unanswered: "_Unanswered",
    tasks: TaskGroup,
) -> None:
    """Pass on what the client says; what cannot be understood is answered here.

    A client that asks what the server speaks, and has no answer within a second, may go on as older clients begin:
    with `initialize`, where the server is held to what it was asked at first. It then gets a session of its own.
    """
    own = anyio.CapacityLimiter(1)  # many calls at work do not keep the client from saying that it wants them no more
    session: MemoryObjectSendStream[SessionMessage | Exception] | None = None
    while line := await anyio.to_thread.run_sync(_line, reader, abandon_on_cancel=True, limiter=own):
        message = _message(line)
        if isinstance(message, _Refused):
            await leaving.send(SessionMessage(message))
        elif message is not None:
            if session is None or (isinstance(message, types.JSONRPCRequest) and message.method == "initialize"):
                if session is not None:
                    session.close()
                session, received = anyio.create_memory_object_stream[SessionMessage | Exception]()
                tasks.start_soon(_session, mcp, received, leaving.clone())
            unanswered.heard(message)
            await session.send(SessionMessage(message))
    with anyio.move_on_after(FINISH):
        await unanswered.none()
    if session is not None:
        session.close()


async def _session(
    mcp: "Server[Any]",
    received: "MemoryObjectReceiveStream[SessionMessage | Exception]",
    leaving: "MemoryObjectSendStream[SessionMessage]",
) -> None:
    async with received, leaving:
        await mcp.run(received, leaving, mcp.create_initialization_options())


async def _write(
    writer: BufferedWriter,
    sent: "MemoryObjectReceiveStream[SessionMessage]",
    unanswered: "_Unanswered",
    all_of_it: anyio.CancelScope,
) -> None:
    own = anyio.CapacityLimiter(1)

    def write(line: str) -> None:
        writer.write(line.encode() + b"\n")
        writer.flush()

    async for each in sent:
        line = each.message.model_dump_json(by_alias=True, exclude_unset=True).translate(LINE_ENDS)
        try:
            await anyio.to_thread.run_sync(write, line, abandon_on_cancel=True, limiter=own)
        except OSError:  # nobody reads any more
            all_of_it.cancel()
        unanswered.said(each.message)


class _Unanswered:
    """The requests that wait for a reply: a client may say all that it wants, close its end, and listen."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._changed = anyio.Event()

    def heard(self, message: types.JSONRPCMessage) -> None:
        """Note a request, or that the client wants no reply to one."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            unwanted = (message.params or {}).get("requestId")
            if isinstance(unwanted, str | int):
                self._ids.discard(unwanted)

    def said(self, message: types.JSONRPCMessage) -> None:
        """Note a reply."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
            self._ids.discard(message.id)
            self._changed.set()

    async def none(self) -> None:
        """Wait until no request waits."""
        while self._ids:
            self._changed = anyio.Event()
            await self._changed.wait()


class _Refused(types.JSONRPCError):
    """The answer to what is no message."""


def _line(reader: BufferedReader) -> bytes:
    """Return the next line, or b"" at the end; of a line that is too long only its start."""
    line = part = reader.readline(LONGEST)
    while len(part) == LONGEST and not part.endswith(b"\n"):
        part = reader.readline(LONGEST)
    return line


def _message(line: bytes) -> types.JSONRPCMessage | None:
    """Return what a line says, with its half characters replaced; None for an empty one."""
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        text = line.decode("utf-8-sig", "replace").strip()
    if not text:
        return None
    try:
        value = arguments.whole(json.loads(text))
    except (ValueError, RecursionError):
        return _refused(None, types.PARSE_ERROR, f"This is not JSON, or more than {LONGEST:,} bytes, or too deep.")
    if isinstance(value, list):
        return _refused(None, types.INVALID_REQUEST, "Send each message on a line of its own, not as a list.")
    try:
        return types.jsonrpc_message_adapter.validate_python(value, by_name=False)
    except (ValueError, RecursionError):
        given = value.get("id") if isinstance(value, dict) else None
        id = given if isinstance(given, str | int) and not isinstance(given, bool) else None
        return _refused(id, types.INVALID_REQUEST, "This is no message of JSON-RPC 2.0.")


def _refused(id: str | int | None, code: int, message: str) -> _Refused:
    return _Refused(jsonrpc="2.0", id=id, error=types.ErrorData(code=code, message=message))


# --------------------------------------------------------------------------------------------- the end


def _leave_with(parent: int) -> None:
    """End this process when its parent is gone, which may leave the wire open behind it."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    _leave(0)


def _leave(status: int) -> None:
    """End this process at once: a thread that still works, or waits for a word of the client, does not hold it."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(status)
