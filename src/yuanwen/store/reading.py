"""Passages of a library, read back: each function runs within one snapshot that its caller opened."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from yuanwen.store.connection import Connection
from yuanwen.store.schema import KEY_LENGTH


class Position(NamedTuple):
    """A change of a library: its number, and the stamp that no other change has."""

    seq: int
    stamp: str


START = Position(0, "")


class Totals(NamedTuple):
    """The size of a library and its last change."""

    generation: int
    stamp: str
    documents: int
    passages: int
    characters: int

    @property
    def position(self) -> Position:
        return Position(self.generation, self.stamp)


class Row(NamedTuple):
    """A passage where it stands in a version, with its document and the file as it was when it was indexed."""

    passage: int
    document: int
    version: int
    current: bool
    label: str | None
    title: str
    heading: tuple[str, ...]
    tags: tuple[str, ...]
    dated: str
    text: str
    ordinal: int
    start: int
    paragraph: int
    place: str | None
    marks: str | None
    sha256: str
    text_sha256: str
    media_type: str
    source: str
    name: str
    path: str | bytes
    size: int | None
    mtime_ns: int | None
    file_sha256: str | None

    @property
    def id(self) -> str:
        return f"{self.text_sha256[:KEY_LENGTH]}-{self.ordinal}"

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def file(self) -> str:
        """The name of the file, without its folder, and the path within the file."""
        return _file(self.path, self.name)


def _file(path: str | bytes, name: str) -> str:
    base = os.path.basename(os.fsdecode(path)).encode("utf-8", "replace").decode()
    return "/".join(filter(None, (base, name)))


def totals(db: Connection) -> Totals:
    """Return the totals of the library."""
    return Totals(*db.execute("SELECT generation, stamp, documents, passages, characters FROM totals").get)


def most(db: Connection) -> int:
    """Return a number that no search finds more passages than, at least 1."""
    return int(db.execute("SELECT coalesce(max(id), 0) + 1 FROM passages").get)


def index_kind(db: Connection) -> str:
    """Return the kind of index that the library was made with."""
    return str(db.execute("SELECT index_kind FROM totals").get)


# --------------------------------------------------------------------------------------------- passages

_ROW = """
    SELECT p.id, d.id, v.id, v.id IS d.current, p.label, coalesce(p.title, v.title), p.heading,
        p.tags, d.tags, coalesce(p.dated, v.dated), p.text, s.ordinal, s.start, s.paragraph, s.place, s.marks, v.sha256,
        v.text_sha256, v.media_type, d.source, d.name, d.path, f.size, f.mtime_ns, f.sha256
"""
_JOINED = """
    FROM passages AS p
    JOIN documents AS d ON d.id = p.document_id
    JOIN spans AS s ON s.passage_id = p.id
    JOIN versions AS v ON v.id = s.version_id
    LEFT JOIN files AS f ON f.path = d.path
"""


_LAST = (
    "v.id = (SELECT max(version_id) FROM spans WHERE passage_id = p.id)"  # which is the current one if that holds it
)


def _row(values: Sequence[object]) -> Row:
    passage, document, version, current, label, title, heading, own, shared, *rest = values
    tags = tuple(dict.fromkeys(strings(shared) + strings(own)))
    return Row(passage, document, version, bool(current), label, title, strings(heading), tags, *rest)  # type: ignore[arg-type]


def strings(stored: object) -> tuple[str, ...]:
    """Return a list of strings as it was stored, None for an empty one."""
    if stored is None or stored == "[]":
        return ()
    import json  # here, since many a search needs it not, and starts faster without

    return tuple(json.loads(str(stored)))


def numbers(values: Iterable[int]) -> str:
    """Return numbers as SQLite's `json_each` takes them."""
    return f"[{','.join(map(str, values))}]"


def rows(db: Connection, passages: Sequence[int], *, superseded: bool = False) -> dict[int, Row]:
    """Return the passages that are in current versions (or, with `superseded`, where they last were), by id."""
    where = _LAST if superseded else "v.id = d.current"
    found = db.execute(
        f"{_ROW} FROM json_each(?) AS wanted CROSS JOIN passages AS p ON p.id = wanted.value"
        f" {_JOINED.replace('FROM passages AS p', '')} WHERE {where}",
        (numbers(passages),),
    )
    return {row.passage: row for row in map(_row, found)}


