"""What a library holds besides passages: documents, files, roots, tags, and what a check needs to see."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from yuanwen.absence import Skip
from yuanwen.reports import Root, Tag
from yuanwen.store import places
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Totals


class DocumentRow(NamedTuple):
    """A document with its current version, or its last one where it has none."""

    document: int
    source: str
    path: str | bytes
    tags: tuple[str, ...]
    added: str
    current: bool
    version: int
    sha256: str
    text_sha256: str
    title: str
    media_type: str
    author: str
    dated: str
    encoding: str
    replaced: int
    passages: int
    characters: int
    versions: int
    size: int | None
    mtime_ns: int | None
    file_sha256: str | None


def documents(db: Connection, *, gone: bool = False, limit: int | None = None, offset: int = 0) -> list[DocumentRow]:
    """Return the documents that are current (and, with `gone`, those that are not), ordered by source.

    Of these, `limit` at most from number `offset` on.
    """
    found = db.execute(
        f"""SELECT d.id, d.source, d.path, d.tags, d.added, d.current IS NOT NULL, v.id, v.sha256, v.text_sha256,
                v.title, v.media_type, v.author, v.dated, v.encoding, v.replaced, v.passages, v.characters,
                (SELECT count(*) FROM versions WHERE document_id = d.id), f.size, f.mtime_ns, f.sha256
            FROM documents AS d
            JOIN versions AS v
                ON v.id = coalesce(d.current, (SELECT max(id) FROM versions WHERE document_id = d.id))
            LEFT JOIN files AS f ON f.path = d.path
            {"" if gone else "WHERE d.current IS NOT NULL"} ORDER BY d.source, d.id LIMIT ? OFFSET ?""",
        (-1 if limit is None else limit, offset),
    )
    return [DocumentRow(row[0], row[1], row[2], tuple(json.loads(row[3])), *row[4:]) for row in found]


def tags(db: Connection) -> list[Tag]:
    """Return every tag with the number of current documents that carry it, the most used first."""
    found = db.execute(
        """SELECT tag, count(*) FROM (
               SELECT d.id, value AS tag FROM documents AS d, json_each(d.tags) WHERE d.current IS NOT NULL
               UNION
               SELECT d.id, value FROM passages AS p JOIN documents AS d ON d.id = p.document_id, json_each(p.tags)
               WHERE p.tags IS NOT NULL AND d.current IS NOT NULL)
           GROUP BY tag ORDER BY 2 DESC, 1"""
    )
    return [Tag(tag=tag, documents=count) for tag, count in found]


def roots(db: Connection) -> list[Root]:
    """Return the roots of the library, ordered by path."""
    found = db.execute("SELECT path, tags, include, exclude FROM roots ORDER BY path")
    return [
        Root(path=os.fsdecode(path), **{k: tuple(json.loads(v)) for k, v in zip(_LISTS, lists, strict=True)})
        for path, *lists in found
    ]


_LISTS = ("tags", "include", "exclude")


class FileRow(NamedTuple):
    """A file as it was last seen. `sha256` is None for one that was skipped."""

    path: str
    size: int
    mtime_ns: int
    sha256: str | None
    extractor: str | None
    reason: str | None
    hint: str | None
    unread: str | None


def files(db: Connection, below: Sequence[str] | None = None) -> dict[str, FileRow]:
    """Return the files that the library knows of, by path; with `below` only those files and what is in those
    folders (and a few more, where names are not Unicode)."""
    columns = "SELECT path, size, mtime_ns, sha256, extractor, reason, hint, unread FROM files"
    if below is None:
        found = list(db.execute(f"{columns} ORDER BY path"))
    else:
        inside = f"{columns} WHERE path = ?1 OR path > ?1 || ?2 AND path < ?1 || ?3 OR typeof(path) = 'blob'"
        after = chr(ord(os.sep) + 1)
        found = [row for path in below for row in db.execute(inside, (path, os.sep, after))]
    known = (FileRow(os.fsdecode(path), *rest) for path, *rest in found)
    return {file.path: file for file in known}


def unread(db: Connection) -> list[Skip]:
    """Return the parts of indexed files that could not be read, with the path of the file before their own."""
    found = db.execute("SELECT path, unread FROM files WHERE unread IS NOT NULL ORDER BY path")
    return [
        replace(part, source="/".join(filter(None, (os.fsdecode(path), part.source))))
        for path, stored in found
        for part in places.unread(stored)
    ]


def skips(db: Connection) -> list[Skip]:
    """Return the files that were not indexed, and why."""
    found = db.execute("SELECT path, reason, hint FROM files WHERE reason IS NOT NULL ORDER BY path")
    return [Skip(source=os.fsdecode(path), reason=reason, hint=hint) for path, reason, hint in found]


# -------------------------------------------------------------------------------------------- for proofs


def created(db: Connection) -> str:
    """Return when the library was made."""
    return str(db.execute("SELECT created FROM totals").get)


def version_hashes(db: Connection, *, superseded: bool = False) -> list[tuple[str, str, str]]:
    """Return (source, sha256, text_sha256) of every current version (and, with `superseded`, every other), sorted."""
    wanted = "v.document_id = d.id" if superseded else "v.id = d.current"
    return list(
        db.execute(
            f"""SELECT d.source, v.sha256, v.text_sha256 FROM documents AS d JOIN versions AS v ON {wanted}
                ORDER BY 1, 2, 3"""
        )
    )


# ------------------------------------------------------------------------------------------- for checking


def recount(db: Connection) -> Totals:
    """Return the totals counted anew."""
    documents, passages, characters = db.execute(
        """SELECT count(*), coalesce(sum(v.passages), 0), coalesce(sum(v.characters), 0)
           FROM documents AS d JOIN versions AS v ON v.id = d.current"""
    ).get
    last = db.execute("SELECT seq, stamp FROM changes ORDER BY seq DESC LIMIT 1").get or (0, "")
    return Totals(int(last[0]), str(last[1]), int(documents), int(passages), int(characters))


def tilings(db: Connection) -> Iterator[tuple[int, str, str, Iterator[tuple[int, str]]]]:
    """Yield (version, source, text_sha256, its passages as (start, text) in order) for every version."""
    versions = db.execute(
        "SELECT v.id, d.source, v.text_sha256 FROM versions AS v JOIN documents AS d ON d.id = v.document_id"
    )
    for version, source, text_sha256 in versions:
        passages = db.execute(
            """SELECT s.start, p.text FROM spans AS s JOIN passages AS p ON p.id = s.passage_id
               WHERE s.version_id = ? ORDER BY s.ordinal""",
            (version,),
        )
        yield version, source, text_sha256, iter(passages)
