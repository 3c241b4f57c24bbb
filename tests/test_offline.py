"""Files of every kind are taken in and found without a network, and nothing is left in the home folder. (Fault 34.)"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from every_kind import KINDS, word, write_every_kind

CI = "CI" in os.environ
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is nothing here to watch a process with")

NETWORK = re.compile(r"\b(?:connect|sendto|sendm{1,2}sg)\([^\n]*AF_INET6?\b[^\n]*")
HERE = {kind.name for kind in KINDS if kind.is_here}


class House:
    """A folder with a file of every kind, a place for the library, and a home that is to stay empty."""

    def __init__(self, place: Path) -> None:
        self.docs, self.library, self.home, self.temporary = (
            place / "docs",
            place / "library" / "library.sqlite",
            place / "home",
            place / "tmp",
        )
        for folder in (self.library.parent, self.home, self.temporary):
            folder.mkdir()
        write_every_kind(self.docs)

    def run(self, *args: str | Path, within: tuple[str | Path, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Run the program on the library, within another one."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "YUANWEN_"))}
        environment |= {"HOME": str(self.home), "TMPDIR": str(self.temporary), "PYTHONPATH": os.pathsep.join(sys.path)}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "YUANWEN_LANG": "en"}
        command = [*within, sys.executable, "-m", "yuanwen", "-L", self.library, "--json", *args]
        return subprocess.run(
            [str(part) for part in command], env=environment, capture_output=True, text=True, timeout=600, check=False
        )

    def check(self, done: subprocess.CompletedProcess[str]) -> None:
        """Check that all files were read, and that nothing lies where nothing was told to be put."""
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["indexed"] == len(HERE), done.stdout
        found = json.loads(self.run("search", word("a.docx")).stdout)
        assert [Path(hit["source"]).name for hit in found["hits"]] == ["a.docx"]
        assert os.listdir(self.home) == []
        until = time.monotonic() + 60
        while (left := os.listdir(self.temporary)) and time.monotonic() < until:
            time.sleep(0.1)  # what clears the profile of LibreOffice away outlives the process that started it
        assert left == []
        beside = {path.name.partition("-")[0] for path in self.library.parent.iterdir()}
        assert beside == {self.library.name, f"{self.library.name}.index"}


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.mark.skipif(shutil.which("strace") is None and not CI, reason="strace is not installed")
def test_nothing_is_sent_and_nothing_is_left_behind(house: House, tmp_path: Path) -> None:
    log = tmp_path / "strace.log"
    within = ("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=network", "-o", log)
    done = house.run("add", house.docs, within=within)
    traced = log.read_text(errors="replace") if log.exists() else done.stderr
    if done.returncode and "Operation not permitted" in traced + done.stderr:
        pytest.skip("strace may not trace here")
    assert [call[0] for call in NETWORK.finditer(traced)] == []
    house.check(done)


def test_the_trace_would_show_a_connection(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    log = tmp_path / "strace.log"
    code = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('127.0.0.1', 9))"
    command = [
        "strace",
        "-f",
        "-qq",
        "--seccomp-bpf",
        "-e",
        "trace=network",
        "-o",
        str(log),
        sys.executable,
        "-c",
        code,
    ]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("strace may not trace here")
    assert NETWORK.search(log.read_text())


def test_all_works_where_there_is_no_network_at_all(house: House) -> None:
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("a process may not leave the network here")
    house.check(house.run("add", house.docs, within=("unshare", "-rn")))
