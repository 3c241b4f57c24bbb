"""A stretch of vectors as an index searches it: written once, mapped into memory, read by any number of processes."""

import math
import mmap
import os
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yuanwen.store.vectors import Packed

SIGNS_FROM = 8192  # vectors of a segment from which on it has signs: below, going through all is as fast
_BLOCK = 512  # vectors that are compared at once: as float32 they stay in the cache of a processor
_ROWS = 1024  # rows of the store that are copied at once
_LARGE = 0.98  # of the numbers of a query weigh less than the largest
_STRIP = 8192  # vectors whose signs are compared at once
_SAMPLE = 16384  # vectors whose mean tells where the signs of a segment change


class Shape(NamedTuple):
    """The number of vectors in a segment, and their dimensions."""

    vectors: int
    dimensions: int

    @property
    def words(self) -> int:
        """64-bit words of the signs of a vector."""
        return -(-self.dimensions // 64) if self.vectors >= SIGNS_FROM else 0

    @property
    def bytes(self) -> int:
        n, d = self
        return n * 8 + self.words * n * 8 + n * 4 + n * 4 + d * 4 + n * d


class Segment:
    """Vectors, and of each its passage, the number of its chunk there, and its scale (0: nothing was embedded).

    A large one has a sign for each number of a vector as well, told from the mean of the segment.
    """

    def __init__(self, shape: Shape, memory: "mmap.mmap | bytearray") -> None:
        self.shape = shape
        n, d = shape
        at = 0

        def part(kind: type, *lengths: int) -> "NDArray[Any]":
            nonlocal at
            found: NDArray[Any] = np.frombuffer(memory, kind, math.prod(lengths), at).reshape(lengths)
            at += found.nbytes
            return found

        self.passages = part(np.int64, n)
        self.signs = part(np.uint64, shape.words, n)
        self.scales = part(np.float32, n)
        self.chunks = part(np.int32, n)
        self.mean = part(np.float32, d)
        self.vectors = part(np.int8, n, d)

    @classmethod
    def mapped(cls, path: str, shape: Shape) -> Self:
        """Return the segment in a file. Raises OSError or ValueError if it is not there, or of another size."""
        with open(path, "rb") as file:
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(memory) != shape.bytes:
            raise ValueError(f"{path} has {len(memory)} bytes, not {shape.bytes}")
        return cls(shape, memory)

    @classmethod
    def written(cls, path: str, shape: Shape, parts: Sequence[Self], rows: "Iterable[Packed]") -> Self:
        """Write a segment of what `parts` hold and of rows of the store to a file, and return it."""
        with open(path, "w+b") as file:
            file.truncate(shape.bytes)
            memory = mmap.mmap(file.fileno(), shape.bytes)
            cls(shape, memory)._fill(parts, rows)
            memory.flush()
            os.fsync(file.fileno())
        return cls.mapped(path, shape)

    @classmethod
    def made(cls, shape: Shape, parts: Sequence[Self], rows: "Iterable[Packed]") -> Self:
        """Return the same in memory alone."""
        segment = cls(shape, bytearray(shape.bytes))
        segment._fill(parts, rows)
        return segment

    # ----------------------------------------------------------------------------------------- being made

    def _fill(self, parts: "Sequence[Segment]", rows: "Iterable[Packed]") -> None:
        at = 0
        for part in parts:
            end = at + part.shape.vectors
            self.passages[at:end], self.chunks[at:end] = part.passages, part.chunks
            self.scales[at:end], self.vectors[at:end] = part.scales, part.vectors
            at = end
        left = iter(rows)
        while some := list(islice(left, _ROWS)):
            at = self._take(at, some)
        if at != self.shape.vectors:
            raise ValueError(f"{at} vectors where {self.shape.vectors} were counted")
        if self.shape.words:
            self._sign()

    def _take(self, at: int, rows: "Sequence[Packed]") -> int:
        """Copy rows of the store in from number `at` on; return the number after them."""
        lengths = [len(row.scales) // 4 for row in rows]
        end = at + sum(lengths)
        self.passages[at:end] = np.repeat([row.passage for row in rows], lengths)
        self.chunks[at:end] = np.concatenate([np.arange(length) for length in lengths])
        self.scales[at:end] = np.frombuffer(b"".join(row.scales for row in rows), np.float32)
        vectors = np.frombuffer(b"".join(row.vectors for row in rows), np.int8)
        self.vectors[at:end] = vectors.reshape(-1, self.shape.dimensions)
        return end

    def _sign(self) -> None:
        step = -(-self.shape.vectors // _SAMPLE)
        self.mean[:] = (self.vectors[::step] * self.scales[::step, None]).mean(axis=0)
        for at in range(0, self.shape.vectors, _BLOCK):
            end = at + _BLOCK
            self.signs[:, at:end] = signs(self.vectors[at:end] * self.scales[at:end, None] - self.mean).T

    # ---------------------------------------------------------------------------------------- being asked

    def products(self, query: "NDArray[np.float32]", rows: "NDArray[np.intp] | None" = None) -> "NDArray[np.float32]":
        """Return the product of each vector (or of those in `rows`) with a query; -inf where there is no vector."""
        number = self.shape.vectors if rows is None else len(rows)
        found = np.empty(number, np.float32)
        for at in range(0, number, _BLOCK):
            block = slice(at, at + _BLOCK) if rows is None else rows[at : at + _BLOCK]
            np.dot(self.vectors[block].astype(np.float32), query, out=found[at : at + _BLOCK])
        scales = self.scales if rows is None else self.scales[rows]
        found *= scales
        found[scales == 0] = -np.inf
        return found

    def likely(
        self, query: "NDArray[np.float32]", mean: "NDArray[np.float32]", number: int, chosen: "NDArray[np.bool_] | None"
    ) -> "NDArray[np.intp]":
        """Return at least `number` rows, those whose signs fit a query best, of the chosen ones.

        `mean` is what the vectors are the distance from. They are signed by their distance from their own mean; of the
        query what lies along that is taken off: the rest decides which product is larger.
        """
        centre = self.mean + mean
        along = float(query @ centre) / max(float(centre @ centre), 1e-12)
        differing = self._differing(query - np.float32(along) * centre)
        if chosen is not None:
            differing[~chosen] = np.iinfo(np.uint16).max
        most = int(np.searchsorted(np.cumsum(np.bincount(differing)), number))
        return np.flatnonzero(differing <= min(most, np.iinfo(np.uint16).max - 1))

    def _differing(self, query: "NDArray[np.float32]") -> "NDArray[np.uint16]":
        """Return the weight of the signs in which each vector differs from a query: of each 0 to 3, by its number."""
        asked = signs(query[None])[0]
        weights = np.rint(np.abs(query) / max(np.quantile(np.abs(query), _LARGE), 1e-12) * 3).clip(0, 3).astype(int)
        ones, twos = signs(np.stack([weights & 1, weights & 2]).astype(np.float32))
        found = np.zeros(self.shape.vectors, np.uint16)
        for at in range(0, self.shape.vectors, _STRIP):
            strip = found[at : at + _STRIP]
            for word, own in enumerate(self.signs[:, at : at + _STRIP]):
                unlike = own ^ asked[word]
                twice = np.bitwise_count(unlike & twos[word])
                twice += twice
                unlike &= ones[word]
                twice += np.bitwise_count(unlike)
                strip += twice
        return found


def signs(vectors: "NDArray[np.float32]") -> "NDArray[np.uint64]":
    """Return (vectors, words): a bit for each number, set where it is positive."""
    bits = np.packbits(vectors > 0, axis=1, bitorder="little")
    filled = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    filled[:, : bits.shape[1]] = bits
    return filled.view(np.uint64)
