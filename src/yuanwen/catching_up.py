"""The indexes of a library, and how they come to hold what the store holds."""

from collections.abc import Iterable, Iterator
from importlib import import_module

from yuanwen import analysis
from yuanwen.errors import Busy
from yuanwen.index import INDEXES, Entry, Index, index_folder
from yuanwen.store import reading
from yuanwen.store.connection import Connection, Database


class Indexes:
    """The index of current passages, and the one of those that only superseded versions hold."""

    def __init__(self, database: Database, kind: str) -> None:
        self._database = database
        self._kind = kind
        self._position = -1
        self.current = self._open("current")
        self.superseded = self._open("superseded")

    def close(self) -> None:
        """Let go of every file."""
        self.current.close()
        self.superseded.close()

    def catch_up_if_possible(self) -> tuple[str, ...]:
        """Make the indexes see all changes, unless another process is at it; return notes on what is not seen."""
        with self._database.snapshot() as db:
            generation = reading.totals(db).generation
        if self._position == generation:
            return ()
        self._position = min(self.current.refresh(), self.superseded.refresh())
        if self._position >= generation:
            return ()
        if self._kind == "fts5":  # in the library file, and searching never writes to that
            return ("the index was made by another release: run yuanwen check --repair",)
        try:
            self.catch_up(wait=False)
        except (Busy, OSError, ValueError):
            return ("some of the latest changes are not indexed yet",)
        return ()

    def catch_up(self, *, wait: bool = True) -> None:
        """Bring both indexes up to the last change of the store. Raises Busy."""
        with self._database.snapshot() as db:
            generation = reading.totals(db).generation
            self._feed(db, generation, wait=wait)
        self._position = generation

    def write_through(self, db: Connection) -> None:
        """Have an index that lives in the library file take part in the transaction that `db` is in."""
        if self._kind == "fts5":
            self._feed(db, reading.totals(db).generation, wait=True)

    def rebuild(self) -> None:
        """Make both indexes anew from the store."""
        for index in (self.current, self.superseded):
            index.clear()
        self._position = -1
        self.catch_up()

    def size(self) -> int:
        """Return the bytes that the indexes take beside the library file."""
        return self.current.size()

    def _open(self, name: str) -> Index:
        module, _, attribute = INDEXES[self._kind].partition(":")
        made = getattr(import_module(module), attribute)
        place = index_folder(self._database.path) if self._kind == "tantivy" else self._database
        index: Index = made(place, name)
        return index

    def _feed(self, db: Connection, generation: int, *, wait: bool) -> None:
        for index in (self.current, self.superseded):
            while (position := index.refresh()) < generation:
                changed = reading.changed_since(db, position)
                old = index is self.superseded
                fresh = entries(db, reading.with_history(db, changed) if old else changed, superseded=old)
                index.update(position, generation, changed if position else [], fresh, wait=wait)


def entries(db: Connection, documents: Iterable[int], *, superseded: bool) -> Iterator[Entry]:
    """Yield the index entries of documents."""
    stretch: list[reading.Indexable] = []
    for passage in reading.indexable(db, documents, superseded=superseded):
        if not passage.follows:
            yield from _stretch(stretch)
            stretch = []
        stretch.append(passage)
    yield from _stretch(stretch)


def _stretch(passages: list[reading.Indexable]) -> Iterator[Entry]:
    """Yield the entries of passages that run on into each other; a border is kept with the passage before it."""
    from yuanwen.when import seconds

    starts = [analysis.squeezed_start(p.text) for p in passages[1:]]
    before = ""
    for place, passage in enumerate(passages):
        before = (before + analysis.squeezed_end(passage.text))[-2:]
        after = "".join(starts[place : place + 2]) if place < len(starts) else ""
        tokens, title = analysis.tokens(passage.text), analysis.tokens(passage.title)
        yield Entry(
            passage=passage.passage,
            document=passage.document,
            text=tokens.ordered,
            title=title.ordered,
            terms=" ".join([tokens.terms, title.terms, *analysis.border(before, after)]),
            media_type=passage.media_type,
            tags=passage.tags,
            dated=seconds(passage.dated),
        )
