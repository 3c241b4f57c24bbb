"""`yuanwen serve` as a process: where it listens, MCP over HTTP in both eras, what it tells, and how it ends."""

import asyncio
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from commandline import (  # noqa: F401 - fixtures
    POSIX,
    SOURCE,
    documents_fixture,
    made_fixture,
    process,
    surroundings_fixture,
)
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

TOKEN = "correct-horse-battery"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ACCEPT = {"Accept": "application/json, text/event-stream"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
PATIENCE = 60  # seconds for whatever a test waits for
ENDS_WITHIN = 5  # seconds from the signal to the end


@dataclass
class Running:
    """A server process, and what it said when it listened."""

    process: "subprocess.Popen[str]"
    address: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return str(self.address["url"])

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return httpx2.get(self.url + path.lstrip("/"), trust_env=False, **{"headers": self.headers} | options)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> tuple[str, list[dict[str, Any]]]:
        """Have it end, which takes no longer than it may; return the rest of its output, and its journal."""
        began = time.monotonic()
        self.process.send_signal(by)
        out, err = self.process.communicate(timeout=PATIENCE)
        assert time.monotonic() - began < ENDS_WITHIN
        assert self.process.returncode == 0, err
        return out, [json.loads(line) for line in err.splitlines()]


@contextmanager
def serving(*args: str | Path, headers: dict[str, str] | None = None, **environment: str) -> Iterator[Running]:
    """Run `yuanwen serve` on a free port."""
    command = [sys.executable, "-m", "yuanwen", "serve", "--port", "0", "--json", *map(str, args)]
    settings = {"PYTHONPATH": os.pathsep.join([str(SOURCE.parent), os.environ.get("PYTHONPATH", "")])}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    whole = os.environ | settings | environment
    with subprocess.Popen(command, **pipes, env=whole, text=True, encoding="utf-8") as started:  # type: ignore[call-overload]
        watch = threading.Timer(PATIENCE, started.kill)
        watch.start()
        try:
            line = started.stdout.readline()
            watch.cancel()  # from now on it serves for as long as the tests of a file take
            assert line, started.stderr.read()
            yield Running(started, json.loads(line), headers or {})
        finally:
            watch.cancel()
            started.kill()
            started.communicate()


@pytest.fixture(scope="module", name="server")
def server_fixture(made: Path) -> Iterator[Running]:
    """A server of the made library with a token, for all tests that only ask."""
    with serving("-L", made, headers=BEARER, YUANWEN_TOKEN=TOKEN) as running:
        yield running


@asynccontextmanager
async def connected(server: Running, mode: str) -> AsyncIterator[Client]:
    """Connect the official client."""
    async with (
        httpx2.AsyncClient(headers=server.headers, trust_env=False, timeout=PATIENCE) as http,
        Client(streamable_http_client(server.address["mcp"], http_client=http), mode=mode) as client,
    ):
        yield client


def text(result: CallToolResult) -> str:
    """Return what a tool said."""
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


# ---------------------------------------------------------------------------------------------- the address


def test_it_says_where_it_listens(server: Running) -> None:
    port = server.address["port"]
    assert server.address == {
        "url": f"http://127.0.0.1:{port}/",
        "mcp": f"http://127.0.0.1:{port}/mcp",
        "port": port,
        "pid": server.process.pid,
    }
    page = server.get("/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert "/mcp" in page.text
    assert server.get("/api/v1/healthz").json()["status"] == "ok"


def test_people_get_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "yuanwen", "serve", "--port", "0", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        line = started.stdout.readline()
        started.send_signal(signal.SIGTERM)
        out, err = started.communicate(timeout=PATIENCE)
    assert re.fullmatch(r"Serving at (http://127\.0\.0\.1:\d+/), MCP at \1mcp\n", line)
    assert (started.returncode, out, err) == (0, "", "")


def test_it_listens_on_this_machine_alone(server: Running) -> None:
    with socket.socket() as other, pytest.raises(OSError):
        other.settimeout(PATIENCE)
        other.connect(("127.0.0.2" if sys.platform == "linux" else socket.gethostname(), server.address["port"]))


def test_a_port_that_is_taken_is_named(server: Running) -> None:
    port = str(server.address["port"])
    done = process("serve", "--port", port)
    assert (done.returncode, done.stdout) == (4, b"")
    assert done.stderr.decode() == (
        f"yuanwen: port {port} of 127.0.0.1 is taken."
        " Stop what uses it, or take another: --port 0 takes one that is free.\n"
    )


@pytest.mark.parametrize(
    "place", [["--host", "192.0.2.1"], ["--host", "no.such.invalid"], ["--host", ""], ["--port", "65536"]]
)
def test_an_address_that_cannot_be_is_wrong_use(place: list[str]) -> None:
    done = process("serve", *place, YUANWEN_TOKEN=TOKEN)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_with_others_a_token_is_needed_and_one_is_offered() -> None:
    done = process("serve", "--host", "0.0.0.0", "--port", "0", "--json")
    assert done.returncode == 5
    assert done.stderr.count(b"\n") == 1
    offered = re.search(rb"Run yuanwen serve (.*) --token ([\w-]{40,}) \(", done.stderr)
    assert offered
    token = offered[2].decode()
    with serving(
        *shlex.split(offered[1].decode()), "--token", token, headers={"Authorization": f"Bearer {token}"}
    ) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert server.get("/").status_code == 200
        assert server.get("/", headers={}).status_code == 401
        assert server.get("/nothing", headers={}).status_code == 401
        assert server.get("/", headers={"Authorization": "Bearer another-horse-battery"}).status_code == 401
        assert server.get("/", headers={"Host": "evil.example", **server.headers}).status_code == 421
        assert server.get("/", headers={"Host": socket.gethostname(), **server.headers}).status_code == 200
        server.stop()


@pytest.mark.parametrize("token", ["short", "口令口令口令口令口令口令口令口令", "two words are not one", ""])
def test_a_token_that_is_none_is_wrong_use(token: str) -> None:
    done = process("serve", "--token", token)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"yuanwen: a token has 16 to 512 ")


# ------------------------------------------------------------------------------------------------------ MCP


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_assistant_searches_in_both_eras(server: Running, mode: str) -> None:
    async def run() -> None:
        async with connected(server, mode) as client:
            assert {"search", "fetch", "verify", "sources"} == {each.name for each in (await client.list_tools()).tools}
            found = await client.call_tool("search", {"query": "缓存穿透"})
            assert "缓存穿透是指查询一个一定不存在的数据" in text(found)

    asyncio.run(run())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_eight_assistants_are_served_at_once(server: Running, mode: str) -> None:
    async def one(number: int) -> list[str]:
        async with connected(server, mode) as client:
            return [text(await client.call_tool("search", {"query": f"缓存 {number}{i}"})) for i in range(3)]

    async def run() -> list[list[str]]:
        return await asyncio.gather(*map(one, range(8)))

    for answers in asyncio.run(run()):
        assert all("缓存" in answer for answer in answers)


def test_an_assistant_without_the_token_is_not_served(server: Running) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong-horse-battery"}):
        answer = httpx2.post(server.address["mcp"], json=HELLO, headers=ACCEPT | headers, trust_env=False)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/", "/mcp", "/api/v1/healthz", "/nothing"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_other_sites_get_nowhere(server: Running, path: str, headers: dict[str, str], status: int) -> None:
    for method in ("GET", "POST", "OPTIONS", "PROPFIND"):
        url = server.url + path[1:]
        answer = httpx2.request(method, url, headers=BEARER | headers, json=HELLO, trust_env=False)
        assert answer.status_code == status
        assert answer.json()["status"] == status


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_what_no_client_sends_is_refused(server: Running, request_: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.address["port"]), timeout=PATIENCE) as raw:
        raw.sendall(request_)
        status = raw.recv(100).split()[1]
    assert status in (b"400", b"421")


