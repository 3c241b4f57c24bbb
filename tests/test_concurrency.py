"""Two writers and four readers on one library, as real processes: no error but Busy, and no half of a file.

Run as a script with a role, this file is one of them.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from yuanwen import Library
from yuanwen.errors import Busy

SECONDS = 4.0
FILES = 12  # of each writer


def text(writer: str, number: int, generation: int) -> str:
    """Return a file whose two passages carry the same stamp, and a third that never changes."""
    name = f"{writer}{number}"
    filling = "填充的话，" * 90
    return (
        f"# 头{name}\n\n印记{generation}印记 在{name}头\n\n{filling}\n\n"
        f"# 尾{name}\n\n印记{generation}印记 在{name}尾\n\n"
        f"# 常{name}\n\n不变的常量\n"
    )


def write(role: str, library: Path, folder: Path) -> None:
    """Change files and add the folder, again and again; print how often it worked."""
    chance = random.Random(role)
    generation = done = 0
    until = time.monotonic() + SECONDS
    with Library.open(library) as opened:
        while time.monotonic() < until:
            generation += 1
            for number in chance.sample(range(FILES), 4):
                path = folder / role / f"{number}.md"
                fresh = path.with_suffix(".new~")
                fresh.write_text(text(role, number, generation), encoding="utf-8")
                at = 1_700_000_000 + generation
                os.utime(fresh, (at, at))
                os.replace(fresh, path)
            try:
                opened.add(folder / role, exclude=["*.new~"])
                done += 1
            except Busy:
                pass
        opened.add(folder / role)
    print(done)


def read(role: str, library: Path, folder: Path) -> None:
    """Search and see that both passages of each file are of one generation; print how often."""
    chance = random.Random(role)
    seen = 0
    until = time.monotonic() + SECONDS
    opened = Library.open(library, create=False)
    while time.monotonic() < until:
        if chance.random() < 0.1:
            opened.close()
            opened = Library.open(library, create=False)
        found = opened.search("印记 在", mode="exact", limit=1000)
        stamps: dict[str, set[str]] = {}
        for hit in found.hits:
            stamps.setdefault(hit.source, set()).add(hit.text.split("印记")[1])
        torn = {source: found for source, found in stamps.items() if len(found) > 1}
        assert not torn, torn
        if len(found.hits) != 4 * FILES:
            assert found.notes, f"{len(found.hits)} of {4 * FILES} passages, and not a word of it"
        constant = opened.search("不变的常量", mode="exact", limit=1000)
        assert len(constant.hits) == 2 * FILES or constant.notes, len(constant.hits)
        name = f"{chance.choice(('one', 'two'))}{chance.randrange(FILES)}"
        opened.search(f"头{name}", limit=5)
        opened.status()
        seen += 1
    opened.close()
    print(seen)


def start(kind: str, role: str, library: Path, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, __file__, kind, role, str(library), str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


def test_writers_and_readers_do_not_disturb_each_other(tmp_path: Path, kind: str) -> None:
    """Fault 24: no `database is locked`, no crash, and the write-ahead log does not grow without end."""
    library, folder = tmp_path / "library.sqlite", tmp_path / "docs"
    for writer in ("one", "two"):
        (folder / writer).mkdir(parents=True)
        for number in range(FILES):
            path = folder / writer / f"{number}.md"
            path.write_text(text(writer, number, 0), encoding="utf-8")
            os.utime(path, (1_700_000_000, 1_700_000_000))
    with Library.open(library, index=kind) as opened:
        opened.add(folder / "one", folder / "two", exclude=["*.new~"])
    processes = [start("write", role, library, folder) for role in ("one", "two")]
    processes += [start("read", f"reader{number}", library, folder) for number in range(4)]
    ended = [process.communicate(timeout=90) for process in processes]
    assert [process.returncode for process in processes] == [0] * 6, [err[-600:] for _, err in ended if err]
    assert all(int(out) > 0 for out, _ in ended), ended
    wal = library.with_name(library.name + "-wal")
    assert not wal.exists() or wal.stat().st_size < 32 * 2**20
    with Library.open(library) as opened:
        status = opened.status()
        assert (status.documents, status.passages) == (2 * FILES, 2 * FILES * status.passages // status.documents)
        assert status.index_position == status.generation
        for writer in ("one", "two"):
            for number in range(FILES):
                path = folder / writer / f"{number}.md"
                stamp = path.read_text("utf-8").split("印记")[1]
                hits = opened.search(f"印记{stamp}印记 在{writer}{number}", mode="exact", limit=100).hits
                assert len([hit for hit in hits if hit.source == str(path)]) == 2
        assert not opened.check().problems


@pytest.mark.parametrize("what", ["search", "check"])
def test_a_reader_is_served_while_another_process_writes(tmp_path: Path, kind: str, what: str) -> None:
    library, folder = tmp_path / "library.sqlite", tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("证据", encoding="utf-8")
    with Library.open(library, index=kind) as opened:
        opened.add(folder)
    script = (
        "import sys\nfrom pathlib import Path\nfrom yuanwen.store.connection import Database\n"
        "with Database(Path(sys.argv[1])).write() as db:\n"
        "    db.execute('UPDATE totals SET characters = characters'); print('now', flush=True); sys.stdin.readline()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(library)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert holder.stdout is not None and holder.stdout.readline() == "now\n"
    try:
        with Library.open(library, create=False) as opened:
            if what == "search":
                assert opened.search("证据", mode="exact").found == 1
            else:
                assert opened.status().documents == 1
    finally:
        holder.communicate("done\n", timeout=10)


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
