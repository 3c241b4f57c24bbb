"""Derived indexes: what they hold, how they are asked, and which there are.

An index holds an entry for each passage and finds passage ids by their tokens. It can be rebuilt from the store at
any time; it remembers, in its own commit, the last change of the store that it holds (its position).
"""

import os
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from yuanwen.errors import UsageError
from yuanwen.store.reading import Position

Field = Literal["text", "title", "terms"]


# ------------------------------------------------------------------------------------------- going in


class Entry(NamedTuple):
    """A passage as an index takes it: tokens separated by spaces, and what filters ask for.

    `text` and `title` keep their order; `terms` need none. `dated` is in seconds since 1970.
    """

    passage: int
    document: int
    text: str
    title: str
    terms: str
    media_type: str
    tags: tuple[str, ...]
    dated: int


# ---------------------------------------------------------------------------------------- being asked


class Term(NamedTuple):
    """Passages with a token. It adds `weight` times its BM25 to the score."""

    field: Field
    token: str
    weight: float = 1.0


class Phrase(NamedTuple):
    """Passages of whose text the tokens stand one after another."""

    tokens: tuple[str, ...]
    field: Field = "text"


class Prefix(NamedTuple):
    """Passages with a token that starts so."""

    prefix: str
    field: Field = "text"


class Part(NamedTuple):
    """Passages with a word that starts with, ends with or holds a part, and perhaps some others with words."""

    part: str
    place: Literal["start", "end", "inside"]


class AnyTerm(NamedTuple):
    """Passages with one of many tokens; they all score alike."""

    tokens: tuple[str, ...]
    field: Field = "text"


class All(NamedTuple):
    """Passages that every part finds, and none of `but` does; those that `rather` finds as well score higher."""

    parts: tuple["Clause", ...]
    but: tuple["Clause", ...] = ()
    rather: tuple["Clause", ...] = ()


class Some(NamedTuple):
    """Passages that at least one part finds."""

    parts: tuple["Clause", ...]


class Everything(NamedTuple):
    """Every passage."""


Clause = Term | Phrase | Prefix | Part | AnyTerm | All | Some | Everything


class Filters(NamedTuple):
    """What a passage must be, whatever it says. None and empty mean no condition; times are seconds, inclusive."""

    documents: frozenset[int] | None = None
    media_types: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()
    unwanted_tags: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None


NO_FILTERS = Filters()


class Found(NamedTuple):
    """Passage ids with scores, best first, and how many there are in all if that was asked for."""

    hits: tuple[tuple[int, float], ...]
    total: int | None = None


WORD_LIMIT = 2000  # words that a part of a word is spelt out to


def fits(word: str, part: Part) -> bool:
    """Return whether a word (as a token, with its mark) is one of those that a part stands for."""
    if part.place == "start":
        return word.startswith(part.part, 1)
    return word.endswith(part.part) if part.place == "end" else part.part in word


def words_with(words: str, part: str, limit: int) -> list[str] | None:
    """Return the lines of `words` that contain `part`, or None if they are more than `limit`."""
    found: list[str] = []
    at = words.find(part)
    while at >= 0:
        if len(found) == limit:
            return None
        start, end = words.rfind("\n", 0, at) + 1, words.find("\n", at)
        end = len(words) if end < 0 else end
        found.append(words[start:end])
        at = words.find(part, end)
    return found


class Index(Protocol):
    """One index. Reading methods see the last commit of any process as of the latest `refresh`."""

    def refresh(self) -> Position:
        """Return the position of the latest commit, which is seen from now on; START if there is none."""

    def update(
        self,
        expected: Position,
        position: Position,
        gone: Iterable[int],
        entries: Iterable[Entry],
        *,
        wait: bool = True,
    ) -> bool:
        """Take the documents `gone` out, put `entries` in, and commit both with `position`.

        Returns False, with nothing done, if the index is not at the position `expected` any more, since another
        process has moved it. Raises Busy if another process is writing, at once unless `wait`.
        """

    def clear(self, *, wait: bool = True) -> None:
        """Take everything out, with every trace of it on disk; the position becomes START. Raises Busy as above."""

    def search(self, clause: Clause, filters: Filters = NO_FILTERS, *, limit: int, count: bool = False) -> Found:
        """Return the best `limit` passages."""

    def frequencies(self, field: Field, tokens: Sequence[str]) -> list[int]:
        """Return for each token the number of passages that hold it, some just taken out perhaps included."""

    def starting(self, start: str, limit: int) -> list[tuple[str, int]]:
        """Return tokens of texts that start so, with their frequencies as above, the `limit` most frequent first."""

    def words(self, part: str, limit: int) -> list[str] | None:
        """Return the words (as tokens) that contain `part`, or None if they are more than `limit`."""

    def entries(self) -> int:
        """Return the number of passages that the index holds."""

    def size(self) -> int:
        """Return the bytes that the index takes on disk beside the library file."""

    def problems(self) -> list[str]:
        """Return what is wrong with the files of the index."""

    def close(self) -> None:
        """Let go of every file."""


# ---------------------------------------------------------------------------------------- which there are

INDEXES = {"tantivy": "yuanwen.index.tantivy:TantivyIndex", "fts5": "yuanwen.index.fts5:Fts5Index"}


def index_folder(library: str) -> str:
    """Return the folder of derived data beside a library file."""
    return library + ".index"


def vectors_folder(library: str) -> str:
    """Return the folder in which vectors are kept as a search reads them."""
    return os.path.join(index_folder(library), "vectors")


def check_kind(kind: str) -> None:
    """Raise UsageError unless there is an index of this kind."""
    if kind not in INDEXES:
        raise UsageError(
            "there is no index {kind}", hint="Choose one of: {kinds}.", kind=kind, kinds=", ".join(INDEXES)
        )
