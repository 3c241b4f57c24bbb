"""The health of a library: what is in it, what is wrong with it, and what makes it smaller."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from yuanwen import disk, near, ranking, walk, when
from yuanwen.absence import Absence, Skip, StaleSource
from yuanwen.catching_up import Indexes
from yuanwen.errors import NotFound, UsageError
from yuanwen.filters import source_matcher
from yuanwen.index import index_folder
from yuanwen.model import State
from yuanwen.reports import Check, Compacted, Document, Forgotten, Status, Vectors
from yuanwen.scope import Scope
from yuanwen.store import history, inventory, reading, vectors, writing
from yuanwen.store.connection import Connection, Database
from yuanwen.store.schema import FORMAT, KEY_LENGTH


def documents(rows: Iterable[inventory.DocumentRow]) -> Iterator[Document]:
    """Yield documents as the surfaces show them, compared with the disk; a file of many documents is looked at once."""
    state = cache(disk.state)
    for row in rows:
        yield _document(row, state(row.path, row.size, row.mtime_ns, row.file_sha256))


def _document(row: inventory.DocumentRow, state: State) -> Document:
    return Document(
        id=row.text_sha256[:KEY_LENGTH],
        source=row.source,
        title=row.title,
        media_type=row.media_type,
        version=f"sha256:{row.sha256}",
        versions=row.versions,
        passages=row.passages,
        characters=row.characters,
        tags=row.tags,
        author=row.author,
        dated=row.dated,
        added=row.added,
        encoding=row.encoding,
        replaced=row.replaced,
        state=state,
    )


def status(database: Database, indexes: Indexes) -> Status:
    """Return the status of a library; the disk is looked at, nothing is written."""
    position = indexes.current.refresh()
    with database.snapshot() as db:
        totals = reading.totals(db)
        found = list(documents(inventory.documents(db)))
        return Status(
            path=database.path,
            format=FORMAT,
            index=reading.index_kind(db),
            generation=totals.generation,
            index_position=position.seq,
            documents=totals.documents,
            passages=totals.passages,
            characters=totals.characters,
            versions=history.count(db),
            library_bytes=_size(database),
            index_bytes=indexes.size(),
            roots=tuple(inventory.roots(db)),
            skipped=tuple(inventory.skips(db)),
            stale=tuple(StaleSource(source=d.source, state=d.state) for d in found if d.state != "current"),
            unread=tuple(inventory.unread(db)),
            replaced=tuple(d for d in found if d.replaced),
            vectors=_vectors(db),
        )


def _vectors(db: Connection) -> Vectors | None:
    model, searched = vectors.wanted(db), vectors.searched(db)
    if model is None:
        return None
    counts = vectors.counts(db, model.id)
    return Vectors(model=model.name, searched=searched.name if searched else "", **counts._asdict())


def _size(database: Database) -> int:
    files = (database.path, database.path + "-wal")
    return sum(os.path.getsize(file) for file in files if os.path.exists(file))


# ---------------------------------------------------------------------------------- why there is nothing


def absence(scope: Scope, sought: Sequence[str]) -> Absence:
    """Return why the words that were sought are not found, looking at the disk as it is now."""
    db = scope.db
    known = inventory.files(db)
    now = documents(inventory.documents(db))
    stale = [StaleSource(source=each.source, state=each.state) for each in now if each.state != "current"]
    parts = [part for part in inventory.unread(db) if not part.by_rule]
    unsearchable = [*inventory.skips(db), *parts, *_not_indexed(db, scope.path, known)]
    if not known and not stale and scope.totals.documents == 0:
        unsearchable.append(Skip(source="", reason="the library is empty", hint="Add documents: yuanwen add FOLDER"))
    return Absence(
        kind="stale" if stale else "unsearchable" if unsearchable else "absent",
        suggestions=tuple(dict.fromkeys(each.word for each in near.suggestions(scope, sought))),
        missing_terms=tuple(dict.fromkeys(term for text in sought for term in ranking.missing(text, scope.current))),
        unsearchable=tuple(unsearchable),
        stale=tuple(stale),
    )


def _not_indexed(db: Connection, library: str, known: dict[str, inventory.FileRow]) -> list[Skip]:
    """Return the files that lie in the roots and that the library has not seen."""
    found = []
    for root in inventory.roots(db):
        reason = walk.unavailable(root)
        if reason is not None:
            found.append(Skip(source=root.path, reason=reason))
            continue
        for item in walk.walk(root):
            path = str(item.path) if not isinstance(item, Skip) else ""
            if path and path not in known and disk.part_of_library(path, library, index_folder(library)) is None:
                found.append(Skip(source=path, reason="not yet indexed", hint="Run: yuanwen sync"))
    return found


# ------------------------------------------------------------------------------------------- forgetting


def forget(database: Database, indexes: Indexes, sources: Sequence[str]) -> Forgotten:
    """Remove documents with every version and trace; a file that is forgotten is left out of its roots from now on."""
    with database.write() as db:
        chosen = _chosen(db, sources)
        versions = passages = 0
        for row in chosen:
            counts = writing.forget_document(db, row.document)
            versions, passages = versions + counts[0], passages + counts[1]
        for path in {row.path for row in chosen}:
            writing.forget_path(db, path)
        indexes.write_through(db)
    indexes.rebuild()  # before, since an index may live in the file
    database.vacuum()
    indexes.drop_vectors()  # again: until now a search may have kept what it still saw
    return Forgotten(
        documents=len(chosen),
        versions=versions,
        passages=passages,
        sources=tuple(row.source for row in chosen),
    )


def _chosen(db: Connection, sources: Sequence[str]) -> list[inventory.DocumentRow]:
    documents = inventory.documents(db, gone=True)
    chosen: dict[int, inventory.DocumentRow] = {}
    for source in sources:
        named = {source, str(Path(source).absolute())}
        matches = source_matcher(source)
        found = [d for d in documents if d.source in named] or [d for d in documents if matches(d.source)]
        if not found:
            raise NotFound("no document {source}", hint="See what there is with: yuanwen list", source=source)
        chosen.update((d.document, d) for d in found)
    return list(chosen.values())


# --------------------------------------------------------------------------------------------- checking


def check(database: Database, indexes: Indexes, *, repair: bool) -> Check:
    """Return what is wrong; the index is made anew with `repair`, the file itself can only be restored."""
    problems = database.damage()
    with database.snapshot() as db:
        totals = reading.totals(db)
        problems += _counts(db, totals) + _tiles(db) + vectors.problems(db)
    broken = _index_problems(indexes, totals)
    repaired: tuple[str, ...] = ()
    if broken and repair:
        indexes.rebuild()
        repaired, broken = tuple(broken), _index_problems(indexes, totals)
    return Check(problems=tuple(problems + broken), repaired=repaired, passages=totals.passages)


def _index_problems(indexes: Indexes, totals: reading.Totals) -> list[str]:
    problems = indexes.current.problems() + indexes.superseded.problems()
    if problems:
        return problems
    position, entries = indexes.current.refresh(), indexes.current.entries()
    if position != totals.position:
        problems.append(f"the index is at change {position.seq} of {totals.generation}")
    if entries != totals.passages:
        problems.append(f"the index holds {entries} of {totals.passages} passages")
    return problems


def _counts(db: Connection, totals: reading.Totals) -> list[str]:
    counted = inventory.recount(db)
    return [] if counted == totals else [f"the totals say {totals}, counted are {counted}"]


def _tiles(db: Connection) -> list[str]:
    """Return the versions whose passages, joined, are not their text."""
    problems = []
    for version, source, text_sha256, texts in inventory.tilings(db):
        digest = hashlib.sha256()
        position = 0
        for start, text in texts:
            if start != position:
                problems.append(f"a gap at {position} in version {version} of {source}")
            position = start + len(text)
            digest.update(text.encode("utf-8", "surrogatepass"))
        if digest.hexdigest() != text_sha256:
            problems.append(f"the text of version {version} of {source} is not what was stored")
    return problems


# ------------------------------------------------------------------------------------------------ space


def compact(database: Database, indexes: Indexes, *, drop_old: bool, older_than: str) -> Compacted:
    """Drop superseded versions if asked to, and give back the space of what was deleted."""
    if older_than and not drop_old:
        raise UsageError("--older-than says which superseded versions are dropped", hint="Add: --drop-old")
    before = _size(database) + indexes.size()
    versions = passages = 0
    if drop_old:
        limit = None
        if older_than:
            first, _ = when.period(older_than, datetime.now().astimezone())
            limit = first.astimezone(UTC).isoformat(timespec="microseconds")
        with database.write() as db:
            versions, passages = writing.drop_superseded(db, limit)
            indexes.write_through(db)
    indexes.rebuild()  # before, since an index may live in the file
    database.vacuum()
    return Compacted(
        before_bytes=before,
        after_bytes=_size(database) + indexes.size(),
        versions=versions,
        passages=passages,
    )