def test_a_request_that_is_too_long_is_refused(server: Running) -> None:
    async def in_parts() -> AsyncIterator[bytes]:
        for _ in range(5):
            yield b"x" * 1024 * 1024

    async def run() -> int:
        async with httpx2.AsyncClient(headers=server.headers, trust_env=False) as client:
            return (await client.post(server.address["mcp"], content=in_parts())).status_code

    assert asyncio.run(run()) == 413
    assert server.get("/").status_code == 200


def test_a_library_that_is_not_there_yet_is_served_once_it_is(tmp_path: Path, documents: Path) -> None:
    path = tmp_path / "later" / "library.sqlite"

    async def search(server: Running) -> CallToolResult:
        async with connected(server, "auto") as client:
            return await client.call_tool("search", {"query": "缓存穿透"})

    with serving("-L", path) as server:
        nothing = asyncio.run(search(server))
        assert nothing.is_error
        assert "add FOLDER" in text(nothing)
        assert not path.parent.exists()
        assert process("-L", path, "add", documents).returncode == 0
        assert "一定不存在的数据" in text(asyncio.run(search(server)))
        server.stop()


def test_nothing_can_be_changed_unless_it_is_allowed(tmp_path: Path) -> None:
    async def tools(server: Running) -> set[str]:
        async with connected(server, "auto") as client:
            return {each.name for each in (await client.list_tools()).tools}

    writing = {"add_note", "sync"}
    with serving("-L", tmp_path / "a.sqlite") as server:
        assert not asyncio.run(tools(server)) & writing
    with serving("-L", tmp_path / "a.sqlite", "--allow-write") as server:
        assert asyncio.run(tools(server)) >= writing


