"""How is the app served: where it listens, how it starts, and how it ends within bounds?"""

import asyncio
import errno
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, NamedTuple, Self

import uvicorn
from uvicorn.server import HANDLED_SIGNALS

from yuanwen import mcp_server
from yuanwen.errors import Busy, UsageError
from yuanwen.served import Served
from yuanwen.web import MCP, application, journal
from yuanwen.web.connection import Connection
from yuanwen.web.door import Door, door

__all__ = ["Address", "serve"]

KEEP_ALIVE = 30  # seconds that a connection may lie idle between two requests
FINISH_WITHIN = 1.5  # seconds for what is being answered when the server is told to stop; then it is hung up on
UNWIND_WITHIN = 3  # seconds for all of that
STOP_WITHIN = 4.5  # seconds after which the process ends, whatever is still running

log = logging.getLogger(__name__)


class Address(NamedTuple):
    """Where a server can be reached."""

    url: str  # of the page
    mcp: str  # of MCP
    port: int
    pid: int


def serve(
    path: str,
    *,
    host: str,
    port: int,
    token: str | None,
    allow_hosts: Sequence[str],
    allow_write: bool,
    command: str,
    quiet: bool,
    started: Callable[[Address], None],
) -> None:
    """Serve a library until SIGINT or SIGTERM comes, then close it. `started` is called once the server listens.

    `command` is how it was started, for advice. Raises Refused where others could reach it without a token, Busy
    where the port is taken, UsageError where the address is not one of this machine.
    """
    place = _resolved(host, port)
    entrance = door(host, place.address, token=token, allow_hosts=allow_hosts, command=command)
    journal.keep(quiet=quiet)
    with _Deadline() as deadline, Served(path, allow_write=allow_write) as served, _listening(place) as listening:
        address = _address(place, listening.getsockname()[1])
        _Server(_config(served, entrance), deadline, lambda: started(address)).run([listening])


class _Place(NamedTuple):
    host: str  # as the user wrote it
    family: int
    where: tuple[Any, ...]  # as sockets have it

    @property
    def address(self) -> str:
        return str(self.where[0]).partition("%")[0]


def _resolved(host: str, port: int) -> _Place:
    try:
        if not host or not 0 <= port <= 65535:
            raise OSError("a host, and a port from 0 to 65535, are needed")
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise _impossible(host, port, error) from None
    family, _, _, _, where = found[0]
    return _Place(host, family, where)


@contextmanager
def _listening(place: _Place) -> Iterator[socket.socket]:
    try:
        listening = socket.create_server(place.where, family=place.family)
    except OSError as error:
        port = place.where[1]
        if error.errno != errno.EADDRINUSE:
            raise _impossible(place.host, port, error) from None
        raise Busy(
            "port {port} of {host} is taken",
            hint="Stop what uses it, or take another: --port 0 takes one that is free.",
            port=port,
            host=place.host,
        ) from None
    with listening:
        yield listening


def _impossible(host: str, port: int, error: Exception) -> UsageError:
    return UsageError(
        "a server cannot listen at {host}, port {port}: {problem}",
        hint="Take an address of this machine (127.0.0.1 is for it alone), and a port from 1024 up.",
        host=host,
        port=port,
        problem=getattr(error, "strerror", None) or str(error),
    )


def _address(place: _Place, port: int) -> Address:
    """Return where the server can be reached from this machine."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
    name = everywhere.get(place.address, place.host)
    url = f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
    return Address(f"{url}/", f"{url}{MCP}", port, os.getpid())


def _config(served: Served, entrance: Door) -> uvicorn.Config:
    return uvicorn.Config(
        application(mcp_server.server(served), entrance),
        loop="asyncio",
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # what a client says of its address is not believed
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=UNWIND_WITHIN,
    )


class _Server(uvicorn.Server):
    """A server that says when it listens, and for which to be told to stop is no failure."""

    def __init__(self, config: uvicorn.Config, deadline: "_Deadline", started: Callable[[], None]) -> None:
        super().__init__(config)
        self._deadline = deadline
        self._when_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        except SystemExit:
            raise RuntimeError("the server did not start") from None
        self._when_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().call_later(FINISH_WITHIN, self._hang_up)
        await super().shutdown(sockets)

    def _hang_up(self) -> None:
        """Let go of every client: what is still answering one sees that it has gone, and ends."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._deadline.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals to stop; unlike uvicorn, do not raise them again afterwards."""
        before = {each: signal.signal(each, self.handle_exit) for each in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


class _Deadline:
    """Ends the process if stopping takes too long: a thread that reads cannot be stopped, and need not be waited for.

    What it wrote is whole or not there at all, as after any crash.
    """

    def __init__(self) -> None:
        self._timer = threading.Timer(STOP_WITHIN, self._leave)
        self._timer.daemon = True

    def start(self) -> None:
        """Let the time run, from the first call on."""
        if self._timer.ident is None:
            self._timer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()

    @staticmethod
    def _leave() -> None:
        log.warning("stopped while something was still being answered")
        os._exit(0)
