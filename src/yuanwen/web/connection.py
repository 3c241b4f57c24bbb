"""How long may a client take to say what it wants, and how many may be connected? What uvicorn does not bound."""

import asyncio
import socket

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Connection"]

CONNECTIONS = 256  # at once
HEAD_WITHIN = 10.0  # seconds from the first byte of a request, or from connecting, to the end of its headers

BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n"


class Connection(H11Protocol):
    """A connection that is closed if it keeps the server waiting, or is one too many."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        # Else the last part of a reply waits for the client to acknowledge the first, 40 ms later; asyncio sees to that
        # only where the listening socket was made with the number of its protocol.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        if len(self.connections) > CONNECTIONS:
            transport.write(BUSY)
            transport.close()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """Take in what came, and wait for the rest of the headers."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_WITHIN, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
