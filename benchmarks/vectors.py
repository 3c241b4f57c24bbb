"""Vectors: what they cost to make, to keep and to search, beside one float32 matrix product over the same ones.

    python -m benchmarks.vectors [embed] [search] [hybrid] [recall] [--model use --model FOLDER]

`search` and `hybrid` run on made vectors, of which only the number and the length count; `recall` needs real ones: of
a library that was embedded with `use`, named with --library. What counts is the ratio; set OPENBLAS_NUM_THREADS=1 for
one thread on both sides.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import corpus
from benchmarks.speed import remove, seconds
from yuanwen import Library
from yuanwen.embed.chunks import chunks
from yuanwen.index.vectors import VectorIndex
from yuanwen.library import _totals
from yuanwen.store import vectors
from yuanwen.store.connection import Connection, Database
from yuanwen.store.vectors import ModelRow, Packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yuanwen.embed import Embedder

DIMENSIONS = 512  # of the Universal Sentence Encoder
SIZES = (132_962, 1_000_000)
BLOCK = 20_000
GOAL = 0.6  # of the matrix product


class Made:
    """Vectors around a few hundred centres, by a hash of the text: they cost next to nothing."""

    name, fingerprint, dimensions, weight = "made", "00000000cafe0000", DIMENSIONS, 0.4

    def __init__(self) -> None:
        self._centres = np.random.default_rng(0).standard_normal((512, DIMENSIONS), np.float32)

    def embed_passages(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        seeds = [zlib.crc32(text.encode("utf-8", "surrogatepass")) for text in texts]
        found = np.stack([np.random.default_rng(seed).standard_normal(DIMENSIONS, np.float32) for seed in seeds])
        return unit(self._centres[[seed % 512 for seed in seeds]] + found)

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        found: NDArray[np.float32] = self.embed_passages([text])[0]
        return found


def unit(found: "NDArray[np.float32]") -> "NDArray[np.float32]":
    made: NDArray[np.float32] = (found / np.linalg.norm(found, axis=-1, keepdims=True)).astype(np.float32)
    return made


# ---------------------------------------------------------------------------------------------- making


def embed(models: Sequence[str], number: int) -> None:
    """Print how fast models embed passages, and the memory that takes, each in a process of its own."""
    for model in models:
        subprocess.run(
            [sys.executable, "-m", "benchmarks.vectors", "--only", model, "--passages", str(number)], check=True
        )


def one(model: str, number: int) -> None:
    """Embed the first passages of the corpus in this process."""
    began = time.perf_counter()
    embedder = loaded(model)
    embedder.embed_query("第一次")
    load = time.perf_counter() - began
    texts = [passage.text for passage in islice(corpus.passages("scale"), number)]
    pieces = [text[start:end] for text in texts for start, end in chunks(text)]
    began, worked = time.perf_counter(), time.process_time()
    for at in range(0, len(pieces), 256):
        embedder.embed_passages(sorted(pieces[at : at + 256], key=len))
    took, worked = time.perf_counter() - began, time.process_time() - worked
    query = statistics.median(seconds(partial(embedder.embed_query, text[:30])) for text in texts[:50])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{embedder.name:12} {len(texts) / took:7.1f} passages/s ({len(texts) / worked:.1f} a second of one processor;"
        f" {len(pieces) / len(texts):.2f} chunks each), load {load:.2f} s, query {query * 1e3:.1f} ms,"
        f" peak {peak:.0f} MB",
        flush=True,
    )


def loaded(model: str) -> "Embedder":
    if Path(model).is_dir():
        from yuanwen.embed.onnx import OnnxEmbedder

        return OnnxEmbedder(Path(model).name, Path(model))
    from yuanwen import models

    return models.load(model)


# ----------------------------------------------------------------------------------------------- searching


def search(sizes: Sequence[int], runs: int) -> None:
    """Print what a search of made vectors takes, from a cold start on, beside a matrix product over the same."""
    for size in sizes:
        path = corpus.WORK / f"vectors-{size}.sqlite"
        remove(path)
        database = Database(path)
        database.create(_totals("tantivy"))
        with database.write() as db:
            model, plain = filled(db, size)
        database.checkpoint()
        with database.snapshot() as db:
            taken = vectors_bytes(db)
            index = VectorIndex(database.path)
            build = seconds(partial(index.catch_up, db, model))
            cache = sum(file.stat().st_size for file in Path(f"{path}.index").rglob("*") if file.is_file())
            query = plain[size // 2]
            fresh = VectorIndex(database.path)
            load = seconds(partial(fresh.catch_up, db, model))
            first = seconds(partial(fresh.search, db, model, query, limit=100))
            one_more = time_of_one_more(database, model, index, plain[:1])
            beside(f"{size:,} vectors", partial(index.search, db, model, limit=100), plain, runs)
        print(
            f"  index made in {build:.2f} s, opened in {load * 1e3:.1f} ms, first search {first * 1e3:.1f} ms,"
            f" one more vector seen in {one_more * 1e3:.1f} ms;"
            f" a vector takes {taken / size:.0f} bytes in the library, {cache / size:.0f} beside it",
            flush=True,
        )
        database.close()
        remove(path)


def beside(what: str, find: "Callable[[NDArray[np.float32]], object]", plain: "NDArray[np.float32]", runs: int) -> None:
    """Ask both for vectors near to some of their own, in turn, and print the times."""
    chance = np.random.default_rng(1)
    ours, theirs = [], []
    for row in chance.integers(0, len(plain), runs + 3):
        query = unit(plain[row] + 0.5 * chance.standard_normal(DIMENSIONS, np.float32) / np.float32(DIMENSIONS**0.5))
        theirs.append(seconds(lambda query=query: plain @ query) * 1e3)  # type: ignore[misc]
        ours.append(seconds(partial(find, query)) * 1e3)
    print(
        f"{what}: {quantiles(ours[3:])}, matrix product {quantiles(theirs[3:])}{ratio(ours[3:], theirs[3:])}",
        flush=True,
    )


def quantiles(times: Sequence[float]) -> str:
    return f"p50 {statistics.median(times):.1f} ms p95 {statistics.quantiles(times, n=20)[-1]:.1f} ms"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    found = statistics.median(ours) / statistics.median(theirs)
    return f", ratio {found:.2f}, goal {GOAL}{'' if found <= GOAL else '   missed'}"


def filled(db: Connection, size: int) -> "tuple[ModelRow, NDArray[np.float32]]":
    """Put a passage for each of `size` vectors in a library; return the vectors as float32 as well."""
    db.execute("INSERT INTO documents(id, path, name, source, tags, added) VALUES(1, 'a', '', 'a', '[]', '')")
    columns = [row[1] for row in db.execute("PRAGMA table_info(versions)")]
    db.execute(f"INSERT INTO versions VALUES({', '.join('?' * len(columns))})", (1, 1, *[0] * (len(columns) - 2)))
    db.execute("UPDATE documents SET current = 1")
    model = vectors.want(db, "made", Made.fingerprint, DIMENSIONS)
    plain = np.empty((size, DIMENSIONS), np.float32)
    chance, centres = np.random.default_rng(2), Made()._centres
    for at in range(0, size, BLOCK):
        number = min(BLOCK, size - at)
        noise = chance.standard_normal((number, DIMENSIONS), np.float32)
        plain[at : at + number] = unit(centres[chance.integers(0, 512, number)] + noise)
        ids = range(at + 1, at + number + 1)
        db.executemany("INSERT INTO passages(id, document_id, text) VALUES(?, 1, '')", ((n,) for n in ids))
        db.executemany("INSERT INTO spans VALUES(1, ?, ?, 0, 0, NULL, NULL)", ((n, n) for n in ids))
        vectors.put(db, model.id, packed(at, plain[at : at + number]))
    vectors.finish(db, model.id)
    return model, plain


def packed(start: int, found: "NDArray[np.float32]") -> Iterator[Packed]:
    scales = (np.abs(found).max(axis=1) / 127).astype(np.float32)
    whole = np.rint(found / scales[:, None]).astype(np.int8)
    for row in range(len(found)):
        yield Packed(start + row + 1, scales[row].tobytes(), whole[row].tobytes())


def vectors_bytes(db: Connection) -> int:
    """Return the bytes that the table of vectors takes, with its index."""
    pages = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%vectors%'"
    try:
        return int(db.execute(pages).get or 0)
    except Exception:  # this SQLite was built without
        return int(db.execute("SELECT sum(length(vectors) + length(scales)) FROM vectors").get)


def time_of_one_more(database: Database, model: ModelRow, index: VectorIndex, found: "NDArray[np.float32]") -> float:
    """Return how long the index takes to see another vector, in a library that has it."""
    other = Database(database.path)
    with other.write() as db:
        db.execute("INSERT INTO passages(document_id, text) VALUES(1, '')")
        vectors.put(db, model.id, packed(db.last_insert_rowid() - 1, found))
    with other.snapshot() as db:
        took = seconds(partial(index.catch_up, db, model))
    other.close()
    return took


# --------------------------------------------------------------------------------------- a whole library


def hybrid(runs: int) -> None:
    """Print what a search by words and by meaning takes beside one by words, without embedding the question."""
    path = corpus.WORK / "vectors.sqlite"
    if not path.exists():
        shutil.copy(corpus.WORK / "scale.sqlite", path)
    made = Made()
    with Library.open(path, create=False) as library:
        library.use_model(made)
        print(f"embedded: {library.embed()}", flush=True)
        questions = [q.text for q in corpus.questions("eval/cmrc2018_dev") if q.answerable][: runs + 5]
        with library._database.snapshot() as db:
            model = vectors.searched(db)
            assert model is not None
            number = vectors.count_after(db, model.id, 0)
        plain = unit(np.random.default_rng(3).standard_normal((number, DIMENSIONS), np.float32))
        print(f"first hybrid search: {seconds(partial(library.search, questions[0], mode='hybrid')) * 1e3:.0f} ms")
        columns: list[list[float]] = [[], [], []]
        for text in questions:
            asked = made.embed_query(text)
            cost = seconds(partial(made.embed_query, text))
            columns[0].append((seconds(partial(library.search, text, mode="hybrid")) - cost) * 1e3)
            columns[1].append(seconds(partial(library.search, text, mode="ranked")) * 1e3)
            columns[2].append(seconds(lambda asked=asked: plain @ asked) * 1e3)  # type: ignore[misc]
        ours, words, product = (column[5:] for column in columns)
        print(f"{number:,} vectors: hybrid {quantiles(ours)}, ranked {quantiles(words)}, product {quantiles(product)}")
        more = [a - b for a, b in zip(ours, words, strict=True)]
        print(f"  hybrid over ranked: {quantiles(more)}{ratio(more, product)}", flush=True)


def recall(path: Path, runs: int) -> None:
    """Print how many of the 100 nearest passages a search keeps that signs prepare, of real vectors."""
    from yuanwen import models

    with Library.open(path, create=False) as library, library._database.snapshot() as db:
        model = vectors.wanted(db)
        assert model is not None
        embedder = models.load(model.name)
        quick, whole = VectorIndex(library._database.path), VectorIndex(library._database.path, likely=10**9)
        kept = []
        for name in ("eval/cmrc2018_dev", "eval/drcd_a", "eval/xquad_en_a"):
            for question in corpus.questions(name)[:: max(1, 3000 // runs)][:runs]:
                query = embedder.embed_query(question.text)
                near = [
                    {each.passage for each in index.search(db, model, query, limit=100)} for index in (quick, whole)
                ]
                kept.append(len(near[0] & near[1]) / len(near[1]))
        number = vectors.count_after(db, model.id, 0)
    print(f"{model.name}, {number:,} vectors: recall@100 {statistics.mean(kept):.4f}, least {min(kept):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", default=["embed", "search", "hybrid"])
    parser.add_argument("--model", action="append", help="a model, or a folder of one; use, unless given")
    parser.add_argument("--passages", type=int, default=512)
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--library", type=Path, default=corpus.WORK / "scale.sqlite")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        one(options.only, options.passages)
        return
    for part in options.parts:
        {
            "embed": lambda: embed(options.model or ["use"], options.passages),
            "search": lambda: search(options.size or SIZES, options.runs),
            "hybrid": lambda: hybrid(options.runs),
            "recall": lambda: recall(options.library, options.runs),
        }[part]()


if __name__ == "__main__":
    main()
