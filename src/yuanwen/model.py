"""What a search answers with, the same on every surface.

Offsets and lengths are code points, half-open `[start, end)`. Times are ISO 8601 strings with an offset.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from yuanwen.absence import Absence
    from yuanwen.place import Mark, Place

Mode = Literal["ranked", "exact", "semantic", "hybrid", "expand", "raw"]
Match = Literal["verbatim", "folded", "terms", "semantic", "terms+semantic"]
State = Literal["current", "changed", "missing"]
Piece = tuple[Literal["=", "-", "+"], str]  # of two texts beside each other: in both, in the older, in the newer one

MODES: tuple[Mode, ...] = ("ranked", "exact", "semantic", "hybrid", "expand", "raw")


@dataclass(frozen=True, kw_only=True)
class Context:
    """A passage beside a hit."""

    id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Now:
    """What stands today where a passage of an older version stood.

    `state`: the words stand there `unchanged`, they were `changed` or `deleted`, or the document is `gone`. `added` is
    when the old version was taken in, `since` when the first version without its words was, null if there is none.
    `version` and `dated` are those of the current version, null if there is none; `passages` of it took the place of
    the old one, and `diff` leads from the old words to those that stand there now, in the order of the text.
    """

    state: Literal["unchanged", "changed", "deleted", "gone"]
    added: str
    since: str | None
    version: str | None
    dated: str | None
    passages: tuple[Context, ...] = ()
    diff: tuple[Piece, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A passage that answers, and why.

    `matches` are spans of `text`; `excerpt` is at most 200 characters of `text`. `start` and `end` are offsets
    in the text of `version`. `place` is where it stands in terms of its format, and `page` the number of its page, if
    it has pages; `marks` is what has to be known about stretches of `text`. `match` is `verbatim`, `folded`, `terms`,
    `semantic`, or `terms+semantic` for both. `coverage` is the share (0 to 1) of the question's weight that the
    passage's words cover, and `evidence` the span of the sentence of `text` that answers best, null where the search
    was not for an answer. `state` compares the file with the disk at query time. A match of `exact` that crosses the
    border of passages has them all in `text`, and the id of the first. `now` is null for a passage of a current
    version.
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
    place: "Place | None"
    start: int
    end: int
    text: str
    excerpt: str
    matches: tuple[tuple[int, int], ...]
    match: Match
    score: float
    coverage: float
    evidence: tuple[int, int] | None
    marks: "tuple[Mark, ...]"
    tags: tuple[str, ...]
    dated: str
    state: State
    before: tuple[Context, ...] = ()
    after: tuple[Context, ...] = ()
    now: Now | None = None
    explain: dict[str, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What a search looked through. `generation` rises with every change of the library."""

    documents: int
    passages: int
    generation: int


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The hits for one question, and the verdict. `found` may be a lower bound: see `found_is`.

    `strength` is how well the first hit answers, null where there is none; `confidence` (0 to 1) is what that was
    judged by, and comparable across questions; `doubts` are the kinds of things that the question has and its best
    sentence has not: `negation`, `opposite`, `name`, `number`, or the `kind` of thing that is asked for.
    """

    status: Literal["evidence_found", "abstain"]
    query: str
    mode: Mode
    found: int
    found_is: Literal["exact", "at_least"]
    hits: tuple[Hit, ...]
    absence: "Absence | None"
    searched: Searched
    strength: Literal["strong", "weak"] | None = None
    confidence: float = 0.0
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    elapsed_ms: float = 0.0
