"""The data that travels between the stages, and out of the library.

Offsets and lengths are code points, half-open `[start, end)`. Times are ISO 8601 strings with an offset.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Mode = Literal["ranked", "exact", "expand", "raw"]
Match = Literal["verbatim", "folded", "terms"]
State = Literal["current", "changed", "missing"]

MODES: tuple[Mode, ...] = ("ranked", "exact", "expand", "raw")


# ------------------------------------------------------------------------------------------- files


@dataclass(frozen=True, kw_only=True)
class File:
    """A file that the walk found and that may become text. `mtime_ns` is nanoseconds since 1970."""

    path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True, kw_only=True)
class Skip:
    """A file or folder that was not indexed. `source` is its path; `reason` and `hint` are sentences.

    `by_rule` tells what was left out on purpose (hidden, ignored, a secret) from what could not be read.
    """

    source: str
    reason: str
    hint: str = ""
    by_rule: bool = False


# --------------------------------------------------------------------------------------- extraction


@dataclass(frozen=True, kw_only=True)
class Raw:
    """The bytes of a file, ready for an extractor. `name` is its file name, `media_type` as detected."""

    name: str
    data: bytes
    media_type: str


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading that stands at `start` in the extracted text. `level` is 1 for the highest."""

    start: int
    level: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Record:
    """A passage whose borders its author fixed: `text[start:end]` of the document is its body."""

    start: int
    end: int
    label: str
    title: str
    paragraph: int
    tags: tuple[str, ...] = ()
    dated: str | None = None


@dataclass(frozen=True, kw_only=True)
class Extracted:
    """One document as an extractor read it.

    `source` is None when the document is the file itself, else its name within the file. `text` is verbatim.
    `headings` are in order of `start`. `paragraphs` are offsets where paragraphs start, if the format knows
    better than blank lines do. `records` tile `text` if there are any. `replaced` counts characters that
    stand for bytes which could not be decoded.
    """

    text: str
    media_type: str
    title: str = ""
    source: str | None = None
    headings: tuple[Heading, ...] = ()
    paragraphs: tuple[int, ...] = ()
    records: tuple[Record, ...] = ()
    tags: tuple[str, ...] = ()
    dated: str | None = None
    author: str = ""
    encoding: str = "utf-8"
    replaced: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A contiguous span of a version's text. `ordinal` and `paragraph` count from 1."""

    ordinal: int
    start: int
    end: int
    text: str
    heading: tuple[str, ...] = ()
    paragraph: int = 1
    label: str | None = None
    title: str | None = None
    tags: tuple[str, ...] = ()
    dated: str | None = None


# ------------------------------------------------------------------------------------------ evidence


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


# ------------------------------------------------------------------------------------ about a library


@dataclass(frozen=True, kw_only=True)
class Report:
    """What `add` or `sync` did. `files` is `indexed` + `unchanged` + the number of `skipped`."""

    files: int
    indexed: int
    unchanged: int
    removed: int
    skipped: tuple[Skip, ...]
    warnings: tuple[str, ...]
    passages: int
    elapsed_ms: float


@dataclass(frozen=True, kw_only=True)
class Document:
    """A document of the library in its current version (the last one, where `state` is `missing`)."""

    source: str
    title: str
    media_type: str
    version: str
    versions: int
    passages: int
    characters: int
    tags: tuple[str, ...]
    dated: str
    added: str
    encoding: str
    replaced: int
    state: State


@dataclass(frozen=True, kw_only=True)
class Tag:
    """A tag and the number of documents that carry it."""

    tag: str
    documents: int


@dataclass(frozen=True, kw_only=True)
class Root:
    """A file or folder that the library keeps in step with the disk."""

    path: str
    tags: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Status:
    """The health of a library. Sizes are bytes. `index_position` equals `generation` when it has caught up."""

    path: str
    format: int
    index: str
    generation: int
    index_position: int
    documents: int
    passages: int
    characters: int
    versions: int
    library_bytes: int
    index_bytes: int
    roots: tuple[Root, ...]
    skipped: tuple[Skip, ...]
    stale: tuple[StaleSource, ...]
    replaced: tuple[Document, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Check:
    """The result of an integrity check: `problems` is empty for a sound library."""

    problems: tuple[str, ...]
    repaired: tuple[str, ...] = ()
    passages: int = 0


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """What `forget` removed, and the proof: nothing of it is left in the file or the index."""

    documents: int
    versions: int
    passages: int
    sources: tuple[str, ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class Compacted:
    """What `compact` won: bytes of the library and its index, and superseded versions that were dropped."""

    before_bytes: int
    after_bytes: int
    versions: int = 0
    passages: int = 0
