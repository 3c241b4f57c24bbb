"""Which passages are nearest to a vector, exactly: from files that are made of the store at will, and grow with it.

The vectors lie in segments that are never changed: new ones become a segment once there are enough, and until then
stay in memory; segments that have grown alike are joined. A list names the segments that count, and is replaced at
once, so that no reader sees half of anything. A large segment is asked in two steps: the signs of its vectors tell
which are likely (Hamming distance), their products with the query decide.
"""

import json
import os
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yuanwen.index import vectors_folder
from yuanwen.index.segment import Segment, Shape
from yuanwen.store import vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yuanwen.store.connection import Connection
    from yuanwen.store.vectors import ModelRow, Standing

FORMAT = 1  # of segments and of their list
TAIL = 2048  # vectors that stay in memory, and are read anew by each process
LIKELY = 4000  # vectors of a large segment that are compared in full: benchmarks/vectors.py prints what that keeps
_PER_LIKELY = 64  # and one more for so many
_FEWER = 4  # times less have to be likely than there are: else going through all is as fast
_STRAY_SECONDS = 3600.0  # after which a file that no list names is nobody's work any more


class Near(NamedTuple):
    """A passage near to a query: its chunk that is nearest, and the cosine of that."""

    passage: int
    chunk: int
    cosine: float


class Point(NamedTuple):
    """The row of the store up to which something reaches."""

    last: int
    stamp: int


@dataclass(frozen=True)
class _Part:
    """A segment, the file that it is in ("": in memory alone), and the last row of the store that is in it."""

    segment: Segment
    file: str
    end: Point


@dataclass(frozen=True)
class _State:
    """The vectors of a model as far as they were seen; the parts follow each other."""

    epoch: str
    parts: tuple[_Part, ...]

    @property
    def end(self) -> Point:
        return self.parts[-1].end if self.parts else Point(0, 0)


class VectorIndex:
    """The vectors of a library, beside its file; less than `tail` of them are kept in memory. Any thread may ask."""

    def __init__(self, library: str, *, tail: int = TAIL, likely: int = LIKELY) -> None:
        self._folder = vectors_folder(library)
        self._tail = tail
        self._likely = likely
        self._lock = threading.Lock()
        self._states: dict[str, _State] = {}

    def search(
        self,
        db: "Connection",
        model: "ModelRow",
        query: "NDArray[np.float32]",
        *,
        among: Collection[int] | None = None,
        limit: int,
    ) -> list[Near]:
        """Return the current passages nearest to a query of length 1, the nearest first, `among` some if given.

        A passage is as near as its nearest chunk. `db` is a snapshot: what is found is of the state that it shows.
        """
        standing = vectors.standing(db, model.id)
        if standing is None or limit < 1 or (among is not None and not among):
            return []
        query = np.ascontiguousarray(query, np.float32)
        mean = np.frombuffer(standing.mean, np.float32) if standing.mean else np.zeros_like(query)
        parts = [part.segment for part in self.catch_up(db, model).parts if part.segment.shape.vectors]
        asked = _Asked(query, mean, [_chosen(segment, among) for segment in parts])
        for share in (1, 8, None):
            found, is_all = _found(parts, asked, share and share * max(self._likely, 4 * limit))
            near = _nearest(db, found, limit)
            if len(near) == limit or is_all:
                break
        return near

    def catch_up(self, db: "Connection", model: "ModelRow") -> _State:
        """Have the index hold what the store holds of a model, and return what it holds."""
        standing = vectors.standing(db, model.id)
        if standing is None:
            return _State("", ())
        with self._lock:
            state = self._states.get(model.fingerprint) or self._read(model)
            kept = _known(db, model, standing, state)
            if kept.end != Point(standing.last, standing.stamp):
                kept = self._extended(db, model, standing, kept)
            self._states[model.fingerprint] = kept
            return kept

    # ------------------------------------------------------------------------------------------- growing

    def _extended(self, db: "Connection", model: "ModelRow", standing: "Standing", state: _State) -> _State:
        """Return the state with all rows of the store, what is new in a file if that is worth it."""
        whole = [part for part in state.parts if part.file]
        end = whole[-1].end if whole else Point(0, 0)
        number = vectors.count_after(db, model.id, end.last)
        goal = Point(standing.last, standing.stamp)
        rows = vectors.after(db, model.id, end.last)
        if number < self._tail:
            tail = Segment.made(Shape(number, model.dimensions), (), rows)
            return _State(state.epoch, (*whole, _Part(tail, "", goal)))
        joined: list[_Part] = []
        while whole and whole[-1].segment.shape.vectors < 2 * number:
            joined.insert(0, whole.pop())
            number += joined[0].segment.shape.vectors
        shape = Shape(number, model.dimensions)
        parts = [part.segment for part in joined]
        try:
            os.makedirs(self._folder, exist_ok=True)
            name = f"{model.fingerprint}-{token_hex(6)}.vectors"
            made = Segment.written(os.path.join(self._folder, name), shape, parts, rows)
            grown = _State(state.epoch, (*whole, _Part(made, name, goal)))
            self._write(model, grown)
        except OSError:  # nothing can be written here: it is made again by each process
            rows = vectors.after(db, model.id, end.last)
            made = Segment.made(shape, parts, rows)
            return _State(state.epoch, (*whole, _Part(made, "", goal)))
        self._tidy(db, (part.file for part in joined))
        return grown

    def _list(self, model: "ModelRow") -> str:
        return os.path.join(self._folder, f"{model.fingerprint}-{FORMAT}.json")

    def _read(self, model: "ModelRow") -> _State:
        """Return the state that the files hold: an empty one where some are missing, or not as they should be."""
        try:
            with open(self._list(model), encoding="utf-8") as file:
                held = json.load(file)
            parts = []
            for name, number, *end in held["segments"]:
                path = os.path.join(self._folder, os.path.basename(name))
                parts.append(_Part(Segment.mapped(path, Shape(number, model.dimensions)), name, Point(*end)))
            return _State(held["epoch"], tuple(parts))
        except (OSError, ValueError, KeyError, TypeError):
            return _State("", ())

    def _write(self, model: "ModelRow", state: _State) -> None:
        segments = [[part.file, part.segment.shape.vectors, *part.end] for part in state.parts if part.file]
        new = f"{self._list(model)}.{token_hex(6)}"
        with open(new, "w", encoding="utf-8") as file:
            json.dump({"epoch": state.epoch, "segments": segments}, file)
        os.replace(new, self._list(model))

    def _tidy(self, db: "Connection", replaced: Iterator[str]) -> None:
        """Remove files that were replaced, those of models that are gone, and those that somebody left behind."""
        going, known = set(replaced), vectors.fingerprints(db)
        for entry in list(os.scandir(self._folder)):
            with suppress(OSError):
                fingerprint = entry.name.partition("-")[0]
                if entry.name in going or fingerprint not in known or self._is_stray(entry):
                    os.remove(entry.path)

    def _is_stray(self, entry: "os.DirEntry[str]") -> bool:
        if time.time() - entry.stat().st_mtime < _STRAY_SECONDS or entry.name.endswith(f"-{FORMAT}.json"):
            return False
        with open(
            os.path.join(self._folder, f"{entry.name.partition('-')[0]}-{FORMAT}.json"), encoding="utf-8"
        ) as file:
            return entry.name not in file.read()


