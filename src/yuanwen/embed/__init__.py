"""A text -> a vector that lies near those of texts that mean the same. Which providers there are is for `models`.

Nothing of this is in the base install: each provider imports what it needs when it is loaded.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from yuanwen.embed.chunks import CHUNKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHT = 1.0  # of a model of which nothing is known, as e5-small has it: `python -m benchmarks.meaning` prints why
_LONGEST = 4096  # characters that are embedded of one text: more than any model reads, and chunks are far shorter
_UNFIT = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


class Embedder(Protocol):
    """A model that embeds. Any thread may ask it."""

    name: str  # what its user calls it: "use", "e5-small"
    fingerprint: str  # 16 hexadecimal digits, others where the vectors would be others
    dimensions: int
    weight: float  # what being nearest in meaning adds to a score by words, which is 2 to 4 where a passage answers

    def embed_passages(self, texts: "Sequence[str]") -> "NDArray[np.float32]":
        """Return (texts, dimensions), each row of length 1, or zeros where there is nothing to embed."""
        ...

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return (dimensions,), of length 1, or zeros where there is nothing to embed."""
        ...


def fingerprint(*parts: str) -> str:
    """Return 16 hexadecimal digits for all that decides what vectors are: `parts`, and how texts are cut."""
    return hashlib.sha256("\0".join([f"{CHUNKING}", *parts]).encode()).hexdigest()[:16]


def cleaned(text: str) -> str:
    """Return what is embedded of a text: its beginning, without what is no character; empty if it has no words."""
    text = _UNFIT.sub(" ", text[:_LONGEST])
    return text if any(map(str.isalnum, text)) else ""


def by_length(lengths: Sequence[int], most: int) -> "list[list[int]]":
    """Return batches of the numbers of texts, by length, each at most `most` long when its texts are all made as long
    as its longest; a text that is longer has a batch of its own."""
    batches: list[list[int]] = []
    for at in sorted(range(len(lengths)), key=lambda at: (lengths[at], at)):
        if batches and lengths[at] * (len(batches[-1]) + 1) <= most:
            batches[-1].append(at)
        else:
            batches.append([at])
    return batches


def embedded(
    texts: Sequence[str], dimensions: int, embed: "Callable[[list[str]], NDArray[np.float32]]"
) -> "NDArray[np.float32]":
    """Return a vector for each text: what `embed` makes of the cleaned ones, scaled to length 1, and zeros elsewhere.

    What is not finite becomes zeros as well: a vector that cannot be compared is none.
    """
    import numpy as np

    found = np.zeros((len(texts), dimensions), np.float32)
    fit = [cleaned(text) for text in texts]
    rows = [row for row, text in enumerate(fit) if text]
    if rows:
        vectors = embed([fit[row] for row in rows]).astype(np.float32, copy=False)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            vectors = vectors / lengths
        vectors[~np.isfinite(vectors).all(axis=1)] = 0
        found[rows] = vectors
    return found


def embedded_query(
    text: str, dimensions: int, embed: "Callable[[list[str]], NDArray[np.float32]]"
) -> "NDArray[np.float32]":
    """Return the vector of one text, as `embedded` does."""
    row: NDArray[np.float32] = embedded([text], dimensions, embed)[0]
    return row
