"""What a file becomes on its way into a library.

Offsets and lengths are code points, half-open `[start, end)`. Times are ISO 8601 strings with an offset.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class File:
    """A file that the walk found and that may become text. `mtime_ns` is nanoseconds since 1970."""

    path: Path
    size: int
    mtime_ns: int


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
