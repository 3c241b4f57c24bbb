"""Documents into the library, and out of it: each function runs within a transaction that its caller opened."""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from glob import escape as glob_escape
from pathlib import Path
from typing import Any, NamedTuple

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, File, Passage
from yuanwen.reports import Root
from yuanwen.store import places
from yuanwen.store.connection import Connection


class NewDocument(NamedTuple):
    """A document ready to be stored: what was extracted, and its passages, which tile the text."""

    extracted: Extracted
    passages: Sequence[Passage]
    tags: tuple[str, ...]
    dated: str


def path_value(path: Path | str) -> str | bytes:
    """Return a path as it is stored: text, or bytes where its name is not valid Unicode."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return os.fsencode(text)
    return text


def put_root(db: Connection, root: Root) -> None:
    """Register a root; one that is there already takes the new tags and patterns as well."""
    values = (json.dumps(part, ensure_ascii=False) for part in (root.tags, root.include, root.exclude))
    db.execute(
        """INSERT INTO roots(path, tags, include, exclude) VALUES(?, ?, ?, ?)
           ON CONFLICT(path) DO UPDATE SET tags = excluded.tags, include = excluded.include,
               exclude = excluded.exclude""",
        (path_value(root.path), *values),
    )


def put_skip(db: Connection, path: str, size: int, mtime_ns: int, extractor: str, skip: Skip) -> None:
    """Remember a file that was not indexed; what was indexed of it before stays, as changed."""
    db.execute(
        """INSERT INTO files(path, size, mtime_ns, extractor, reason, hint) VALUES(?, ?, ?, ?, ?, ?)
           ON CONFLICT(path) DO UPDATE SET reason = excluded.reason, hint = excluded.hint, sha256 = NULL, unread = NULL,
               size = excluded.size, mtime_ns = excluded.mtime_ns, extractor = excluded.extractor""",
        (path_value(path), size, mtime_ns, extractor, skip.reason, skip.hint),
    )


def touch_file(db: Connection, file: File) -> None:
    """Take over the size and time of a file whose bytes did not change."""
    db.execute(
        "UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?",
        (file.size, file.mtime_ns, path_value(file.path)),
    )


def put_file(
    db: Connection,
    file: File,
    sha256: str,
    extractor: str,
    documents: Iterable[NewDocument],
    now: str,
    unread: Sequence[Skip] = (),
) -> int:
    """Store what a file holds now as its current versions; return the number of passages in them.

    Documents that the file held before and holds no longer are gone from search; their versions stay. `unread` are
    the parts of the file that could not be read.
    """
    path = path_value(file.path)
    db.execute(
        """INSERT INTO files(path, size, mtime_ns, sha256, extractor, unread) VALUES(?, ?, ?, ?, ?, ?)
           ON CONFLICT(path) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, sha256 = excluded.sha256,
               extractor = excluded.extractor, reason = NULL, hint = NULL, unread = excluded.unread""",
        (path, file.size, file.mtime_ns, sha256, extractor, places.unread_text(unread)),
    )
    known: dict[str, int] = dict(db.execute("SELECT name, id FROM documents WHERE path = ?", (path,)))
    passages = 0
    for new in documents:
        document = known.pop(name_of(new.extracted), None)
        _put_document(db, path, document, new, sha256, extractor, now)
        passages += len(new.passages)
    for document in known.values():
        _retire(db, document)
    return passages


def remove_path(db: Connection, path: str | bytes) -> int:
    """Take the documents of a file out of search and forget the file; return how many documents were current."""
    rows = _all(db, "SELECT id FROM documents WHERE path = ? AND current IS NOT NULL", (path,))
    for (document,) in rows:
        _retire(db, document)
    db.execute("DELETE FROM files WHERE path = ?", (path,))
    return len(rows)


def add_tags(db: Connection, path: str | bytes, tags: Sequence[str]) -> None:
    """Give the documents of a file these tags beside those that they have."""
    for document, known in _all(db, "SELECT id, tags FROM documents WHERE path = ?", (path,)):
        have = json.loads(known)
        wanted = list(dict.fromkeys([*have, *tags]))
        if wanted != have:
            db.execute("UPDATE documents SET tags = ? WHERE id = ?", (_json(wanted), document))
            log_change(db, document)


def forget_document(db: Connection, document: int) -> tuple[int, int]:
    """Delete a document with every version; return the numbers of versions and passages that went."""
    _retire(db, document)
    mine = "SELECT id FROM versions WHERE document_id = ?"
    db.execute(f"DELETE FROM spans WHERE version_id IN ({mine})", (document,))
    db.execute("DELETE FROM passages WHERE document_id = ?", (document,))
    passages = db.changes()
    db.execute("DELETE FROM versions WHERE document_id = ?", (document,))
    versions = db.changes()
    db.execute("DELETE FROM documents WHERE id = ?", (document,))
    return versions, passages


def forget_path(db: Connection, path: str | bytes) -> None:
    """Have a file that was forgotten stay out: its root goes, or leaves it out from now on."""
    if db.execute("SELECT 1 FROM documents WHERE path = ?", (path,)).get is not None:
        return  # other documents of the file are still wanted
    db.execute("DELETE FROM files WHERE path = ?", (path,))
    db.execute("DELETE FROM roots WHERE path = ?", (path,))
    for identity, root, exclude in _all(db, "SELECT id, path, exclude FROM roots"):
        above = os.fsdecode(root)
        if Path(above) in Path(os.fsdecode(path)).parents:
            relative = Path(os.fsdecode(path)).relative_to(above).as_posix()
            patterns = [*json.loads(exclude), f"/{glob_escape(relative)}"]
            db.execute("UPDATE roots SET exclude = ? WHERE id = ?", (_json(patterns), identity))


def drop_superseded(db: Connection, before: str | None) -> tuple[int, int]:
    """Delete the versions that are not current (and were added before a time, if given) with the passages that
    no other version holds; return the numbers of versions and passages that went."""
    old = """SELECT id FROM versions WHERE id NOT IN (SELECT current FROM documents WHERE current IS NOT NULL)
             AND (?1 IS NULL OR added < ?1)"""
    touched = _all(db, f"SELECT DISTINCT document_id FROM versions WHERE id IN ({old})", (before,))
    db.execute(f"DELETE FROM spans WHERE version_id IN ({old})", (before,))
    db.execute(f"DELETE FROM versions WHERE id IN ({old})", (before,))
    versions = db.changes()
    db.execute("DELETE FROM passages WHERE id NOT IN (SELECT passage_id FROM spans)")
    passages = db.changes()
    db.execute("DELETE FROM documents WHERE id NOT IN (SELECT document_id FROM versions)")
    for (document,) in touched:
        log_change(db, document)
    return versions, passages


# ----------------------------------------------------------------------------------------------- within


def _put_document(
    db: Connection,
    path: str | bytes,
    document: int | None,
    new: NewDocument,
    sha256: str,
    extractor: str,
    now: str,
) -> None:
    if document is None:
        db.execute(
            "INSERT INTO documents(path, name, source, tags, added) VALUES(?, ?, ?, ?, ?)",
            (path, name_of(new.extracted), _source(path, new.extracted), _json(new.tags), now),
        )
        document = db.last_insert_rowid()
        _put_version(db, document, None, new, sha256, extractor, now)
        return
    current, tags = db.execute("SELECT current, tags FROM documents WHERE id = ?", (document,)).get
    db.execute("UPDATE documents SET tags = ? WHERE id = ?", (_json(new.tags), document))
    if current is None or not _same_version(db, current, new, sha256, extractor):
        _put_version(db, document, current, new, sha256, extractor, now)
    elif tags != _json(new.tags):
        log_change(db, document)


def name_of(extracted: Extracted) -> str:
    """Return what tells a document from the others of its file."""
    return "/".join(filter(None, (extracted.inside, extracted.source)))


def _source(path: str | bytes, extracted: Extracted) -> str:
    """Return where a document comes from: what it says itself, else the path of its file, and its path inside."""
    file = os.fsdecode(path).encode("utf-8", "replace").decode() if isinstance(path, bytes) else path
    return extracted.source or "/".join(filter(None, (file, extracted.inside)))


def _same_version(db: Connection, version: int, new: NewDocument, sha256: str, extractor: str) -> bool:
    known = db.execute("SELECT sha256, extractor, dated FROM versions WHERE id = ?", (version,)).get
    return bool(known == (sha256, extractor, new.dated))


def _put_version(
    db: Connection,
    document: int,
    previous: int | None,
    new: NewDocument,
    sha256: str,
    extractor: str,
    now: str,
) -> None:
    extracted = new.extracted
    db.execute(
        """INSERT INTO versions(document_id, sha256, text_sha256, title, media_type, author, dated, encoding, replaced,
               extractor, added, passages, characters) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            document,
            sha256,
            hashlib.sha256(extracted.text.encode("utf-8", "surrogatepass")).hexdigest(),
            extracted.title,
            extracted.media_type,
            extracted.author,
            new.dated,
            extracted.encoding,
            extracted.replaced,
            extractor,
            now,
            len(new.passages),
            len(extracted.text),
        ),
    )
    version = db.last_insert_rowid()
    _put_passages(db, document, version, new.passages)
    make_current(db, document, previous, version)
    log_change(db, document)