def _known(db: "Connection", model: "ModelRow", standing: "Standing", state: _State) -> _State:
    """Return what of a state is in the history of the library as `db` shows it."""
    parts = state.parts if state.epoch == standing.epoch else ()
    goal = Point(standing.last, standing.stamp)
    while parts and parts[-1].end != goal and not vectors.is_known(db, model.id, *parts[-1].end):
        parts = parts[:-1]
    return _State(standing.epoch, parts)


# --------------------------------------------------------------------------------------------- searching


class _Asked(NamedTuple):
    """A query, the mean that vectors are the distance from, and of each segment the vectors that may be found."""

    query: "NDArray[np.float32]"
    mean: "NDArray[np.float32]"
    chosen: "list[NDArray[np.bool_] | None]"


class _Found(NamedTuple):
    """Vectors that were compared: their cosines with the query, their passages and chunks."""

    cosines: "NDArray[np.float32]"
    passages: "NDArray[np.int64]"
    chunks: "NDArray[np.int32]"


def _chosen(segment: Segment, among: Collection[int] | None) -> "NDArray[np.bool_] | None":
    if among is None:
        return None
    return np.isin(segment.passages, np.fromiter(among, np.int64, len(among)))


def _found(parts: list[Segment], asked: _Asked, likely: int | None) -> tuple[_Found, bool]:
    """Return the vectors that were compared, `likely` ones of each large segment, and whether these are all."""
    found, is_all = [_Found(np.empty(0, np.float32), np.empty(0, np.int64), np.empty(0, np.int32))], True
    for segment, chosen in zip(parts, asked.chosen, strict=True):
        rows = None if chosen is None else np.flatnonzero(chosen)
        number = segment.shape.vectors if rows is None else len(rows)
        most = number if likely is None else likely + number // _PER_LIKELY
        if segment.shape.words and number > _FEWER * most:
            rows, is_all = segment.likely(asked.query, asked.mean, most, chosen), False
        cosines = np.round(segment.products(asked.query, rows) + asked.query @ asked.mean, 6)
        at = slice(None) if rows is None else rows
        found.append(_Found(np.clip(cosines, None, 1.0), segment.passages[at], segment.chunks[at]))
    return _Found(*map(np.concatenate, zip(*found, strict=True))), is_all


def _nearest(db: "Connection", found: _Found, limit: int) -> list[Near]:
    """Return the passages of the nearest vectors, the nearest first: current ones, each once."""
    near: list[Near] = []
    looked_at: set[int] = set()
    number = 0
    while len(near) < limit and number < len(found.cosines):
        number = max(2 * limit, 4 * number)
        first = _first(found, number)
        fresh = [each for each in first if each.passage not in looked_at]
        there = vectors.current(db, [each.passage for each in fresh])
        for each in fresh:
            if each.passage not in looked_at and each.passage in there:
                near.append(each)
            looked_at.add(each.passage)
    return near[:limit]


def _first(found: _Found, number: int) -> list[Near]:
    """Return the `number` nearest vectors, and those that are as near as the last of them, but no empty ones."""
    last = np.partition(found.cosines, -number)[-number] if number < len(found.cosines) else -np.inf
    rows = np.flatnonzero((found.cosines >= last) & np.isfinite(found.cosines))
    rows = rows[np.lexsort((found.chunks[rows], found.passages[rows], -found.cosines[rows]))]
    columns = (found.passages[rows], found.chunks[rows], found.cosines[rows].astype(np.float64).round(6))
    return [Near(*each) for each in zip(*(column.tolist() for column in columns), strict=True)]
