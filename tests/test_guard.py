"""What is let in over HTTP: by name, origin, token and size; whatever the route, and whatever is sent."""

import asyncio
import ipaddress
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yuanwen import mcp_server
from yuanwen.errors import Refused, UsageError, YuanwenError
from yuanwen.served import Served
from yuanwen.web import application, connection, guard, guesses
from yuanwen.web.connection import Connection
from yuanwen.web.door import authority, door
from yuanwen.web.guard import Guard

TOKEN = "correct-horse-battery"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
COMMAND = "yuanwen serve"
ROUTES = ("/", "/mcp", "/mcp/", "/api/v1/healthz", "/api/v1/nothing", "/favicon.ico", "//x", "/../etc/passwd")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE")

ALONE = door("127.0.0.1", "127.0.0.1", token=None, allow_hosts=(), command=COMMAND)
OPEN = door("0.0.0.0", "0.0.0.0", token=TOKEN, allow_hosts=["Docs.example.com"], command=COMMAND)

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(name="served")
def served_fixture(tmp_path: Path) -> Iterator[Served]:
    """A library that is not there, which is enough for all that stands before it."""
    with Served(tmp_path / "library.sqlite") as served:
        yield served


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body."""
    message = await receive()
    await PlainTextResponse(message["body"])(scope, receive, send)


def asked(app: ASGIApp, *headers: tuple[bytes, bytes], parts: Sequence[bytes] = (), **scope: Any) -> tuple[int, bytes]:
    """Send a request with exactly these headers; return the status and the body of the response."""
    messages = [{"type": "http.request", "body": part, "more_body": i < len(parts)} for i, part in enumerate(parts, 1)]
    sent: list[Message] = []

    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    whole = {"type": "http", "method": "POST", "path": "/", "headers": list(headers), "client": ("10.1.2.3", 5)} | scope
    asyncio.run(app(whole, receive, send))  # type: ignore[arg-type]
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def with_clients(app: ASGIApp, base: str = "http://localhost:8642") -> httpx2.AsyncClient:
    """Return a client of an app in this process."""
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=base)


async def every_route(app: ASGIApp, **headers: str) -> AsyncIterator[httpx2.Response]:
    """Yield what each route says to each method."""
    async with with_clients(app) as client:
        for route in ROUTES:
            for method in METHODS:
                target = httpx2.URL("http://localhost:8642").copy_with(raw_path=route.encode())
                yield await client.request(method, target, headers=headers)


def everywhere(app: ASGIApp, **headers: str) -> list[httpx2.Response]:
    """Return what each route says to each method."""

    async def run() -> list[httpx2.Response]:
        return [response async for response in every_route(app, **headers)]

    return asyncio.run(run())


# ------------------------------------------------------------------------------------------ names, origins


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:8642"},
        {"Host": "localhost.evil.example"},
        {"Host": "192.168.1.7:8642"},
        {"Host": "rebound.example", "Origin": "http://rebound.example"},
    ],
)
def test_another_name_is_misdirected_on_every_route(served: Served, headers: dict[str, str]) -> None:
    app = application(mcp_server.server(served), ALONE)
    assert {response.status_code for response in everywhere(app, **headers)} == {421}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://localhost:3000"},
        {"Origin": "http://127.0.0.1:8642"},
        {"Origin": "http://localhost"},
        {"Origin": "http://localhost:8642/"},
        {"Origin": "http://localhost:8642.evil.example"},
        {"Origin": "http://localhost:8642@evil.example"},
        {"Origin": "file://localhost:8642"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
        {"Origin": "http://localhost:8642", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_page_of_somebody_else_gets_nowhere(served: Served, headers: dict[str, str]) -> None:
    app = application(mcp_server.server(served), ALONE)
    assert {response.status_code for response in everywhere(app, **headers)} == {403}


def test_a_preflight_of_another_page_allows_nothing(served: Served) -> None:
    app = application(mcp_server.server(served), ALONE)
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for response in everywhere(app, **preflight):
        assert response.status_code == 403
        assert not [name for name in response.headers if name.startswith("access-control")]


def test_no_response_lets_other_pages_read_it(served: Served) -> None:
    app = application(mcp_server.server(served), ALONE)

    async def run() -> None:
        async with with_clients(app) as client:
            for path in ("/", "/api/v1/healthz", "/nothing"):
                for origin in ({}, {"Origin": "http://localhost:8642"}, {"Origin": "https://evil.example"}):
                    response = await client.get(path, headers=origin)
                    assert not [name for name in response.headers if name.startswith("access-control")]
                    assert response.headers["x-content-type-options"] == "nosniff"
                    assert response.headers["referrer-policy"] == "no-referrer"
                    assert response.headers["cache-control"] == "no-store"
                    assert response.headers["content-security-policy"].startswith("default-src 'none'")

    asyncio.run(run())


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8642", "[::1]", "[0:0::1]:65535"])
def test_this_machine_has_its_names_on_any_port(name: str) -> None:
    app = Guard(echo, ALONE)
    assert asked(app, (b"host", name.encode()))[0] == 200
    assert asked(app, (b"host", name.encode()), (b"origin", b"http://" + name.lower().encode()))[0] == 200
    assert asked(app, (b"host", name.encode()), (b"sec-fetch-site", b"same-origin"))[0] == 200


def test_a_link_of_a_neighbour_may_be_followed() -> None:
    site, mode = (b"sec-fetch-site", b"same-site"), (b"sec-fetch-mode", b"navigate")
    assert asked(Guard(echo, ALONE), (b"host", b"localhost"), site, mode)[0] == 200


def test_the_usual_port_need_not_be_named() -> None:
    for origin in (b"https://docs.example.com", b"https://docs.example.com:443"):
        for host in (b"docs.example.com", b"docs.example.com:443"):
            headers = ((b"host", host), (b"origin", origin), (b"authorization", b"bearer " + TOKEN.encode()))
            assert asked(Guard(echo, OPEN), *headers)[0] == 200
    assert (
        asked(Guard(echo, OPEN), (b"host", b"docs.example.com"), (b"origin", b"https://docs.example.com:80"))[0] == 403
    )


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [b"localhost", b"localhost"],
        [b"localhost", b"evil.example"],
        [b""],
        [b" "],
        [b"localhost:"],
        [b"localhost:99999"],
        [b"localhost:8642:8642"],
        [b"user@localhost"],
        [b"localhost/"],
        [b"[::1"],
        [b"[localhost]"],
        [b"::1"],
        [b"localhost, evil.example"],
        ["本机".encode()],
        [b"\xff\xfe"],
        ["١٢٧.0.0.1".encode()],
    ],
)
def test_a_request_names_one_host(hosts: list[bytes]) -> None:
    status, body = asked(Guard(echo, ALONE), *((b"host", host) for host in hosts))
    assert status == 400
    assert json.loads(body)["title"] == "Bad Request"


@pytest.mark.parametrize("host", [b"2130706433", b"127.1", b"0x7f.0.0.1", b"127.0.0.01", b"localhost.", b"0.0.0.0"])
def test_other_ways_to_write_this_machine_are_not_its_names(host: bytes) -> None:
    assert asked(Guard(echo, ALONE), (b"host", host))[0] == 421


def test_a_server_for_others_answers_to_addresses_its_own_name_and_those_it_was_given() -> None:
    token = (b"authorization", b"Bearer " + TOKEN.encode())
    for host in (b"192.168.1.7:8642", b"[fe80::1]", b"docs.example.com", b"DOCS.EXAMPLE.COM:443", b"localhost"):
        assert asked(Guard(echo, OPEN), (b"host", host), token)[0] == 200
    for host in (b"example.com", b"evil.docs.example.com", b"docs.example.com.evil.example"):
        assert asked(Guard(echo, OPEN), (b"host", host), token)[0] == 421


HOSTS = st.sampled_from([b"localhost", b"127.0.0.1", b"[::1]", b"evil.example", b"localhost:80", b"10.0.0.1", b""])
PIECES = st.sampled_from([b"http", b"https", b"://", b":", b"80", b".", b"@", b"/", b"[", b"]", b" ", b"\0", b"null"])
ANY = st.one_of(HOSTS, st.binary(max_size=30), st.lists(st.one_of(HOSTS, PIECES), max_size=6).map(b"".join))


@given(
    hosts=st.lists(ANY, max_size=2),
    origins=st.lists(ANY, max_size=2),
    path=st.text(max_size=10),
    entrance=st.booleans(),
)
def test_nothing_but_a_name_of_the_server_opens_it(
    hosts: list[bytes], origins: list[bytes], path: str, entrance: bool
) -> None:
    chosen = OPEN if entrance else ALONE
    headers = [*((b"host", host) for host in hosts), *((b"origin", origin) for origin in origins)]
    headers.append((b"authorization", b"Bearer " + TOKEN.encode()))
    status, _ = asked(Guard(echo, chosen), *headers, path="/" + path)
    assert status in (200, 400, 403, 421)
    if status == 200:
        (host,) = hosts
        name = urlsplit(b"//" + host).hostname.decode()  # type: ignore[union-attr]
        assert (
            name in chosen.names or (entrance and ipaddress.ip_address(name)) or ipaddress.ip_address(name).is_loopback
        )
        for origin in origins:
            assert urlsplit(origin).hostname == urlsplit(b"//" + host).hostname


@given(st.text(max_size=40))
def test_what_is_read_as_a_host_is_written_as_one(text: str) -> None:
    found = authority(text)
    if found is not None:
        written = f"[{found.name}]" if ":" in found.name else found.name
        assert authority(written if found.port is None else f"{written}:{found.port}") == found


# --------------------------------------------------------------------------------------------------- tokens


def test_without_the_token_there_is_nothing_on_any_route(served: Served) -> None:
    app = application(mcp_server.server(served), OPEN)
    for response in everywhere(app):
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in response.text


@pytest.mark.parametrize(
    "given",
    [
        [b"Bearer wrong-horse-battery"],
        [b"Bearer " + TOKEN.encode() + b"x"],
        [b"Bearer"],
        [b"Bearer "],
        [b""],
        [TOKEN.encode()],
        [b"Basic " + TOKEN.encode()],
        [b"Bearer " + TOKEN.encode().upper()],
        [b"Bearer \xff\xff\xff"],
        [b"Bearer " + TOKEN.encode(), b"Bearer " + TOKEN.encode()],
    ],
)
def test_only_the_token_is_the_token(given: list[bytes]) -> None:
    headers = ((b"host", b"localhost"), *((b"authorization", value) for value in given))
    assert asked(Guard(echo, OPEN), *headers)[0] == 401


def test_a_token_is_honoured_on_this_machine_too(served: Served) -> None:
    entrance = door("localhost", "::1", token=TOKEN, allow_hosts=(), command=COMMAND)
    app = application(mcp_server.server(served), entrance)

    async def run() -> list[int]:
        async with with_clients(app) as client:
            return [(await client.get("/", headers=headers)).status_code for headers in ({}, BEARER)]

    assert asyncio.run(run()) == [401, 200]


def test_wrong_tokens_are_not_looked_at_for_ever() -> None:
    now = 0.0
    app = Guard(echo, OPEN, clock=lambda: now)
    host, right = (b"host", b"localhost"), (b"authorization", b"Bearer " + TOKEN.encode())
    wrong = (b"authorization", b"Bearer wrong-horse-battery")
    statuses = [asked(app, host, wrong)[0] for _ in range(guesses.GUESSES + 2)]
    assert statuses == [401] * guesses.GUESSES + [429] * 2
    assert asked(app, host, right)[0] == 429
    assert asked(app, host, right, client=("10.1.2.4", 5))[0] == 200
    now = guesses.WINDOW
    assert asked(app, host, right)[0] == 200


def test_no_token_at_all_is_no_guess() -> None:
    app = Guard(echo, OPEN)
    for _ in range(guesses.GUESSES + 1):
        assert asked(app, (b"host", b"localhost"))[0] == 401
    assert asked(app, (b"host", b"localhost"), (b"authorization", b"Bearer " + TOKEN.encode()))[0] == 200


def test_a_network_of_ipv6_is_one_client_and_few_are_remembered() -> None:
    wrong = guesses.Guesses(lambda: 0.0)
    for i in range(guesses.GUESSES):
        wrong.wrong(f"2001:db8::{i:x}")
    assert wrong.wait("2001:db8::ffff") == guesses.WINDOW
    assert wrong.wait("2001:db8:0:1::1") == 0
    for i in range(guesses.CLIENTS):
        wrong.wrong(f"10.0.{i // 256}.{i % 256}")
    assert wrong.wait("2001:db8::ffff") == 0


@pytest.mark.parametrize(
    ("host", "address", "token", "names", "error"),
    [
        ("0.0.0.0", "0.0.0.0", None, [], Refused),
        ("::", "::", None, [], Refused),
        ("192.168.1.7", "192.168.1.7", None, [], Refused),
        ("127.0.0.1", "127.0.0.1", None, ["docs.example.com"], Refused),
        ("127.0.0.1", "127.0.0.1", "", [], UsageError),
        ("127.0.0.1", "127.0.0.1", "short", [], UsageError),
        ("127.0.0.1", "127.0.0.1", "with spaces in between", [], UsageError),
        ("127.0.0.1", "127.0.0.1", "a-line-of-its-own\n", [], UsageError),
        ("127.0.0.1", "127.0.0.1", "口令口令口令口令口令口令口令口令", [], UsageError),
        ("0.0.0.0", "0.0.0.0", TOKEN, ["*"], UsageError),
        ("0.0.0.0", "0.0.0.0", TOKEN, ["docs.example.com:80"], UsageError),
        ("0.0.0.0", "0.0.0.0", TOKEN, ["http://docs.example.com"], UsageError),
        ("0.0.0.0", "0.0.0.0", TOKEN, [""], UsageError),
    ],
)
def test_a_door_that_would_not_hold_is_not_built(
    host: str, address: str, token: str | None, names: list[str], error: type[YuanwenError]
) -> None:
    with pytest.raises(error):
        door(host, address, token=token, allow_hosts=names, command=COMMAND)


def test_only_loopback_needs_no_token() -> None:
    for address in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"):
        assert door("localhost", address, token=None, allow_hosts=(), command=COMMAND).token == ""


def test_a_token_is_not_shown_by_accident() -> None:
    assert TOKEN not in repr(OPEN)


# --------------------------------------------------------------------------------------------- sizes, times


def test_a_body_has_its_limit_whether_it_is_announced_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY", 10)
    app, host, chunked = Guard(echo, ALONE), (b"host", b"localhost"), (b"transfer-encoding", b"chunked")
    assert asked(app, host, (b"content-length", b"10"), parts=[b"12345", b"67890"]) == (200, b"1234567890")
    assert asked(app, host, chunked, parts=[b"12345", b"67890"]) == (200, b"1234567890")
    assert asked(app, host, chunked, parts=[b"12345", b"678901", b"unread"])[0] == 413
    for length in (b"11", b"9" * 500):
        assert asked(app, host, (b"content-length", length))[0] == 413
    for length in (b"-1", b"ten", b"1, 1", b""):
        assert asked(app, host, (b"content-length", length))[0] == 400


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_WITHIN", 0.01)
    sent: list[Message] = []

    async def never() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-length", b"5")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "client": None}
    asyncio.run(Guard(echo, ALONE)(scope, never, send))
    assert sent[0]["status"] == 408


def test_what_is_no_http_is_turned_away() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    asyncio.run(Guard(echo, ALONE)({"type": "websocket", "headers": []}, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def listening(client: Any) -> None:
    """Run a client, which is given a port, against a server with our connections in this process."""

    async def run() -> None:
        config = uvicorn.Config(Guard(echo, ALONE), http=Connection, log_config=None, lifespan="off", ws="none")
        server = uvicorn.Server(config)
        loop = asyncio.get_running_loop()
        config.load()
        make = lambda: Connection(config, server.server_state, {})  # noqa: E731
        async with await loop.create_server(make, "127.0.0.1", 0) as listener, asyncio.timeout(30):
            await client(listener.sockets[0].getsockname()[1])

    asyncio.run(run())


def test_a_client_that_does_not_say_what_it_wants_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_WITHIN", 0.05)

    async def client(port: int) -> None:
        for whole, part in ((b"", b""), (b"", b"GET / HTTP/1.1\r\nHost: loc"), (REQUEST, b"GET /")):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(whole)
            if whole:
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            writer.write(part)
            with suppress(ConnectionResetError):
                await reader.read()  # until the other side has let go
            await closed(writer)

    listening(client)


def test_one_client_too_many_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECTIONS", 1)

    async def client(port: int) -> None:
        _, first = await asyncio.open_connection("127.0.0.1", port)
        reader, second = await asyncio.open_connection("127.0.0.1", port)
        assert (await reader.read()).startswith(b"HTTP/1.1 503 ")
        await closed(first)
        await closed(second)

    listening(client)


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
