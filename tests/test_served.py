"""The library of a server as its file comes, changes, is replaced and goes: every call sees what is there now."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import write

from yuanwen import Library
from yuanwen.errors import NotFound, YuanwenError
from yuanwen.served import Served

posix = pytest.mark.skipif(os.name != "posix", reason="a file that is open cannot be replaced there")
PATIENCE = 30.0
ADD = "import sys; from yuanwen import Library\nwith Library.open(sys.argv[1]) as library: library.add(sys.argv[2])"


def fill(path: Path, words: str) -> None:
    """Make a library of one file, or add it to one that is there."""
    with Library.open(path) as library:
        library.add(write(path.parent / f"{words}.txt", f"{words}\n"))


def found(served: Served, words: str) -> int:
    """Return how many passages a call finds."""
    with served.library() as library:
        return library.search(words, mode="exact").found


@pytest.fixture(name="path")
def path_fixture(tmp_path: Path) -> Path:
    return tmp_path / "library.sqlite"


def test_a_library_is_opened_once(path: Path) -> None:
    fill(path, "第一份")
    with Served(path) as served:
        with served.library() as one, served.library() as other:
            assert one is other
        with served.library() as later:
            assert later is one


def test_a_library_that_comes_later_is_served_from_then_on(path: Path) -> None:
    with Served(path) as served:
        with pytest.raises(NotFound):
            found(served, "第一份")
        assert not path.exists(), "what only reads makes nothing"
        fill(path, "第一份")
        assert found(served, "第一份") == 1


def test_what_may_write_makes_its_library(path: Path) -> None:
    with Served(path, allow_write=True) as served:
        assert found(served, "第一份") == 0
        assert path.exists()


def test_what_another_process_adds_is_found_by_the_next_call(path: Path) -> None:
    fill(path, "第一份")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with Served(path) as served:
        assert found(served, "第二份") == 0
        added = write(path.parent / "second.txt", "第二份\n")
        subprocess.run([sys.executable, "-c", ADD, path, added], check=True, env=env, timeout=2 * PATIENCE)
        assert found(served, "第二份") == found(served, "第一份") == 1


@posix
def test_a_library_that_was_put_back_from_a_copy_is_served_at_once(path: Path, tmp_path: Path) -> None:
    """Also while a call is at work in the one that was there, which goes on to its end."""
    fill(path, "第一份")
    copy = shutil.copy(path, tmp_path / "copy.sqlite")
    fill(path, "第二份")
    with Served(path) as served:
        assert found(served, "第二份") == 1
        with served.library() as before:
            for each in ("-wal", "-shm"):
                Path(f"{path}{each}").unlink(missing_ok=True)
            os.replace(copy, path)
            assert (found(served, "第一份"), found(served, "第二份")) == (1, 0)
            before.list()
        assert (found(served, "第一份"), found(served, "第二份")) == (1, 0)
        with served.library() as library:
            assert len(library.list()) == 1


@posix
def test_a_library_that_was_removed_is_not_served_any_more(path: Path) -> None:
    with Served(path) as served:
        for words in ("第一份", "第二份", "第三份"):  # the next may get the number that the file before had
            fill(path, words)
            assert found(served, words) == 1
            assert sum(found(served, each) for each in ("第一份", "第二份", "第三份")) == 1
            for each in path.parent.glob(f"{path.name}*"):
                shutil.rmtree(each) if each.is_dir() else each.unlink()
            with pytest.raises(NotFound):
                found(served, words)


def test_what_is_no_library_is_refused_until_it_is_one(path: Path) -> None:
    write(path, "kein Archiv" * 1000)
    with Served(path) as served:
        with pytest.raises(YuanwenError):
            found(served, "第一份")
        path.unlink()
        fill(path, "第一份")
        assert found(served, "第一份") == 1


def test_many_threads_search_while_another_process_adds(path: Path) -> None:
    """No call fails, and none sees less than one before it."""
    fill(path, "共同的话 0")
    script = (
        "import sys; from pathlib import Path; from yuanwen import Library\n"
        "with Library.open(sys.argv[1]) as library:\n"
        "    for n in range(1, 9):\n"
        "        file = Path(sys.argv[2]) / f'{n}.txt'; file.write_text(f'共同的话 {n}', encoding='utf-8')\n"
        "        library.add(file)\n"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    failed: list[BaseException] = []
    with Served(path) as served:
        adding = subprocess.Popen([sys.executable, "-c", script, path, path.parent], env=env)

        def search() -> None:
            seen = 1
            try:
                while adding.poll() is None:
                    now = found(served, "共同的话")
                    assert now >= seen, (now, seen)
                    seen = now
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=search) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(2 * PATIENCE)
        assert adding.wait(PATIENCE) == 0 and not failed, failed
        assert found(served, "共同的话") == 9


def test_closing_lets_a_call_end_that_is_at_work(path: Path) -> None:
    fill(path, "第一份")
    served = Served(path)
    with served.library() as library:
        served.close()
        assert library.search("第一份", mode="exact").found == 1
    served.close()
