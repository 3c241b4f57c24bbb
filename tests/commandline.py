"""What the tests of the command line share: a library of a few documents, and ways to run the program.

A test file imports the fixtures that it uses by the names they have here.
"""

import hashlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import yuanwen
from yuanwen.cli import app
from yuanwen.library import Library

SOURCE = Path(inspect.getfile(yuanwen)).parent
FILES = Path(__file__).parents[2] / "shared" / "corpus" / "files"
POSIX = os.name == "posix"

HANDBOOK = """# 缓存手册

## 缓存穿透

缓存穿透是指查询一个一定不存在的数据，于是每次请求都会打到数据库上。

## 缓存雪崩

大量的键在同一时刻过期。证据不足的请求不予放行。
"""
HOSTILE = "evil \x1b[31mred\x1b[0m \x1b]0;title\x07 bell\a c1 \x9b31m \u202e 恶意\n"
RECORD = {
    "id": "P001",
    "title": "劳动合同法",
    "source": "劳动合同法",
    "paragraph": 38,
    "body": "第三十八条 用人单位有下列情形之一的，劳动者可以解除劳动合同。",
}

Result = tuple[int, str, str]
Call = Callable[..., Result]


@pytest.fixture(scope="module", name="documents")
def documents_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files of four kinds, one of them damaged."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "hostile.txt").write_text(HOSTILE, encoding="utf-8")
    (folder / "law.jsonl").write_text(json.dumps(RECORD, ensure_ascii=False), encoding="utf-8")
    (folder / "scan.pdf").write_bytes(b"%PDF-1.7 nothing to read")
    return folder


@pytest.fixture(scope="module", name="made")
def made_fixture(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the documents, which tests only read."""
    path = tmp_path_factory.mktemp("made") / "library.sqlite"
    with Library.open(path) as library:
        library.add(documents, tags=["工作"])
    return path


@pytest.fixture(autouse=True, name="surroundings")
def surroundings_fixture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: Path) -> None:
    """English, the made library, and an empty folder to work in."""
    for name in ("LC_ALL", "LC_MESSAGES", "NO_COLOR", "COLUMNS", "YUANWEN_LIBRARY", "PYTHONUNBUFFERED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("YUANWEN_LANG", "en")
    monkeypatch.setenv("YUANWEN_LIBRARY", str(made))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE.parent), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(name="call")
def call_fixture(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the program in this process; return its exit status, stdout and stderr."""

    def run(*args: str | Path) -> Result:
        status = app.run([str(arg) for arg in args])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def process(*args: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a process of its own."""
    command = [sys.executable, "-m", "yuanwen", *map(str, args)]
    return subprocess.run(command, capture_output=True, env=os.environ | environment, check=False)


def piped(line: str, *args: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Run the program with a line on its standard input."""
    command = [sys.executable, "-m", "yuanwen", *map(str, args)]
    return subprocess.run(command, capture_output=True, input=line.encode(), check=False)


def on_a_terminal(*args: str | Path, columns: int = 80, password: str = "", **environment: str) -> str:
    """Run the program on a terminal of its own, and type the password it asks for; return all that it printed there."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    settings = {"COLUMNS": str(columns), "TERM": "xterm-256color"} | environment
    command = [sys.executable, "-m", "yuanwen", *map(str, args)]
    streams = {"stdin": slave, "stdout": slave, "stderr": slave}
    with subprocess.Popen(command, **streams, env=os.environ | settings, start_new_session=True) as running:
        os.close(slave)
        printed = b""
        try:
            while part := os.read(master, 65536):
                printed += part
                if password and printed.endswith((b"Password: ", "密码：".encode())):
                    os.write(master, password.encode() + b"\n")
        except OSError:
            pass  # the other side is closed
        running.wait(timeout=60)
    os.close(master)
    return printed.decode("utf-8").replace("\r\n", "\n")


def names_of(kind: Any) -> list[str]:
    """Return the names of the fields of a dataclass, in order."""
    return [each.name for each in fields(kind)]


def digests(folder: Path) -> dict[str, str]:
    """Return the hash of every file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
