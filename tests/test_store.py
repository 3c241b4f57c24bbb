"""The store: what is written is read back, whole or not at all, and the totals always count what is there."""

import gzip
import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest
from conftest import Shelf

from yuanwen import Library
from yuanwen.documents import Extracted, File
from yuanwen.errors import Busy
from yuanwen.passages import split
from yuanwen.store import inventory, reading, writing
from yuanwen.store.connection import Connection, Database
from yuanwen.store.schema import FORMAT
from yuanwen.store.writing import NewDocument


@pytest.fixture
def database(shelf: Shelf) -> Database:
    shelf.library.close()
    return Database(shelf.file)


def put(db: Connection, name: str, text: str, *, source: str | None = None, tags: tuple[str, ...] = ()) -> None:
    extracted = Extracted(text=text, media_type="text/plain", title=name, source=source)
    new = NewDocument(extracted=extracted, passages=split(extracted), tags=tags, dated="2026-01-01T00:00:00+00:00")
    file = File(path=Path("/nowhere") / name, size=len(text), mtime_ns=1)
    writing.put_file(db, file, f"sha of {text}", "1", [new], "2026-01-02T00:00:00.000000+00:00")


def sound(database: Database) -> bool:
    with database.snapshot() as db:
        return inventory.recount(db) == reading.totals(db) and not database.damage()


def test_what_is_put_is_read_back(database: Database) -> None:
    with database.write() as db:
        put(db, "a", "第一段\n\n第二段", tags=("工作",))
    with database.snapshot() as db:
        (document,) = inventory.documents(db)
        rows = reading.around(db, document.version, 1, 99)
    assert "".join(row.text for row in rows) == "第一段\n\n第二段"
    assert (document.tags, document.title, document.versions) == (("工作",), "a", 1)
    assert sound(database)


def test_a_transaction_is_kept_whole_or_not_at_all(database: Database) -> None:
    with database.write() as db:
        put(db, "a", "甲")
    with database.snapshot() as db:
        before = reading.totals(db)
    with pytest.raises(RuntimeError), database.write() as db:
        put(db, "a", "乙")
        put(db, "b", "丙")
        raise RuntimeError("the power is gone")
    with database.snapshot() as db:
        assert reading.totals(db) == before and len(inventory.documents(db)) == 1
    assert sound(database)


def test_a_snapshot_sees_one_state(database: Database) -> None:
    with database.write() as db:
        put(db, "a", "甲")
    with database.snapshot() as db:
        before = reading.totals(db)
        other = Database(database.path)
        with other.write() as writer:
            put(writer, "b", "乙")
        other.close()
        assert reading.totals(db) == before and len(inventory.documents(db)) == 1
    with database.snapshot() as db:
        assert len(inventory.documents(db)) == 2


def test_reading_cannot_write(database: Database) -> None:
    with pytest.raises(Exception, match="readonly"):
        database.read().execute("DELETE FROM totals")


def test_what_a_thread_read_through_is_closed_once_it_ended(database: Database) -> None:
    opened: list[Connection] = []
    for _ in range(5):
        thread = threading.Thread(target=lambda: opened.append(database.read()))
        thread.start()
        thread.join()
    for connection in opened[:-1]:
        with pytest.raises(apsw.ConnectionClosedError):
            connection.pragma("user_version")
    with database.write() as db:
        put(db, "a", "甲")


def test_a_second_writer_is_told_that_it_is_busy(database: Database) -> None:
    impatient = Database(database.path, busy_seconds=0.05)
    with database.write():
        with pytest.raises(Busy), impatient.write():
            raise AssertionError("two writers at once")
        with impatient.snapshot() as db:
            reading.totals(db)
    with impatient.write() as db:
        put(db, "a", "甲")
    impatient.close()


