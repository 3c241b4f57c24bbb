"""The indexes of a library, and how they come to hold what the store holds."""

import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib import import_module

from yuanwen import analysis
from yuanwen.errors import Busy
from yuanwen.index import INDEXES, Entry, Index, index_folder, vectors_folder
from yuanwen.store import changes, reading
from yuanwen.store.connection import Connection, Database
from yuanwen.store.reading import START, Position

BEHIND = "some of the latest changes are not indexed yet"
PATIENCE = 2.0  # seconds that a search waits while another process brings the index up to date


class _Seen(threading.local):
    """The last change that each index has seen, as a thread sees the index."""

    def __init__(self) -> None:
        self.positions: dict[Index, Position] = {}


class Indexes:
    """The index of current passages, and the one of those that only superseded versions hold.

    The second is made when a search for all versions first asks for it, unless it lives in the library file.
    """

    def __init__(self, database: Database, kind: str) -> None:
        self._database = database
        self._within = kind == "fts5"  # the library file
        place = database if self._within else index_folder(database.path)
        self.current: Index = _class(kind)(place, "current")
        self.superseded: Index = _class(kind)(place, "superseded")
        self._seen = _Seen()

    def close(self) -> None:
        """Let go of every file."""
        self.current.close()
        self.superseded.close()

    def see_changes(self, *, superseded: bool = False) -> tuple[str, ...]:
        """Have a search see all changes, unless another process is writing; return notes on what it will not see."""
        with self._database.snapshot() as db:
            last = reading.totals(db).position
        for index in (self.current, self.superseded) if superseded else (self.current,):
            if self._seen.positions.get(index) != last:
                self._seen.positions[index] = index.refresh()
            if self._seen.positions[index] == last:
                continue
            if self._within:  # searching never writes to the library file
                return ("the index was made by another release: run yuanwen check --repair",)
            if not self._caught_up(index):
                return (BEHIND,)
        return ()

    def _caught_up(self, index: Index) -> bool:
        """Return whether a search can see the last change. It waits its turn for PATIENCE at most."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._catch_up(index, wait=False)
                return True
            except Busy:
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.02)
            except (OSError, ValueError):
                return False

    def have_seen(self, position: Position, *, superseded: bool = False) -> bool:
        """Return whether the indexes that a search asks stand at `position`."""
        asked = (self.current, self.superseded) if superseded else (self.current,)
        return all(self._seen.positions.get(index) == position for index in asked)

    def catch_up(self) -> None:
        """Bring the index of current passages up to the last change of the store. Raises Busy."""
        if not self._within:
            self._catch_up(self.current, wait=True)
        elif not self._is_current():
            with self._database.write() as db:
                self.write_through(db)

    def _is_current(self) -> bool:
        with self._database.snapshot() as db:  # let go of before anything is written: who folds the log waits for it
            return self.current.refresh() == reading.totals(db).position

    def write_through(self, db: Connection) -> None:
        """Have indexes that live in the library file take part in the transaction that `db` is in."""
        if self._within:
            for index in (self.current, self.superseded):
                self._feed(db, index, index.refresh(), reading.totals(db).position, wait=True)

    def rebuild(self) -> None:
        """Make the indexes anew from the store, with no trace of what they held before. Raises Busy."""
        self._seen = _Seen()
        self.drop_vectors()
        if self._within:  # at once: no search will make it good
            with self._database.write() as db:
                self.current.clear()
                self.superseded.clear()
                self.write_through(db)
        else:
            self.current.clear()
            self.superseded.clear()
            self.catch_up()

    def drop_vectors(self) -> None:
        """Remove the vectors that lie beside the library for searches, the next of which makes them anew."""
        shutil.rmtree(vectors_folder(self._database.path), ignore_errors=True)

    def size(self) -> int:
        """Return the bytes that the indexes take beside the library file."""
        return self.current.size()

    def _catch_up(self, index: Index, *, wait: bool) -> None:
        while True:
            position = index.refresh()  # before the snapshot, which then has seen at least as much
            with self._database.snapshot() as db:
                last = reading.totals(db).position
                if position == last:
                    break
                self._feed(db, index, position, last, wait=wait)
        self._seen.positions[index] = last

    def _feed(self, db: Connection, index: Index, position: Position, last: Position, *, wait: bool) -> None:
        if not changes.is_known(db, position):  # an older copy of the library was put back, or power was lost
            index.clear(wait=wait)
            position = START
        changed = changes.changed_since(db, position.seq)
        old = index is self.superseded
        fresh = entries(db, changes.with_history(db, changed) if old else changed, superseded=old)
        index.update(position, last, changed if position.seq else [], fresh, wait=wait)


def _class(kind: str) -> Callable[[object, str], Index]:
    module, _, name = INDEXES[kind].partition(":")
    found: Callable[[object, str], Index] = getattr(import_module(module), name)
    return found


def entries(db: Connection, documents: Iterable[int], *, superseded: bool) -> Iterator[Entry]:
    """Yield the index entries of documents."""
    stretch: list[changes.Indexable] = []
    for passage in changes.indexable(db, documents, superseded=superseded):
        if not passage.follows:
            yield from _stretch(stretch)
            stretch = []
        stretch.append(passage)
    yield from _stretch(stretch)


def _stretch(passages: list[changes.Indexable]) -> Iterator[Entry]:
    """Yield the entries of passages that run on into each other; a border is kept with the passage before it."""
    starts = [analysis.squeezed_start(p.text) for p in passages[1:]]
    before = ""
    carried: list[str] = []  # from a passage that has no entry to the one after it
    for place, passage in enumerate(passages):
        borders: list[str] = []
        if place < len(starts):
            before = (before + analysis.squeezed_end(passage.text))[-2:]
            borders = analysis.border(before, "".join(starts[place : place + 2]))
        if passage.beside:
            carried = borders
            continue
        tokens, title = analysis.tokens(passage.text), _title(passage.title)
        yield Entry(
            passage=passage.passage,
            document=passage.document,
            text=tokens.ordered,
            title=title.ordered,
            terms=" ".join([tokens.terms, title.terms, *carried, *borders]),
            media_type=passage.media_type,
            tags=passage.tags,
            dated=_seconds(passage.dated),
        )
        carried = []


@lru_cache(maxsize=4096)
def _title(text: str) -> analysis.Tokens:
    """Return the tokens of a title, which many passages of a document share."""
    return analysis.tokens(text)


@lru_cache(maxsize=4096)
def _seconds(dated: str) -> int:
    from yuanwen.when import seconds

    return seconds(dated)
