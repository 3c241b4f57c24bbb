"""The passages that lack vectors -> vectors in the store, batch by batch; what is done is never done again.

Each batch is a transaction of its own, and nothing is locked while a model is at work: searches go on, another process
may embed at the same time, and after a kill the rest is done by whoever embeds next.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from yuanwen.embed.chunks import chunks
from yuanwen.reports import Embedded
from yuanwen.store import reading, vectors
from yuanwen.store.vectors import ModelRow, Packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yuanwen.embed import Embedder
    from yuanwen.index.vectors import VectorIndex
    from yuanwen.store.connection import Database

BATCH = 128  # passages of a transaction: what is lost if the process is killed
_SHRINK = 8  # of the mean of a few vectors: it is no better than none

Progress = Callable[[int, int, str], None]  # passages done, of how many, the name of the model


def run(database: "Database", index: "VectorIndex", embedder: "Embedder", progress: Progress | None = None) -> Embedded:
    """Embed what lacks vectors of the model that is wanted, which `embedder` is; then have its vectors be searched.

    What `progress` raises ends it; so does another model that is wanted meanwhile. Raises Busy.
    """
    began = time.perf_counter()
    embedded = skipped = 0
    with database.snapshot() as db:
        model = vectors.wanted(db)
    if model is not None and model.fingerprint == embedder.fingerprint:
        for done, empty in _batches(database, model, embedder, progress):
            embedded, skipped = embedded + done, skipped + empty
        with database.snapshot() as db:
            index.catch_up(db, model)  # so that the first search need not
    vectors.drop_unused(database)
    with database.snapshot() as db:
        passages = reading.totals(db).passages
    return Embedded(
        model=embedder.name,
        embedded=embedded,
        skipped=skipped,
        passages=passages,
        seconds=round(time.perf_counter() - began, 3),
    )


def _batches(
    database: "Database", model: ModelRow, embedder: "Embedder", progress: Progress | None
) -> Iterator[tuple[int, int]]:
    """Embed until nothing is missing; yield for each batch how many passages got vectors, and how many have none."""
    done = 0
    while True:
        with database.snapshot() as db:
            missing = vectors.missing(db, model.id)
        total = done + len(missing)
        for at in range(0, len(missing), BATCH):
            with database.snapshot() as db:
                texts = vectors.texts(db, missing[at : at + BATCH])
            rows = _stored(database, model, *_embedded(embedder, texts))
            if rows is None:
                return
            done += len(missing[at : at + BATCH])
            yield sum(bool(row.scales) for row in rows), sum(not row.scales for row in rows)
            if progress is not None:
                progress(done, total, model.name)
        with database.write() as db:
            wanted = vectors.wanted(db)
            if vectors.finish(db, model.id) or wanted is None or wanted.id != model.id:
                return


def _embedded(
    embedder: "Embedder", texts: Sequence[tuple[int, str]]
) -> "tuple[list[tuple[int, int]], NDArray[np.float32]]":
    """Return each passage with the number of its chunks, and the vectors of all chunks, one after another."""
    parts = [(passage, [text[start:end] for start, end in chunks(text)]) for passage, text in texts]
    pieces = [piece for _, some in parts for piece in some]
    order = sorted(range(len(pieces)), key=lambda at: len(pieces[at]))  # alike beside each other: nothing is padded
    found = np.zeros((len(pieces), embedder.dimensions), np.float32)
    if pieces:
        found[order] = embedder.embed_passages([pieces[at] for at in order])
    return [(passage, len(some)) for passage, some in parts], found


def _stored(
    database: "Database", model: ModelRow, lengths: list[tuple[int, int]], found: "NDArray[np.float32]"
) -> list[Packed] | None:
    """Store the vectors of passages; return None if the model is not wanted any more."""
    with database.write() as db:
        standing = vectors.standing(db, model.id)
        if standing is None:
            return None
        mean = np.frombuffer(standing.mean, np.float32) if standing.mean else _mean(found)
        rows = list(_packed(lengths, found, mean))
        return rows if vectors.put(db, model.id, rows, mean.tobytes()) else None


def _mean(found: "NDArray[np.float32]") -> "NDArray[np.float32]":
    mean: NDArray[np.float32] = found.sum(axis=0) / np.float32(len(found) + _SHRINK)
    return mean


def _packed(
    lengths: list[tuple[int, int]], found: "NDArray[np.float32]", mean: "NDArray[np.float32]"
) -> Iterator[Packed]:
    """Yield passages with their vectors as int8: the distance from the mean over the scale of each, 127 at most."""
    away = found - mean
    scales = np.maximum(np.abs(away).max(axis=1, initial=0.0) / 127, 1e-12).astype(np.float32)
    whole = np.rint(away / scales[:, None]).astype(np.int8)
    empty: NDArray[np.bool_] = ~np.any(found, axis=1)
    scales[empty], whole[empty] = 0, 0
    at = 0
    for passage, length in lengths:
        end = at + length
        if empty[at:end].all():
            yield Packed(passage, b"", b"")
        else:
            yield Packed(passage, scales[at:end].tobytes(), whole[at:end].tobytes())
        at = end