@pytest.mark.parametrize("seed", range(6))
def test_the_totals_count_what_is_there_whatever_happens(database: Database, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        name = chance.choice("abcde")
        with database.write() as db:
            match chance.randrange(6):
                case 0 | 1 | 2:
                    put(db, name, chance.choice("甲乙丙") * chance.choice((1, 700)), tags=(chance.choice("xyz"),))
                case 3:
                    writing.remove_path(db, f"/nowhere/{name}")
                case 4:
                    writing.add_tags(db, f"/nowhere/{name}", [chance.choice("xyz")])
                case _:
                    for document in inventory.documents(db, gone=True)[:1]:
                        writing.forget_document(db, document.document)
                    writing.drop_superseded(db, None)
        assert sound(database)


def test_a_passage_number_is_never_used_twice(database: Database) -> None:
    with database.write() as db:
        put(db, "a", "甲")
    with database.snapshot() as db:
        (first,) = [row.passage for row in reading.around(db, inventory.documents(db)[0].version, 1, 1)]
    with database.write() as db:
        writing.forget_document(db, inventory.documents(db)[0].document)
        put(db, "b", "乙")
    with database.snapshot() as db:
        (second,) = [row.passage for row in reading.around(db, inventory.documents(db)[0].version, 1, 1)]
    assert second > first


def test_every_connection_is_set_up_as_meant(database: Database) -> None:
    for connection in (database.writer(), database.read()):
        assert connection.pragma("secure_delete") == 1 and connection.pragma("foreign_keys") == 1
        assert connection.pragma("journal_mode") == "wal" and connection.pragma("journal_size_limit") > 0


def test_several_processes_may_make_one_library_at_once(tmp_path: Path, kind: str) -> None:
    """Fault 24: a crash when several start at once on a new library."""
    script = (
        "import sys\nfrom yuanwen import Library\nsys.stdin.readline()\n"
        "with Library.open(sys.argv[1], index=sys.argv[2]) as library:\n"
        "    library.add(sys.argv[3]); print(library.search('证据', mode='exact', limit=99).found)\n"
    )
    for number in range(6):
        path = tmp_path / "docs" / str(number) / "a.txt"
        path.parent.mkdir(parents=True)
        path.write_text(f"证据 {number}", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for round_number in range(3):
        library = tmp_path / f"{round_number}.sqlite"
        started = [
            subprocess.Popen(
                [sys.executable, "-c", script, str(library), kind, str(tmp_path / "docs" / str(number))],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
            )
            for number in range(4)
        ]  # fmt: skip
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        ended = [process.communicate(timeout=60) for process in started]
        assert [process.returncode for process in started] == [0] * 4, [err[-500:] for _, err in ended if err]
        assert max(int(out) for out, _ in ended) == 4


def test_nobody_is_turned_away_who_makes_a_library_while_others_do(tmp_path: Path) -> None:
    together = threading.Barrier(8)

    def make(file: Path) -> int:
        database = Database(file)
        together.wait(60)
        database.create("")
        version = int(database.read().pragma("user_version"))
        database.close()
        return version

    with ThreadPoolExecutor(8) as threads:
        for number in range(40):
            assert list(threads.map(make, [tmp_path / f"{number}.sqlite"] * 8)) == [FORMAT] * 8


def test_folding_the_log_waits_for_no_reader_and_keeps_no_writer_out(database: Database) -> None:
    reader, other = Database(database.path), Database(database.path, busy_seconds=0.05)
    with reader.snapshot() as db:
        db.execute("SELECT * FROM totals").fetchall()
        with database.write() as writing:
            writing.execute("DELETE FROM roots")
        folding = threading.Thread(target=database.checkpoint)
        folding.start()
        folding.join(30)  # of the 60 seconds for which it would wait for the lock of a writer
        assert not folding.is_alive()
        with other.write() as writing:
            writing.execute("DELETE FROM roots")
    reader.close()
    other.close()


def test_what_was_deleted_is_not_said_to_be_gone_while_a_reader_holds_it(database: Database) -> None:
    reader = Database(database.path)
    impatient = Database(database.path, busy_seconds=0.05)
    with reader.snapshot() as db, pytest.raises(Busy, match="still holds"):
        db.execute("SELECT * FROM totals").fetchall()
        with impatient.write() as writing:
            writing.execute("DELETE FROM roots")
        impatient.vacuum()
    impatient.vacuum()
    reader.close()
    impatient.close()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="locks are read there")
@pytest.mark.parametrize("older", [False, True])
def test_opening_a_library_again_keeps_its_locks(tmp_path: Path, older: bool) -> None:
    """Else another process takes the log for nobody's when it closes the library, and deletes it with what is in it."""
    path = tmp_path / "library.sqlite"
    if older:
        path.write_bytes(gzip.decompress((Path(__file__).parent / "files" / "format-1.sqlite.gz").read_bytes()))
    with Library.open(path):
        with Library.open(path):
            pass
        held = [line.split() for line in Path("/proc/locks").read_text().splitlines() if "->" not in line]
        mine = [each for each in held if each[4] == str(os.getpid()) and each[5].endswith(f":{path.stat().st_ino}")]
        assert mine
