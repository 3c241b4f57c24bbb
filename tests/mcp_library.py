"""What the tests of the MCP server share: a library that is the same on every machine, and a client of bytes."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from yuanwen import Library

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # of the protocol, before it lost its handshake
PATIENCE = 30.0  # seconds that anything may take
AT = 1_764_547_200  # 2025-12-01, the time of every file

LAW = "劳动手册"
HANDBOOK = (
    ("P001", "解除合同", "第三十八条 用人单位未按照劳动合同约定提供劳动保护的，劳动者可以解除劳动合同。"),
    ("P002", "远程办公", "员工每周远程办公不超过两天。连续五天以上的，由部门负责人批准。"),
    ("P003", "补贴", "远程办公当天的餐补为三十元，随工资发放，不另行报销。"),
    ("P004", "证据", "证据不足的问题不下结论。没有读过的条款不得引用。"),
    ("P005", "Refunds", "A refund is paid within fourteen days of the request, in the currency of the payment."),
)


def make(folder: Path) -> Path:
    """Make a library of records in a folder that is empty; return its file. Nothing in it depends on the machine."""
    records = folder / "records.jsonl"
    lines = [
        {
            "id": id,
            "title": title,
            "source": LAW,
            "paragraph": number,
            "body": body,
            "tags": ["制度"],
            "date": "2026-03-01",
        }
        for number, (id, title, body) in enumerate(HANDBOOK, 1)
    ]
    records.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines), encoding="utf-8")
    os.utime(records, (AT, AT))
    path = folder / "library.sqlite"
    with Library.open(path) as library:
        library.add(records)
    return path


def command(library: Path, *options: str) -> list[str]:
    """Return how a client starts the server."""
    return [sys.executable, "-m", "yuanwen", "-L", str(library), "mcp", *options]


def surroundings(**others: str) -> dict[str, str]:
    """Return the environment of a server."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "YUANWEN_LANG": "en"} | others


class Wire:
    """A server over stdio, and a client of it that writes and reads lines of bytes. Use it as a context manager."""

    def __init__(self, library: Path, *options: str, **environment: str) -> None:
        pipe = subprocess.PIPE
        env = surroundings(**environment)
        self.process = subprocess.Popen(command(library, *options), stdin=pipe, stdout=pipe, stderr=pipe, env=env)
        self._rest = b""
        self._id = 0

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for each in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(OSError):  # what was not sent any more
                each.close()  # type: ignore[union-attr]

    def write(self, line: bytes) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def read(self) -> bytes:
        """Return the next line, or what there is of it where the server ended."""
        assert self.process.stdout is not None
        until = time.monotonic() + PATIENCE
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))
            assert ready, f"nothing came but {self._rest[-300:]!r}"
            part = os.read(self.process.stdout.fileno(), 65536)
            if not part:
                break
            self._rest += part
        end = self._rest.find(b"\n") + 1 or len(self._rest)
        line, self._rest = self._rest[:end], self._rest[end:]
        return line

    def message(self) -> Any:
        """Return the next message."""
        return json.loads(self.read())

    def ask(self, method: str, **params: Any) -> Any:
        """Return the answer to a request."""
        self._id += 1
        asked = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        self.write(json.dumps(asked).encode() + b"\n")
        while (answer := self.message()).get("id") != self._id:
            assert "method" in answer, answer
        return answer

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return the result of a tool."""
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def greet(self, version: str = "2025-06-18") -> Any:
        """Shake hands; return what the server says of itself."""
        me = {"name": "test", "version": "1"}
        answer = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=me)
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return answer["result"]

    def end(self) -> tuple[int, bytes, str]:
        """Hang up; return the exit status, what else came, and what the server said on stderr."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, self._rest + out, err.decode()


@contextmanager
def over_http(library: Path) -> Iterator[str]:
    """Serve a library on a free port; yield the address of its MCP server."""
    start = [sys.executable, "-m", "yuanwen", "-L", str(library), "--json", "serve", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(start, stdout=pipe, stderr=subprocess.DEVNULL, env=surroundings()) as server:
        assert server.stdout is not None
        ready, _, _ = select.select([server.stdout], [], [], PATIENCE)
        try:
            assert ready, "it does not say where it listens"
            yield json.loads(server.stdout.readline())["mcp"]
        finally:
            server.terminate()
            try:
                server.wait(PATIENCE)
            finally:
                server.kill()