# --------------------------------------------------------------------------------------------- its journal


def test_the_journal_tells_what_was_asked_but_not_what_was_said(made: Path) -> None:
    async def run(server: Running) -> None:
        async with connected(server, "legacy") as client:
            await client.call_tool("search", {"query": "缓存穿透 secret-query"})
            await client.call_tool("fetch", {"id": "secret-id"})
        async with httpx2.AsyncClient(headers=server.headers, trust_env=False) as http:
            await http.get(server.url + "nothing?q=secret-parameter", headers={"Cookie": "secret-cookie"})
            await http.post(server.address["mcp"], content=b'{"secret-body": ', headers=ACCEPT)
            await http.get(server.url + "%0A%1B%5B31mforged%E2%80%AE")

    with serving("-L", made, "--token", TOKEN, headers=BEARER) as server:
        asyncio.run(run(server))
        out, journal = server.stop()
    assert out == ""
    assert {(line["method"], line["path"], line["status"]) for line in journal} >= {
        ("POST", "/mcp", 200),
        ("DELETE", "/mcp", 200),
        ("GET", "/nothing", 404),
        ("GET", "/\n\x1b[31mforged\u202e", 404),
    }
    assert all(set(line) == {"at", "method", "path", "status", "ms"} for line in journal)
    written = json.dumps(journal, ensure_ascii=False)
    assert not [word for word in ("secret", "缓存", "一定不存在", TOKEN) if word in written]


# ------------------------------------------------------------------------------------------------- its end


@pytest.mark.skipif(not POSIX, reason="other systems have no such signals")
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_while_a_stream_is_open(tmp_path: Path, documents: Path, by: signal.Signals) -> None:
    path = tmp_path / "library.sqlite"
    assert process("-L", path, "add", documents).returncode == 0

    async def run(server: Running) -> tuple[str, list[dict[str, Any]]]:
        async with httpx2.AsyncClient(headers=ACCEPT, trust_env=False, timeout=PATIENCE) as http:
            session = (await http.post(server.address["mcp"], json=HELLO)).headers["mcp-session-id"]
            async with http.stream("GET", server.address["mcp"], headers={"Mcp-Session-Id": session}) as stream:
                assert stream.status_code == 200
                ended = asyncio.create_task(asyncio.to_thread(server.stop, by))
                assert [line async for line in stream.aiter_lines() if line and not line.startswith(":")] == []
                return await ended

    with serving("-L", path) as server:
        asyncio.run(run_search(server))
        out, journal = asyncio.run(run(server))
    assert out == ""
    assert [line for line in journal if "level" in line] == []
    assert not path.with_name("library.sqlite-wal").exists()  # so it was closed


async def run_search(server: Running) -> None:
    async with connected(server, "auto") as client:
        assert not (await client.call_tool("search", {"query": "缓存"})).is_error


@pytest.mark.skipif(not POSIX, reason="other systems have no such signals")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_it_ends_while_a_call_is_at_work_and_the_library_is_whole(tmp_path: Path, mode: str) -> None:
    path, folder = tmp_path / "library.sqlite", tmp_path / "docs"
    folder.mkdir()
    assert process("-L", path, "add", folder).returncode == 0
    for number in range(600):
        (folder / f"{number}.md").write_text(f"# 第 {number} 篇\n\n" + "证据不足，不予放行。" * 200, encoding="utf-8")

    async def run(server: Running) -> None:
        seen = asyncio.Event()

        async def noted(progress: float, total: float | None, message: str | None) -> None:
            seen.set()

        async with connected(server, mode) as client:
            call = asyncio.create_task(client.call_tool("sync", {}, progress_callback=noted))
            async with asyncio.timeout(PATIENCE):
                await seen.wait()
            await asyncio.to_thread(server.stop)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)

    with serving("-L", path, "--allow-write") as server:
        try:
            asyncio.run(run(server))
        except* httpx2.ConnectError:
            pass  # the client takes its leave of a server that has ended
    assert process("-L", path, "sync").returncode == 0
    checked = process("-L", path, "check")
    assert checked.returncode == 0, checked.stdout


def test_what_cannot_be_stopped_is_left() -> None:
    stuck = "import time; from yuanwen.web import serving; serving.STOP_WITHIN = 0.1\n"
    stuck += "with serving._Deadline() as deadline: deadline.start(); deadline.start(); time.sleep(600)"
    done = subprocess.run([sys.executable, "-c", stuck], timeout=PATIENCE, check=False, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"")
