"""What checking an answer returns, the same on every surface.

Offsets are code points, half-open `[start, end)`. Times are ISO 8601 strings with an offset.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from yuanwen.model import State

if TYPE_CHECKING:
    from yuanwen.place import Mark, Place

Status = Literal[
    "verbatim",
    "normalised",
    "altered",
    "elsewhere",
    "not_found",
    "too_short",
    "stale",
    "unknown_citation",
    "uncited",
]
Verdict = Literal["supported", "unsupported", "nothing_to_verify"]
Folding = Literal["width", "form", "case", "script", "punctuation", "white space", "hyphen", "markup"]
ChangeKind = Literal["number", "date", "name", "negation", "words", "punctuation"]

SUPPORTED: frozenset[Status] = frozenset({"verbatim", "normalised"})


@dataclass(frozen=True, kw_only=True)
class Change:
    """Where a quotation departs from the original: `original` was written, `quoted` stands in the quotation.

    One of the two is empty where words were added or left out. `in_quote` is a span of the quotation, `in_text` of the
    original words beside it (`Found.text`). `kind` says what it changes; the grave kinds come first.
    """

    kind: ChangeKind
    original: str
    quoted: str
    in_quote: tuple[int, int]
    in_text: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Found:
    """Original words, and where they stand: `text` is `[start, end)` of the text of `version`.

    `id` is the passage in which they start. `dated` is the date of that version of the document; `state` compares the
    file with the disk, `changed` also for a version that is no longer the current one. `marks` say what casts doubt on
    the words (that a reader does not see them, that they were read from a picture), counted from the start of `text`.
    """

    id: str
    source: str
    title: str
    version: str
    dated: str
    paragraph: int
    page: int | None
    place: "Place | None"
    start: int
    end: int
    text: str
    state: State
    marks: "tuple[Mark, ...]" = ()


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A quotation, a citation without one, or a sentence without either, and what came of checking it.

    `quote` is as it stands in the answer, at `in_answer`; for `uncited`, and for a citation alone, it is the sentence.
    `citation` is the id that it is given with. `found` are the original words that it was compared with. `folding` says
    in which respects a `normalised` quotation differs, `changes` what an `altered` one changes. `elsewhere` is where
    the words of a quotation stand if not at the place cited. `now` is what stands there in the version that is current,
    where the one that was cited is not.
    """

    quote: str
    citation: str | None
    status: Status
    in_answer: tuple[int, int]
    found: Found | None = None
    folding: tuple[Folding, ...] = ()
    changes: tuple[Change, ...] = ()
    elsewhere: tuple[Found, ...] = ()
    now: Found | None = None


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The verdict on an answer, and each claim in the order of the answer. `counts` are claims by status."""

    verdict: Verdict
    counts: dict[Status, int]
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