def texts(db: Connection, passages: Sequence[int]) -> list[tuple[int, str, str]]:
    """Return (passage, title, text) for each passage that is there, in no order."""
    return list(
        db.execute(
            """SELECT p.id, coalesce(p.title, (SELECT v.title FROM versions AS v WHERE v.document_id = p.document_id
                                               ORDER BY v.id DESC LIMIT 1)), p.text
               FROM json_each(?) AS wanted CROSS JOIN passages AS p ON p.id = wanted.value""",
            (numbers(passages),),
        )
    )


def around(db: Connection, version: int, first: int, last: int) -> list[Row]:
    """Return the passages of a version with ordinals from `first` to `last`, in order."""
    found = db.execute(
        f"{_ROW} {_JOINED} WHERE s.version_id = ? AND s.ordinal BETWEEN ? AND ? ORDER BY s.ordinal",
        (version, first, last),
    )
    return [_row(values) for values in found]


def beyond(db: Connection, row: Row, reach: int) -> list[Row]:
    """Return a passage with those that stand within `reach` characters before and after it; records stand alone."""
    rows = [row]
    for step in (-1, 1):
        length = 0
        while length < reach:
            ordinal = (rows[0] if step < 0 else rows[-1]).ordinal + step
            beside = around(db, row.version, ordinal, ordinal)
            if not beside or beside[0].label is not None:
                break
            rows.insert(0 if step < 0 else len(rows), beside[0])
            length += len(beside[0].text)
    return rows


def section(db: Connection, row: Row) -> tuple[int, int]:
    """Return the first and last ordinal of the unbroken stretch around `row` under the same heading."""
    import json

    different = """SELECT {} FROM spans AS s JOIN passages AS p ON p.id = s.passage_id
                   WHERE s.version_id = ? AND s.ordinal {} ? AND p.heading IS NOT ?"""
    heading = json.dumps(row.heading, ensure_ascii=False) if row.heading else None
    values = (row.version, row.ordinal, heading)
    before = db.execute(different.format("max(s.ordinal)", "<"), values).get
    after = db.execute(different.format("min(s.ordinal)", ">"), values).get
    last = after - 1 if after else db.execute("SELECT passages FROM versions WHERE id = ?", (row.version,)).get
    return (before or 0) + 1, int(last)


def by_id(db: Connection, identity: str) -> list[Row]:
    """Return the passages with this passage id or label; where there are several, current ones first."""
    key, _, ordinal = identity.rpartition("-")
    found: list[Row] = []
    if len(key) >= KEY_LENGTH and ordinal.isdecimal() and ordinal.isascii():
        found = _where(
            db,
            "v.text_sha256 >= ? AND v.text_sha256 < ? AND s.ordinal = ?",
            (key, key + "g", min(int(ordinal), 2**62)),
            by="FROM versions AS v JOIN spans AS s ON s.version_id = v.id JOIN passages AS p ON p.id = s.passage_id",
        )
    return found or _where(db, f"p.label = ? AND {_LAST}", (identity,))


def by_document(db: Connection, identity: str) -> list[Row]:
    """Return the passages of the version that has this id (that of its passages without their number), in order.

    Where several have it, those of a current one.
    """
    if len(identity) < KEY_LENGTH or not identity.isalnum() or not identity.isascii():
        return []
    found = _where(db, "v.text_sha256 >= ? AND v.text_sha256 < ?", (identity, identity + "g"))
    return [row for row in found if row.version == found[0].version]


def by_source(db: Connection, source: str, *, superseded: bool = False) -> list[Row]:
    """Return the passages of the current versions of the documents that come from `source`, in order.

    With `superseded`, those that only older versions hold follow, the newest version first.
    """
    return _where(db, f"d.source = ? AND {_LAST if superseded else 'v.id = d.current'}", (source,))


def by_hash(db: Connection, sha256: str) -> Iterator[list[Row]]:
    """Yield the passages of each version that comes from a file with these bytes, those of current ones first."""
    versions = db.execute(
        "SELECT v.id FROM versions AS v JOIN documents AS d ON d.id = v.document_id WHERE v.sha256 = ?"
        " ORDER BY v.id IS NOT d.current, v.id DESC",
        (sha256,),
    ).fetchall()
    for (version,) in versions:
        yield _where(db, "s.version_id = ?", (version,))


