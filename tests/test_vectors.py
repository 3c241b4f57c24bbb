"""Vectors: stored with their passage and gone with it; the index finds what going through all of them would find."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import Shelf
from hashing_embedder import HashingEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from yuanwen import Library
from yuanwen.documents import Extracted, File
from yuanwen.embed.chunks import chunks
from yuanwen.embedding import run
from yuanwen.index.vectors import Near, VectorIndex
from yuanwen.library import _totals
from yuanwen.passages import split
from yuanwen.store import inventory, vectors, writing
from yuanwen.store.connection import Connection, Database
from yuanwen.store.vectors import ModelRow, Packed
from yuanwen.store.writing import NewDocument

WORDS = ("猫在屋顶上晒太阳", "狗在院子里追球", "鸟从南方飞回来", "鱼在水里游", "the cat sleeps on the roof", "……", "")
QUESTIONS = ("屋顶上的猫", "追球的狗", "a cat on a roof", "飞")
TAIL = 4  # vectors that stay in memory: so few that nearly each test writes files


@pytest.fixture(name="database")
def database_fixture(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "library.sqlite")
    database.create(_totals("tantivy"))
    yield database
    database.close()


def put(db: Connection, name: str, *paragraphs: str) -> None:
    extracted = Extracted(text="\n\n".join(paragraphs), media_type="text/plain", title=name)
    new = NewDocument(extracted=extracted, passages=split(extracted), tags=(), dated="2026-01-01T00:00:00+00:00")
    file = File(path=Path("/nowhere") / name, size=1, mtime_ns=1)
    writing.put_file(db, file, f"sha of {paragraphs}", "1", [new], "2026-01-02T00:00:00.000000+00:00")


def forget(db: Connection, name: str) -> None:
    for row in inventory.documents(db, gone=True):
        if row.title == name:
            writing.forget_document(db, row.document)


def embed(database: Database, embedder: HashingEmbedder, index: VectorIndex) -> ModelRow:
    with database.write() as db:
        vectors.want(db, embedder.name, embedder.fingerprint, embedder.dimensions)
    run(database, index, embedder)
    with database.snapshot() as db:
        model = vectors.searched(db)
    assert model is not None and model.fingerprint == embedder.fingerprint
    return model


def by_hand(db: Connection, embedder: HashingEmbedder, question: str) -> dict[int, float]:
    """Return the cosine of each current passage with a question, from its text."""
    asked = embedder.embed_query(question)
    found = {}
    for passage, text in db.execute(
        """SELECT p.id, p.text FROM documents AS d JOIN spans AS s ON s.version_id = d.current
           JOIN passages AS p ON p.id = s.passage_id"""
    ):
        made = embedder.embed_passages([text[start:end] for start, end in chunks(text)])
        there = made[made.any(axis=1)]
        if len(there):
            found[passage] = float((there @ asked).max())
    return found


def agrees(near: list[Near], right: dict[int, float], limit: int) -> None:
    """See that passages are the nearest, the nearest first, each once, with their cosines."""
    assert len(near) == min(limit, len(right)) == len({each.passage for each in near})
    best = sorted(right.values(), reverse=True)
    for each, cosine in zip(near, best, strict=False):
        assert abs(each.cosine - right[each.passage]) < 0.01
        assert abs(each.cosine - cosine) < 0.02
    assert [each.cosine for each in near] == sorted((each.cosine for each in near), reverse=True)


text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40)
step: st.SearchStrategy[tuple[str, str, list[str]]] = st.one_of(
    st.tuples(st.just("put"), st.sampled_from("abc"), text),
    st.tuples(st.sampled_from(("remove", "forget")), st.sampled_from("abc"), st.just([])),
    st.tuples(st.sampled_from(("drop old", "restart", "lose the cache")), st.just(""), st.just([])),
)


@settings(max_examples=25)
@given(steps=st.lists(step, min_size=2, max_size=9), narrow=st.booleans(), data=st.data())
def test_the_index_finds_what_going_through_all_finds(
    steps: list[tuple[str, str, list[str]]], narrow: bool, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("any") / "library.sqlite"
    database = Database(place)
    database.create(_totals("tantivy"))
    embedder = HashingEmbedder(narrow=narrow)
    index = VectorIndex(database.path, tail=TAIL)
    for what, name, paragraphs in steps:
        with database.write() as db:
            if what == "put":
                put(db, name, *paragraphs)
            elif what == "remove":
                writing.remove_path(db, f"/nowhere/{name}")
            elif what == "forget":
                forget(db, name)
            elif what == "drop old":
                writing.drop_superseded(db, None)
        if what == "restart":
            index = VectorIndex(database.path, tail=TAIL)
        elif what == "lose the cache":
            shutil.rmtree(f"{place}.index", ignore_errors=True)
        model = embed(database, embedder, index)
        question, limit = data.draw(st.sampled_from(QUESTIONS)), data.draw(st.integers(1, 20))
        with database.snapshot() as db:
            right = by_hand(db, embedder, question)
            asked = embedder.embed_query(question)
            agrees(index.search(db, model, asked, limit=limit), right, limit)
            among = {passage for passage in right if passage % 2}
            some = {passage: right[passage] for passage in among}
            agrees(index.search(db, model, asked, among=among, limit=limit), some, limit)
            assert not vectors.problems(db)
            counts = vectors.counts(db, model.id)
            assert counts.missing == 0 and counts.embedded == len(right)
    assert not database.damage()
    database.close()


# ----------------------------------------------------------------------------------------- large segments


DIMENSIONS = 128
MANY = 12000


def clustered(*, narrow: bool) -> NDArray[np.float32]:
    """Return vectors as models make them: around centres, perhaps in a narrow cone."""
    chance = np.random.default_rng(7)
    centres = chance.standard_normal((300, DIMENSIONS))
    found = centres[chance.integers(0, 300, MANY)] + 0.9 * chance.standard_normal((MANY, DIMENSIONS))
    if narrow:
        found += 3 * chance.standard_normal(DIMENSIONS)
    return unit(found)


def unit(found: NDArray[np.floating]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = (found / np.linalg.norm(found, axis=-1, keepdims=True)).astype(np.float32)
    return made


def store(database: Database, found: NDArray[np.float32]) -> ModelRow:
    """Have a library hold a passage for each vector, in a document of its own for the last ten."""
    mean = unit(found.mean(axis=0)) if found.mean(axis=0).any() else found[0] * 0
    away = found - mean
    scales = (np.abs(away).max(axis=1) / 127).astype(np.float32)
    whole = np.rint(away / scales[:, None]).astype(np.int8)
    with database.write() as db:
        put(db, "a", "0")
        put(db, "b", "0")
        first, second = (row.version for row in inventory.documents(db))
        model = vectors.want(db, "made", "0123456789abcdef", DIMENSIONS)
        for number in range(2, len(found)):
            version = second if number >= len(found) - 10 else first
            db.execute(
                "INSERT INTO passages(document_id, text) SELECT document_id, ? FROM versions WHERE id = ?",
                (f"{number}", version),
            )
            db.execute("INSERT INTO spans VALUES(?, ?, ?, 0, 0, NULL, NULL)", (version, number + 1, number + 1))
        rows = [Packed(n + 1, scales[n].tobytes(), whole[n].tobytes()) for n in range(len(found))]
        vectors.put(db, model.id, rows, mean.tobytes())
        vectors.finish(db, model.id)
    return model


@pytest.mark.parametrize("narrow", [False, True])
def test_signs_keep_nearly_all_that_is_nearest(database: Database, narrow: bool) -> None:
    found = clustered(narrow=narrow)
    model = store(database, found)
    index = VectorIndex(database.path, likely=1500)
    chance = np.random.default_rng(1)
    kept = []
    with database.snapshot() as db:
        for row in chance.integers(0, MANY, 20):
            asked = unit(found[row] + 0.5 * chance.standard_normal(DIMENSIONS) / np.sqrt(DIMENSIONS))
            near = index.search(db, model, asked, limit=100)
            cosines = found @ asked
            right = set((np.argsort(-cosines)[:100] + 1).tolist())
            kept.append(len(right & {each.passage for each in near}) / 100)
            assert all(abs(each.cosine - cosines[each.passage - 1]) < 0.01 for each in near)
            few = {int(passage) for passage in chance.integers(1, MANY, 300)}
            assert {each.passage for each in index.search(db, model, asked, among=few, limit=400)} == few
            most = frozenset(range(1, MANY - 1000))
            assert len(index.search(db, model, asked, among=most, limit=100)) == 100
    assert np.mean(kept) > 0.95


def test_what_is_not_current_any_more_takes_no_place(database: Database) -> None:
    found = clustered(narrow=False)
    found[10:-10] = found[10:-10] * 0.1 + found[0]  # all of the first document are nearer than any of the second
    model = store(database, unit(found))
    index = VectorIndex(database.path, likely=1500)
    with database.write() as db:
        writing.remove_path(db, "/nowhere/a")
    with database.snapshot() as db:
        near = index.search(db, model, unit(found[0]), limit=100)
    assert {each.passage for each in near} == {2, *range(MANY - 9, MANY + 1)}


# ------------------------------------------------------------------------------------------------ files


def files(database: Database) -> set[str]:
    folder = Path(f"{database.path}.index", "vectors")
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def test_a_new_document_rewrites_no_large_file(database: Database) -> None:
    embedder, index = HashingEmbedder(), VectorIndex(database.path, tail=TAIL)
    with database.write() as db:
        put(db, "a", *("猫在屋顶上晒太阳。" * 60 for _ in range(40)))
    embed(database, embedder, index)
    (large,) = {name for name in files(database) if name.endswith(".vectors")}
    for number in range(3):
        with database.write() as db:
            put(db, f"{number}", "狗在院子里追球。" * 150)
        model = embed(database, embedder, index)
        assert large in files(database)
    with database.snapshot() as db:
        (near,) = VectorIndex(database.path, tail=TAIL).search(db, model, embedder.embed_query("追球的狗"), limit=1)
        assert vectors.texts(db, [near.passage])[0][1].startswith("狗")


@pytest.mark.parametrize("damage", ["gone", "short", "list", "foreign"])
def test_a_damaged_file_is_made_anew(database: Database, damage: str) -> None:
    embedder = HashingEmbedder()
    with database.write() as db:
        put(db, "a", *("猫在屋顶上晒太阳。" * 60 for _ in range(10)))
    model = embed(database, embedder, VectorIndex(database.path, tail=TAIL))
    for path in Path(f"{database.path}.index", "vectors").iterdir():
        if damage == "list" and path.suffix == ".json":
            path.write_text('{"segments": [[', "utf-8")
        elif damage == "foreign" and path.suffix == ".json":
            path.write_text('{"epoch": 7, "segments": [["../../../etc/passwd", -1, 0, 0]]}', "utf-8")
        elif damage == "gone" and path.suffix == ".vectors":
            path.unlink()
        elif damage == "short" and path.suffix == ".vectors":
            path.write_bytes(path.read_bytes()[:-1])
    with database.snapshot() as db:
        right = by_hand(db, embedder, "猫")
        agrees(VectorIndex(database.path, tail=TAIL).search(db, model, embedder.embed_query("猫"), limit=5), right, 5)


def test_where_nothing_can_be_written_vectors_are_found_all_the_same(database: Database) -> None:
    embedder = HashingEmbedder()
    with database.write() as db:
        put(db, "a", *("猫在屋顶上晒太阳。" * 60 for _ in range(10)))
    model = embed(database, embedder, VectorIndex(database.path))
    shutil.rmtree(f"{database.path}.index", ignore_errors=True)
    Path(f"{database.path}.index").write_text("no folder", "utf-8")
    with database.snapshot() as db:
        right = by_hand(db, embedder, "猫")
        agrees(VectorIndex(database.path, tail=TAIL).search(db, model, embedder.embed_query("猫"), limit=5), right, 5)


def test_an_older_copy_that_is_put_back_is_not_taken_for_what_was_there(tmp_path: Path) -> None:
    """The ids of passages and vectors are used again there, for other words."""
    embedder, path = HashingEmbedder(), tmp_path / "library.sqlite"

    def grown(words: str) -> ModelRow:
        database = Database(path)
        database.create(_totals("tantivy"))
        with database.write() as db:
            put(db, words[:1], *(words * 60 for _ in range(6)))
        model = embed(database, embedder, VectorIndex(database.path, tail=TAIL))
        with database.snapshot() as db:
            asked = embedder.embed_query(words)
            right = by_hand(db, embedder, words)
            agrees(VectorIndex(database.path, tail=TAIL).search(db, model, asked, limit=20), right, 20)
        database.close()
        return model

    grown("猫在屋顶上晒太阳。")
    copy = path.read_bytes()
    grown("狗在院子里追球。")
    path.write_bytes(copy)
    grown("鸟从南方飞回来。")


def test_threads_that_look_at_different_states_each_see_their_own(database: Database) -> None:
    embedder, index = HashingEmbedder(), VectorIndex(database.path, tail=TAIL)
    with database.write() as db:
        put(db, "0", "猫在屋顶上晒太阳。" * 60)
    model = embed(database, embedder, index)
    wrong: list[str] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            with database.snapshot() as db:
                right = by_hand(db, embedder, "猫")
                stored = vectors.counts(db, model.id)
                near = index.search(db, model, embedder.embed_query("猫"), limit=1000)
                there = {each.passage for each in near}
                if not there <= right.keys() or len(there) != stored.embedded:
                    wrong.append(f"{len(there)} of {stored}")

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(1, 15):
        with database.write() as db:
            put(db, str(number % 5), *("狗在院子里追球。" * 60 + str(number) for _ in range(number % 4 + 1)))
            if number % 6 == 0:
                forget(db, str(number % 5 - 1))
        embed(database, embedder, index)
    done.set()
    for thread in threads:
        thread.join(30)
    assert not wrong


# ------------------------------------------------------------------------------------------- the library


def test_vectors_go_with_their_passage_and_leave_no_trace(shelf: Shelf) -> None:
    shelf.add(a_txt="猫在屋顶上晒太阳。" * 400, b_txt="狗在院子里追球。" * 400)
    shelf.library.use_model(HashingEmbedder())
    assert shelf.library.embed().embedded == shelf.library.status().passages
    database = Database(shelf.file)
    with database.snapshot() as db:
        rows = db.execute(
            "SELECT v.vectors FROM vectors AS v JOIN passages AS p ON p.id = v.passage_id WHERE p.text LIKE '%猫%'"
        )
        gone = [bytes(row[0]) for row in rows]
    database.close()
    assert any(vector in content for vector in gone for content in shelf.bytes_on_disk().values())
    shelf.library.forget(str(shelf.folder / "a.txt"))
    assert not any(vector in content for vector in gone for content in shelf.bytes_on_disk().values())
    status = shelf.library.status()
    assert status.vectors is not None
    assert (status.vectors.embedded, status.vectors.missing) == (status.passages, 0)
    assert not shelf.library.check().problems


def test_superseded_passages_lose_their_vectors_when_they_are_dropped(shelf: Shelf) -> None:
    shelf.library.use_model(HashingEmbedder())
    for words in ("猫在屋顶上晒太阳。", "狗在院子里追球。"):
        shelf.add(a_txt=words * 400)
        shelf.library.embed()
    database = Database(shelf.file)
    with database.snapshot() as db:
        (before,) = db.execute("SELECT count(*) FROM vectors").fetchone() or (0,)
    shelf.library.compact(drop_old=True)
    with database.snapshot() as db:
        (after,) = db.execute("SELECT count(*) FROM vectors").fetchone() or (0,)
    database.close()
    assert after == shelf.library.status().passages < before
    assert not shelf.library.check().problems


def test_check_finds_vectors_of_no_passage_and_of_a_wrong_length(shelf: Shelf) -> None:
    shelf.add(a_txt="猫在屋顶上晒太阳。", b_txt="狗在院子里追球。")
    shelf.library.use_model(HashingEmbedder())
    shelf.library.embed()
    database = Database(shelf.file)
    connection = database.writer()
    connection.execute("PRAGMA foreign_keys=OFF; UPDATE vectors SET passage_id = 99 WHERE id = 1").fetchall()
    connection.execute("UPDATE vectors SET vectors = x'00' WHERE id = 2").fetchall()
    database.close()
    problems = " ".join(shelf.library.check().problems)
    assert "1 vectors are of no passage" in problems and "of a wrong length" in problems


def test_an_export_leaves_vectors_out_and_they_are_made_again(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add(a_txt="猫在屋顶上晒太阳。")
    shelf.library.use_model(HashingEmbedder())
    shelf.library.embed()
    shelf.library.export(tmp_path / "library.jsonl")
    with Library.open(tmp_path / "copy.sqlite", index=shelf.kind) as copy:
        copy.import_(tmp_path / "library.jsonl")
        assert copy.status().vectors is None
        copy.use_model(HashingEmbedder())
        assert copy.embed().embedded == 1
