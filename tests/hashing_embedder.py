"""An embedder for tests: pairs of characters, hashed into 64 dimensions. Texts that share pairs lie near each other."""

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from yuanwen.embed import embedded, fingerprint


class HashingEmbedder:
    """Deterministic, without a network or weights; another `seed` is another model.

    With `narrow` all vectors lie in a narrow cone, as those of some models do.
    """

    def __init__(self, name: str = "hashing", *, dimensions: int = 64, seed: int = 0, narrow: bool = False) -> None:
        self.name = name
        self.dimensions = dimensions
        self.fingerprint = fingerprint("hashing", str(dimensions), str(seed), str(narrow))
        self._narrow = narrow
        self.weight = 0.5
        self._seed = seed

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return embedded(texts, self.dimensions, self._hashed)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed_passages([text])[0]
        return vector

    def _hashed(self, texts: list[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for pair in map("".join, zip(f" {text}", f"{text} ", strict=True)):
                digest = zlib.crc32(pair.encode("utf-8", "surrogatepass"), self._seed)
                found[row, digest % self.dimensions] += 1 if digest & 0x10000 else -1
        if self._narrow:
            found += 2 * np.linalg.norm(found, axis=1, keepdims=True) / np.sqrt(self.dimensions)
        return found
