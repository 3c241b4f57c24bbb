"""Nothing is lost when the process is killed: at any moment of `add` or `sync`, the library stays sound.

The children are forked from a nursery, a process that has imported everything and does nothing else. Run as a
script, this file is the nursery.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from yuanwen import Library
from yuanwen.errors import Busy

ROUNDS = 100  # kills, for each kind of index
FILES = 40

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")


def nursery() -> None:
    """Fork a child for each line on stdin, `VERB LIBRARY FOLDER SECONDS`, kill it after that long (never, if it is
    0), and print how it ended."""
    import yuanwen.extract.markdown
    import yuanwen.extract.text
    import yuanwen.index.fts5
    import yuanwen.index.tantivy
    import yuanwen.ingest
    import yuanwen.upkeep  # noqa: F401

    for line in sys.stdin:
        verb, library, folder, seconds = line.split()
        child = os.fork()
        if not child:
            status = 70
            try:
                work(verb, Path(library), Path(folder))
                status = 0
            except Busy:
                status = 4
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
            finally:
                os._exit(status)
        if float(seconds):
            time.sleep(float(seconds))
            os.kill(child, signal.SIGKILL)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def work(verb: str, library: Path, folder: Path) -> None:
    with Library.open(library) as opened:
        if verb == "add":
            opened.add(folder)
        elif verb == "sync":
            opened.sync()
        else:
            opened.compact(drop_old=True)


class Nursery:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def run(self, verb: str, library: Path, folder: Path, *, kill_after: float = 0.0) -> int:
        """Run a verb in a child, kill it after some seconds, and return how it ended."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(verb, library, folder, kill_after, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())


@contextmanager
def started() -> Iterator[Nursery]:
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    try:
        yield Nursery(process)
    finally:
        process.communicate(timeout=30)


def evolve(folder: Path, chance: random.Random, step: int) -> None:
    """Change, delete and create a few of the files."""
    folder.mkdir(exist_ok=True)
    for number in range(FILES) if step == 0 else chance.sample(range(FILES), 12):
        path = folder / f"{number}.md"
        if step and chance.random() < 0.2 and len(list(folder.iterdir())) > FILES // 2:
            path.unlink(missing_ok=True)
            continue
        text = f"# 文件{number}\n\n第{step}次的证据，号码{number}号。\n\n" + f"## 节\n\n文件{number}的话。" * 40
        path.write_text(f"{text}\n\n末尾{step}之{number}\n", encoding="utf-8")
        at = 1_700_000_000 + step * 1000 + number
        os.utime(path, (at, at))


def check_all(library: Path, folder: Path) -> None:
    """See that a library is sound and serves every file as it is, and no other."""
    with Library.open(library, create=False) as opened:
        assert not opened.search("证据", mode="exact", limit=1).notes
        assert not opened.check().problems
        hits = opened.search("次的证据，号码", mode="exact", limit=1000).hits
        assert {Path(hit.source).name for hit in hits} == {path.name for path in folder.iterdir()}
        assert {hit.state for hit in hits} == {"current"} and len(hits) == len(list(folder.iterdir()))
        ends = opened.search("末尾", mode="exact", limit=1000).hits
        assert len(ends) == len(hits)


@pytest.mark.parametrize("verbs", [("add", "sync"), ("sync", "add", "compact")], ids=" ".join)
def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path, kind: str, verbs: tuple[str, ...]) -> None:
    chance = random.Random(f"{kind} {verbs}")
    folder, library = tmp_path / "docs", tmp_path / "library.sqlite"
    killed = 0
    with started() as nursery:
        for step in range(ROUNDS // 2):
            if step % 20 == 0:  # the first run of all is killed as well
                library.unlink(missing_ok=True)
                for rest in tmp_path.glob("library.sqlite*"):
                    shutil.rmtree(rest) if rest.is_dir() else rest.unlink()
                Library.open(library, index=kind).close()
            evolve(folder, chance, step)
            verb = "add" if step % 20 == 0 else chance.choice(verbs)
            longest = 0.35 if step % 20 == 0 else 0.12
            status = nursery.run(verb, library, folder, kill_after=chance.uniform(0.001, longest))
            assert status in (0, -signal.SIGKILL)
            killed += status != 0
            with Library.open(library, create=False) as opened:
                notes = opened.search("证据", mode="exact", limit=1).notes
                assert not opened.check().problems and not notes, (step, verb, notes)
            if step % 5 == 4:
                assert nursery.run("add", library, folder) == 0
                check_all(library, folder)
    assert killed > ROUNDS // 4


def test_an_import_that_was_killed_goes_on_where_it_was(tmp_path: Path, kind: str) -> None:
    """Fault 25: an import can be resumed."""
    folder, library = tmp_path / "docs", tmp_path / "library.sqlite"
    evolve(folder, random.Random(1), 0)
    Library.open(library, index=kind).close()
    with started() as nursery:
        for step in range(100):
            if nursery.run("add", library, folder, kill_after=0.02 * 1.15**step) == 0:
                break
    with Library.open(library) as opened:
        report = opened.add(folder)
        assert report.files == FILES and report.unchanged == FILES
    check_all(library, folder)


if __name__ == "__main__":
    nursery()