def has_file(db: Connection, file: str) -> bool:
    """Return whether there is a document, in whatever version, of a file that is called so (as `Row.file`)."""
    return any(_file(path, name) == file for path, name in db.execute("SELECT path, name FROM documents"))


def by_file(db: Connection, path: str) -> list[Row]:
    """Return the passages of the current versions of the documents that a file holds, document by document."""
    from yuanwen.store.writing import path_value

    try:
        stored = path_value(path)
    except UnicodeEncodeError:
        return []  # half a character, which no system has in a name
    rows = _where(db, "d.path = ? AND v.id = d.current", (stored,))
    return sorted(rows, key=lambda row: (row.document, row.ordinal))


def _where(db: Connection, condition: str, values: tuple[object, ...], *, by: str = "") -> list[Row]:
    joined = f"{by} JOIN documents AS d ON d.id = p.document_id LEFT JOIN files AS f ON f.path = d.path"
    found = db.execute(
        f"{_ROW} {joined if by else _JOINED} WHERE {condition} ORDER BY v.id IS NOT d.current, v.id DESC, s.ordinal",
        values,
    )
    return [_row(row) for row in found]


def newest(
    db: Connection,
    documents: frozenset[int] | None,
    media_types: tuple[str, ...] | None,
    tags: tuple[str, ...],
    unwanted_tags: tuple[str, ...],
    since: int | None,
    until: int | None,
    *,
    superseded: bool = False,
) -> list[int]:
    """Return the passages that are all of this, the newest documents first and each in order: the current ones, and
    with `superseded` those that only older versions hold."""
    import json

    carried = "SELECT value FROM json_each(d.tags) UNION ALL SELECT value FROM json_each(coalesce(p.tags, '[]'))"
    of, where = ("v.document_id = d.id", _LAST) if superseded else ("v.id = d.current", "TRUE")
    found = db.execute(
        f"""SELECT p.id FROM documents AS d JOIN versions AS v ON {of}
            JOIN spans AS s ON s.version_id = v.id JOIN passages AS p ON p.id = s.passage_id
            WHERE {where}
            AND (?1 IS NULL OR d.id IN (SELECT value FROM json_each(?1)))
            AND (?2 IS NULL OR v.media_type IN (SELECT value FROM json_each(?2)))
            AND NOT EXISTS(SELECT value FROM json_each(?3) EXCEPT SELECT value FROM ({carried}))
            AND NOT EXISTS(SELECT value FROM json_each(?4) INTERSECT SELECT value FROM ({carried}))
            AND (?5 IS NULL OR unixepoch(coalesce(p.dated, v.dated)) >= ?5)
            AND (?6 IS NULL OR unixepoch(coalesce(p.dated, v.dated)) <= ?6)
            ORDER BY unixepoch(v.dated) DESC, d.id, v.id DESC, s.ordinal""",
        (
            None if documents is None else numbers(sorted(documents)),
            None if media_types is None else json.dumps(media_types),
            json.dumps(tags),
            json.dumps(unwanted_tags),
            since,
            until,
        ),
    )
    return [passage for (passage,) in found]


def scan(db: Connection, *, superseded: bool = False) -> Iterator[tuple[int, str]]:
    """Yield (passage, text) of every current (or, with `superseded`, every other) passage."""
    current = "EXISTS(SELECT 1 FROM spans AS s WHERE s.passage_id = p.id AND s.version_id = d.current)"
    yield from db.execute(
        f"""SELECT p.id, p.text FROM passages AS p JOIN documents AS d ON d.id = p.document_id
            WHERE {"NOT" if superseded else ""} {current} ORDER BY p.id"""
    )


def sources(db: Connection) -> list[tuple[int, str]]:
    """Return (document, source) of every document, in no order."""
    return list(db.execute("SELECT id, source FROM documents"))


def authors(db: Connection) -> list[tuple[int, str]]:
    """Return (document, author) of every document as it is now, or last was, in no order."""
    return list(
        db.execute(
            """SELECT d.id, v.author FROM documents AS d JOIN versions AS v
               ON v.id = coalesce(d.current, (SELECT max(id) FROM versions WHERE document_id = d.id))"""
        )
    )


def media_types(db: Connection) -> list[str]:
    """Return the media types that the library holds."""
    return [m for (m,) in db.execute("SELECT DISTINCT media_type FROM versions ORDER BY 1")]
