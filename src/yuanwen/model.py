"""What a search answers with, the same on every surface.

Offsets and lengths are code points, half-open `[start, end)`. Times are ISO 8601 strings with an offset.
"""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["ranked", "exact", "expand", "raw"]
Match = Literal["verbatim", "folded", "terms"]
State = Literal["current", "changed", "missing"]

MODES: tuple[Mode, ...] = ("ranked", "exact", "expand", "raw")


@dataclass(frozen=True, kw_only=True)
class Skip:
    """A file or folder that was not indexed. `source` is its path; `reason` and `hint` are sentences.

    `by_rule` tells what was left out on purpose (hidden, ignored, a secret) from what could not be read.
    """

    source: str
    reason: str
    hint: str = ""
    by_rule: bool = False


@dataclass(frozen=True, kw_only=True)
class Context:
    """A passage beside a hit."""

    id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A passage that answers, and why.

    `matches` are spans of `text`; `excerpt` is at most 200 characters of `text`. `start` and `end` are offsets
    in the text of `version`. `match` is `verbatim`, `folded` or `terms`. `coverage` is the share (0 to 1) of
    the question's weight that the passage's words cover. `state` compares the file with the disk at query time.
    A match of `exact` that crosses the border of passages has them all in `text`, and the id of the first.
    """

    id: str
    label: str | None
    title: str
    source: str
    media_type: str
    version: str
    heading: tuple[str, ...]
    paragraph: int
    page: int | None
    start: int
    end: int
    text: str
    excerpt: str
    matches: tuple[tuple[int, int], ...]
    match: Match
    score: float
    coverage: float
    evidence: tuple[int, int] | None
    tags: tuple[str, ...]
    dated: str
    state: State
    before: tuple[Context, ...] = ()
    after: tuple[Context, ...] = ()
    explain: dict[str, float] | None = None


@dataclass(frozen=True, kw_only=True)
class StaleSource:
    """A document whose file changed or went away since it was indexed."""

    source: str
    state: State


@dataclass(frozen=True, kw_only=True)
class Absence:
    """Why an answer is empty.

    `absent`: everything is indexed and current, and the words do not occur together; `missing_terms` never
    occur at all. `unsearchable`: these files could not be read. `stale`: these files changed or are gone.
    """

    kind: Literal["absent", "unsearchable", "stale"]
    missing_terms: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    unsearchable: tuple[Skip, ...] = ()
    stale: tuple[StaleSource, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What a search looked through. `generation` rises with every change of the library."""

    documents: int
    passages: int
    generation: int


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The hits for one question, and the verdict. `found` may be a lower bound: see `found_is`."""

    status: Literal["evidence_found", "abstain"]
    query: str
    mode: Mode
    found: int
    found_is: Literal["exact", "at_least"]
    hits: tuple[Hit, ...]
    absence: Absence | None
    searched: Searched
    notes: tuple[str, ...] = ()
    elapsed_ms: float = 0.0
