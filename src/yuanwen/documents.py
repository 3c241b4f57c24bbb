"""What a file becomes on its way into a library.

Offsets and lengths are code points, half-open `[start, end)`. Times are ISO 8601 strings with an offset.
"""

from dataclasses import dataclass, field
from pathlib import Path

from yuanwen.absence import Skip
from yuanwen.allowance import Allowance
from yuanwen.place import Mark, Place

__all__ = ["Extracted", "File", "Heading", "Mark", "Passage", "Place", "Raw", "Reading", "Record"]


@dataclass(frozen=True, kw_only=True)
class File:
    """A file that the walk found and that may become text. `mtime_ns` is nanoseconds since 1970."""

    path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True, kw_only=True)
class Raw:
    """The bytes of a file, ready for an extractor. `name` is its file name, `media_type` as detected.

    `passwords` are tried on a file that asks for one. `allowance` is shared by all that is inside one file; `inside` is
    the path of this one there, empty for the file itself, and `depth` counts the files around it.
    """

    name: str
    data: bytes
    media_type: str
    passwords: tuple[str, ...] = ()
    allowance: Allowance = field(default_factory=Allowance, compare=False)
    inside: str = ""
    depth: int = 0


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading that stands at `start` in the extracted text. `level` is 1 for the highest.

    `text` may have the number that a reader sees before it. One without text ends the headings before it.
    """

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

    `inside` is empty when the document is the file itself, else its path within the file (`报价/a.docx` in an archive).
    `source` is the name that the document gives itself, if it does so. `text` is verbatim. `headings` are in order of
    `start`. `paragraphs` are offsets where paragraphs start, if the format knows better than blank lines do. `places`
    are pairs of an offset and the place that begins there, in order; the first is at 0 if there are any. With `lines`
    the place of a passage is its lines. `records` tile `text` if there are any. `marks` are in order of `start`.
    `replaced` counts characters that stand for bytes which could not be decoded.
    """

    text: str
    media_type: str
    title: str = ""
    source: str | None = None
    inside: str = ""
    headings: tuple[Heading, ...] = ()
    paragraphs: tuple[int, ...] = ()
    places: tuple[tuple[int, Place], ...] = ()
    lines: bool = False
    records: tuple[Record, ...] = ()
    marks: tuple[Mark, ...] = ()
    tags: tuple[str, ...] = ()
    dated: str | None = None
    author: str = ""
    encoding: str = "utf-8"
    replaced: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a file holds: each document with its passages, and the parts that could not be read.

    Of a document there is the text and what it says of itself; headings, places and marks are those of the passages.
    `version` is that of what read it. The source of a part is its path within the file, empty for one without a name.
    """

    version: str
    documents: "tuple[tuple[Extracted, tuple[Passage, ...]], ...]"
    unread: tuple[Skip, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A contiguous span of a version's text. `ordinal` and `paragraph` count from 1. `marks` are spans of `text`."""

    ordinal: int
    start: int
    end: int
    text: str
    heading: tuple[str, ...] = ()
    paragraph: int = 1
    place: Place | None = None
    marks: tuple[Mark, ...] = ()
    label: str | None = None
    title: str | None = None
    tags: tuple[str, ...] = ()
    dated: str | None = None
