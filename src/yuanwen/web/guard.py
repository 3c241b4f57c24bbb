"""May this request be answered at all? Asked of each one, whatever its path and method, before anything reads it."""

import asyncio
import hmac
import time
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yuanwen.web.door import Authority, Door, authority
from yuanwen.web.guesses import Guesses
from yuanwen.web.problems import problem

__all__ = ["BODY", "Guard"]

BODY = 4 * 1024 * 1024  # bytes that a request may have
BODY_WITHIN = 30.0  # seconds for all of them

HEADERS = {  # of each response, whatever the app says
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
PORTS = {"http": 80, "https": 443}  # where the address names none


class Guard:
    """An app behind a door: what does not belong here is turned away, the rest reaches the app with its whole body."""

    def __init__(self, app: ASGIApp, door: Door, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._door = door
        self._guesses = Guesses(clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the app answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        sending = _Sending(send)
        refused = _misdirected(scope, self._door) or self._unknown(scope) or _too_long(scope)
        if refused is None:
            try:
                body = await _body(scope, receive)
            except TimeoutError:
                refused = problem(408, "the body of the request did not come in time", Connection="close")
            else:
                if body is None:
                    return
                if len(body) <= BODY:
                    await self._app(scope, _replayed(body, receive), sending)
                    await sending.end()
                    return
                refused = _over()
        await refused(scope, receive, sending)

    def _unknown(self, scope: Scope) -> Response | None:
        """Return what is said to those who do not know the token, where there is one."""
        if not self._door.token:
            return None
        address = scope["client"][0] if scope.get("client") else ""
        wait = self._guesses.wait(address)
        if wait:
            return problem(429, "there were too many wrong tokens from your address", Retry_After=str(wait))
        given = _values(scope, b"authorization")
        if len(given) == 1 and _is_token(given[0], self._door.token):
            return None
        if not given:
            return problem(401, "this server asks for a token", WWW_Authenticate='Bearer realm="yuanwen"')
        self._guesses.wrong(address)
        told = 'Bearer realm="yuanwen", error="invalid_token"'
        return problem(401, "the token is not the one of this server", WWW_Authenticate=told)


def _misdirected(scope: Scope, door: Door) -> Response | None:
    """Return what is said to a request that was meant for another name, or comes from somebody else's page."""
    hosts = _values(scope, b"host")
    host = authority(hosts[0].decode("latin-1")) if len(hosts) == 1 else None
    if host is None:
        return problem(400, "a request names one host in its Host header")
    if not door.knows(host):
        return problem(421, "this server does not answer to that name; --allow-host would have it do so")
    origins = _values(scope, b"origin")
    if origins and (len(origins) > 1 or not _is_origin(origins[0].decode("latin-1"), host)):
        return problem(403, "the request comes from a page of another server")
    sites = set(_values(scope, b"sec-fetch-site"))
    followed = _values(scope, b"sec-fetch-mode") == [b"navigate"]  # a link of a neighbour may be followed
    if not sites <= {b"same-origin", b"none", *([b"same-site"] if followed else [])}:
        return problem(403, "the request comes from a page of another server")
    return None


def _is_origin(text: str, host: Authority) -> bool:
    """Return whether an origin is of this host, on the same port."""
    scheme, _, rest = text.partition("://")
    found = authority(rest)
    if found is None or scheme not in PORTS:
        return False
    usual = PORTS[scheme]
    return found.name == host.name and (found.port or usual) == (host.port or usual)


def _is_token(header: bytes, token: str) -> bool:
    scheme, _, given = header.partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(b" "), token.encode("ascii"))


def _too_long(scope: Scope) -> Response | None:
    """Return what is said to a request that announces more than it may send."""
    lengths = _values(scope, b"content-length")
    if any(not each.isdigit() for each in lengths) or len(set(lengths)) > 1:
        return problem(400, "Content-Length is a number")
    return _over() if lengths and (len(lengths[0]) > 18 or int(lengths[0]) > BODY) else None


def _over() -> Response:
    return problem(413, f"a request has at most {BODY} bytes", Connection="close")


async def _body(scope: Scope, receive: Receive) -> bytes | None:
    """Return the body, cut where it grows too long; nothing where the client has gone. Raises TimeoutError."""
    body = bytearray()
    more = bool(_values(scope, b"content-length") or _values(scope, b"transfer-encoding"))
    async with asyncio.timeout(BODY_WITHIN):
        while more and len(body) <= BODY:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            more = message.get("more_body", False)
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return what the app receives: the body, then whatever comes, which is that the client has gone."""
    read = False

    async def message() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return message


class _Sending:
    """Sends a response with the headers that each one has."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._open = False

    async def __call__(self, message: Message) -> None:
        """Send a part of the response."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        self._open = message["type"] == "http.response.start" or message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """End a response that was left open, as a stream of events is when the server stops."""
        if self._open:
            await self({"type": "http.response.body", "body": b""})


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for each, value in scope["headers"] if each.lower() == name]