def _put_passages(db: Connection, document: int, version: int, passages: Sequence[Passage]) -> None:
    """Write the passages of a version; those that an earlier version of the document holds already are shared."""
    shared: dict[tuple[object, ...], list[int]] = {}
    for identity, *content in db.execute(
        "SELECT id, label, title, heading, tags, dated, text FROM passages WHERE document_id = ? ORDER BY id DESC",
        (document,),
    ):
        shared.setdefault(tuple(content), []).append(identity)
    following = (db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'passages'").get or 0) + 1
    rows: list[tuple[object, ...]] = []
    spans: list[tuple[object, ...]] = []
    for passage in passages:
        content = _content(passage)
        same = shared.get(content)
        if same:
            identity = same.pop()
        else:
            identity = following
            following += 1
            rows.append((identity, document, *content))
        stand = (places.place_text(passage.place), places.marks_text(passage.marks))
        spans.append((version, passage.ordinal, identity, passage.start, passage.paragraph, *stand))
    db.executemany("INSERT INTO passages VALUES(?, ?, ?, ?, ?, ?, ?, ?)", rows)
    db.executemany("INSERT INTO spans VALUES(?, ?, ?, ?, ?, ?, ?)", spans)


def _content(passage: Passage) -> tuple[object, ...]:
    heading = _json(passage.heading) if passage.heading else None
    tags = _json(passage.tags) if passage.tags else None
    return passage.label, passage.title, heading, tags, passage.dated, passage.text


def make_current(db: Connection, document: int, previous: int | None, version: int) -> None:
    """Have a document stand at `version`, where it stood at `previous` (None: it was gone or is new)."""
    if previous is None:
        db.execute("UPDATE totals SET documents = documents + 1")
    else:
        _count_out(db, previous)
    db.execute("UPDATE documents SET current = ? WHERE id = ?", (version, document))
    _count_in(db, version)


def _retire(db: Connection, document: int) -> None:
    current = db.execute("SELECT current FROM documents WHERE id = ?", (document,)).get
    if current is not None:
        _count_out(db, current)
        db.execute("UPDATE documents SET current = NULL WHERE id = ?", (document,))
        db.execute("UPDATE totals SET documents = documents - 1")
    log_change(db, document)


def _count_in(db: Connection, version: int) -> None:
    db.execute(
        """UPDATE totals SET passages = totals.passages + v.passages, characters = totals.characters + v.characters
           FROM (SELECT passages, characters FROM versions WHERE id = ?) AS v""",
        (version,),
    )


def _count_out(db: Connection, version: int) -> None:
    db.execute(
        """UPDATE totals SET passages = totals.passages - v.passages, characters = totals.characters - v.characters
           FROM (SELECT passages, characters FROM versions WHERE id = ?) AS v""",
        (version,),
    )


def log_change(db: Connection, document: int) -> None:
    """Have the indexes take note of a document."""
    db.execute("INSERT INTO changes(document_id, stamp) VALUES(?, lower(hex(randomblob(6))))", (document,))
    db.execute(
        "UPDATE totals SET generation = seq, stamp = c.stamp FROM (SELECT seq, stamp FROM changes WHERE seq = ?) AS c",
        (db.last_insert_rowid(),),
    )


def _all(db: Connection, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    return list(db.execute(query, values))


def _json(values: Sequence[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
