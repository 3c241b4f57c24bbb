"""What a library says of itself: its contents, its health, and what was done to it."""

from dataclasses import dataclass

from yuanwen.absence import Skip, StaleSource
from yuanwen.model import State


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
    """A document of the library in its current version (the last one, where `state` is `missing`).

    `id` is that of its passages, without their number.
    """

    id: str
    source: str
    title: str
    media_type: str
    version: str
    versions: int
    passages: int
    characters: int
    tags: tuple[str, ...]
    author: str
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
    """The health of a library. Sizes are bytes. `index_position` equals `generation` when it has caught up.

    `skipped` are files that are not in it; `unread` are parts of files that are: pages, attachments, members.
    """

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
    unread: tuple[Skip, ...] = ()
    replaced: tuple[Document, ...] = ()
    vectors: "Vectors | None" = None


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
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Compacted:
    """What `compact` won: bytes of the library and its index, and superseded versions that were dropped."""

    before_bytes: int
    after_bytes: int
    versions: int = 0
    passages: int = 0


@dataclass(frozen=True, kw_only=True)
class Embedded:
    """What was embedded now, by a model: passages, those of them `skipped` in which there is nothing to embed, and the
    passages of the library in all."""

    model: str
    embedded: int
    skipped: int
    passages: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Vectors:
    """The vectors of a library by a model: current passages that are `embedded`, `missing`, and `skipped` since there
    is nothing to embed in them. They are searched once none was missing; until then those of `searched` are, if any."""

    model: str
    embedded: int
    skipped: int
    missing: int
    searched: str
