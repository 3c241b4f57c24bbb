"""The wire between a client and `yuanwen mcp`: nothing but protocol on it, whatever comes over it, and how it ends."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import write
from mcp_library import HANDBOOK, PATIENCE, Wire, command, make, surroundings

from yuanwen import Library
from yuanwen.mcp_server.stdio import LAST_WORDS, LONGEST

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
FILES = 200
NOISE = """
import atexit, os, sys

LOUD = {"mcp", "mcp_types", "anyio", "pydantic", "apsw", "tantivy", "selectolax"}

class Loud:
    def find_spec(self, name, path=None, target=None):
        if name in LOUD:
            print("printed while", name, "was loaded")
            print("and flushed", flush=True)
            sys.stdout.write("no end of line")
            sys.__stdout__.write("past every redirection")
            os.write(1, b"written by a library in C\\n")

sys.meta_path.insert(0, Loud())
if "mcp" in sys.orig_argv:
    atexit.register(print, "printed at the end")
"""


@pytest.fixture(scope="module", name="library")
def library_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("library"))


@pytest.fixture(name="growing")
def growing_fixture(tmp_path: Path) -> Path:
    """A library whose folder has many files that it does not know yet."""
    folder, path = tmp_path / "docs", tmp_path / "library.sqlite"
    write(folder / "first.md", "# 第一\n\n最早的一份文件。\n")
    with Library.open(path) as library:
        library.add(folder)
    for number in range(FILES):
        write(folder / f"{number}.md", f"# 文件{number}\n\n第{number}份文件的正文。\n")
    return path


def call(id: int, tool: str, _meta: Any = None, **arguments: Any) -> bytes:
    """Return the line that calls a tool."""
    params = {"name": tool, "arguments": arguments} | ({"_meta": _meta} if _meta else {})
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).encode() + b"\n"


def at_work(wire: Wire) -> None:
    """Have the server begin with a long sync; return once it is at work."""
    wire.greet()
    wire.write(call(900, "sync", _meta={"progressToken": "p"}))
    while wire.message()["params"]["progress"] < 1:
        pass


def text(answer: Any) -> str:
    return str(answer["result"]["content"][0]["text"])


# -------------------------------------------------------------------------------- nothing but protocol


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_nothing_but_protocol_comes_whatever_is_printed(growing: Path, tmp_path: Path, unbuffered: str) -> None:
    """Fault 28. The server and the processes that read files for it print at every turn."""
    noise = tmp_path / "noise"
    write(tmp_path / "docs" / "page.html", "<h1>网页</h1><p>要用别的库来读。</p>")
    write(noise / "sitecustomize.py", NOISE)
    paths = os.pathsep.join([str(noise), surroundings()["PYTHONPATH"]])
    with Wire(growing, "--allow-write", PYTHONPATH=paths, PYTHONUNBUFFERED=unbuffered) as wire:
        wire.greet()
        assert wire.call("sync")["structuredContent"]["indexed"] == FILES + 1
        assert wire.call("search", query="最早的一份")["structuredContent"]["found"] == 1
        status, rest, said = wire.end()
    assert (status, rest) == (0, b"")
    assert "written by a library in C" in said and "printed while mcp was loaded" in said


# ------------------------------------------------------------------------------ whatever comes over it

DEEP = b"[" * 100_000 + b"]" * 100_000
UNREADABLE = {
    "no JSON": b"{nonsense\n",
    "half of a message": b'{"jsonrpc":"2.0","id":5,"method":"pi\n',
    "too deep": b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":' + DEEP + b"}}\n",
    "too long": b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"' + b"x" * LONGEST + b'"}}\n',
    "a number of 5,000 digits": b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":' + b"9" * 5000 + b"}}\n",
    "bytes": bytes(range(11, 256)) + b"\n",
    "a list": b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]\n',
    "a string": b'"ping"\n',
    "an object": b"{}\n",
}


@pytest.fixture(scope="module", name="open_wire")
def open_wire_fixture(library: Path) -> Any:
    """A wire that every bad line goes over, one after the other."""
    with Wire(library) as wire:
        wire.greet()
        yield wire
        status, rest, said = wire.end()
    assert (status, rest, said) == (0, b"", "")


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_line_that_is_no_message_is_answered_and_the_server_goes_on(open_wire: Wire, name: str) -> None:
    open_wire.write(UNREADABLE[name])
    answer = open_wire.message()
    assert answer["id"] is None and answer["error"]["code"] in (-32700, -32600)
    assert "Traceback" not in json.dumps(answer) and "/" not in answer["error"]["message"]
    assert open_wire.ask("ping") | {"id": 0} == {"jsonrpc": "2.0", "id": 0, "result": {}}


def test_a_message_with_an_id_is_answered_under_it(open_wire: Wire) -> None:
    """Half characters stand in JSON as escapes; bytes may be no UTF-8; a client would wait for ever."""
    for line in (
        b'{"jsonrpc":"1.0","id":"x1","method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"tools/call","params":{"name":"search","arguments":{"query":"\\ud800"}}}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"tools/call","params":{"name":"search","arguments":{"\\udc00":1}}}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"tools/call","params":{"name":"\\ud800","arguments":{}}}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"tools/call","params":{"name":"search","arguments":{"query":"\xff\xfe"}}}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"tools/call","params":{"name":"search","arguments":[1]}}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"tools/call","params":{"name":7}}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"resources/read","params":{"uri":"\\ud800"}}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"prompts/get","params":{"name":"\\ud800"}}\n',
        b'{"jsonrpc":"2.0","id":"x1","method":"no/such"}\n',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"x1","method":"ping"}\r\n',
        b'\n{"jsonrpc":"2.0","id":"x1","method":"ping"}\n',
    ):
        open_wire.write(line)
        answer = open_wire.message()
        assert answer["id"] == "x1", line
        assert "Traceback" not in json.dumps(answer), line


def test_whatever_a_client_gives_up_the_server_goes_on(library: Path) -> None:
    with Wire(library) as wire:
        wire.greet()
        ids: list[Any] = [[1], {}, None, 1.5, True, "x"]
        for id in ids:
            given_up = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
            wire.write(json.dumps(given_up).encode() + b"\n")
            assert wire.ask("ping")["result"] == {}


def test_a_long_argument_is_taken_or_refused_but_answered(open_wire: Wire) -> None:
    for arguments in ({"query": "证据" * 100_000}, {"query": "证据", "tags": ["a"] * 20_000}):
        result = open_wire.call("search", **arguments)
        assert len(json.dumps(result, ensure_ascii=False)) < 20_000
    result = open_wire.call("verify", answer="每周不超过两天。" * 1_000)
    assert len(json.dumps(result, ensure_ascii=False)) < 20_000


def test_a_line_is_one_however_a_client_tells_its_end(library: Path) -> None:
    with Wire(library) as wire:
        wire.greet()
        wire.write(call(7, "search", query="a\u2028b\u2029c\x85d", mode="exact"))
        _, rest, _ = wire.end()
    (line,) = rest.decode().splitlines()
    assert json.loads(line)["result"]["structuredContent"]["query"] == "a\u2028b\u2029c\x85d"


def test_a_client_that_asked_for_the_newest_protocol_may_still_shake_hands(library: Path) -> None:
    """The server was slow to start, and the client took it for an older one; its second try is in the pipe."""
    with Wire(library) as wire:
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        wire.write(
            json.dumps({"jsonrpc": "2.0", "id": "d", "method": "server/discover", "params": {"_meta": meta}}).encode()
        )
        wire.write(b'\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"d"}}\n')
        me = {"name": "test", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me}
        wire.write(json.dumps({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": hello}).encode() + b"\n")
        while (answer := wire.message())["id"] != "i":
            assert answer["id"] == "d"
        assert answer["result"]["protocolVersion"] == "2025-11-25"
        wire.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        assert BODY in wire.call("search", query="远程办公")["content"][0]["text"]


BODY = HANDBOOK[1][2]

# --------------------------------------------------------------------------------------- how it ends


def alive(process: int) -> bool:
    """Return whether a process is there, and not just waits to be fetched."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(process: int) -> list[int]:
    """Return the processes that one started, and those that these started."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(each.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == process:
            found += [int(each.parent.name), *children(int(each.parent.name))]
    return found


def gone(processes: list[int]) -> bool:
    """Return whether processes end, soon."""
    until = time.monotonic() + PATIENCE
    while any(alive(each) for each in processes):
        if time.monotonic() > until:
            return False
        os.sched_yield()
    return True


def test_a_client_may_say_all_that_it_wants_and_hang_up(library: Path) -> None:
    said = b"".join(call(id, "search", query="远程办公") for id in range(1, 9))
    with Wire(library) as wire:
        wire.greet()
        wire.write(said)
        status, rest, _ = wire.end()
    answers = [json.loads(line) for line in rest.splitlines()]
    assert status == 0
    assert sorted(each["id"] for each in answers) == list(range(1, 9))
    assert all(each["result"]["structuredContent"]["found"] for each in answers)


def test_it_ends_when_the_client_hangs_up(library: Path) -> None:
    with Wire(library) as wire:
        wire.greet()
        began = time.monotonic()
        assert wire.end() == (0, b"", "")
        assert time.monotonic() - began < LAST_WORDS


def test_a_client_that_never_says_anything_leaves_nothing_behind(library: Path) -> None:
    with Wire(library) as wire:
        assert wire.end() == (0, b"", "")


def hang_up(wire: Wire) -> None:
    assert wire.process.stdin is not None
    wire.process.stdin.close()


def stop_reading(wire: Wire) -> None:
    assert wire.process.stdout is not None
    wire.process.stdout.close()
    try:
        for id in range(1000, 1010):
            wire.write(call(id, "search", query="第一"))
    except OSError:
        pass  # it has ended


@linux
@pytest.mark.parametrize(
    ("end", "status"),
    [
        (hang_up, 0),
        (stop_reading, 0),
        (lambda wire: wire.process.send_signal(signal.SIGINT), 130),
        (lambda wire: wire.process.terminate(), -signal.SIGTERM),
        (lambda wire: wire.process.kill(), -signal.SIGKILL),
    ],
    ids=["hangs up", "reads no more", "interrupt", "terminate", "kill"],
)
def test_nothing_is_left_however_it_ends(growing: Path, end: Callable[[Wire], None], status: int) -> None:
    """It is at work, with processes of its own that read files; the library is whole afterwards."""
    with Wire(growing, "--allow-write") as wire:
        at_work(wire)
        others = children(wire.process.pid)
        assert others
        end(wire)
        assert wire.process.wait(PATIENCE) == status
        assert gone(others)
        assert wire.process.stderr is not None and b"Traceback" not in wire.process.stderr.read()
    with Library.open(growing) as library:
        assert library.sync().indexed < FILES
        assert not library.check().problems


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize(("closed", "answers"), [("<&-", 0), (">&-", 0), ("2>&-", 1)])
def test_a_stream_that_is_closed_is_one_to_nowhere(library: Path, closed: str, answers: int) -> None:
    run = f"{shlex.join(command(library))} {closed}"
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = subprocess.run(["sh", "-c", run], input=ping, capture_output=True, timeout=PATIENCE, env=surroundings())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b'"result":{}') == answers


@linux
def test_it_ends_with_its_client_though_another_process_holds_the_wire(growing: Path) -> None:
    """A client that is killed cannot hang up, and what it started may have its end of the pipe."""
    reader, writer = os.pipe()
    replies, ours = os.pipe()
    client = (
        "import subprocess, sys, signal; reader, replies = map(int, sys.argv[1:3])\n"
        "server = subprocess.Popen(sys.argv[3:], stdin=reader, stdout=replies)\n"
        "print(server.pid, flush=True); signal.pause()"
    )
    run = [sys.executable, "-c", client, str(reader), str(ours), *command(growing, "--allow-write")]
    with subprocess.Popen(run, pass_fds=[reader, ours], stdout=subprocess.PIPE, env=surroundings()) as started:
        os.close(reader)
        os.close(ours)
        assert started.stdout is not None
        server = int(started.stdout.readline())
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        os.write(
            writer, json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode() + b"\n"
        )
        os.write(writer, call(1, "sync", _meta={"progressToken": "p"}))
        said = b""
        while b'"progress":' not in said:
            said += os.read(replies, 65536)
        others = [server, *children(server)]
        started.kill()
    assert gone(others)
    os.close(writer)
    os.close(replies)
