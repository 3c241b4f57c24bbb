"""Versions of a document beside each other: each function runs within one snapshot that its caller opened."""

from typing import NamedTuple

from yuanwen.store.connection import Connection


class Version(NamedTuple):
    """A version of a document. `dated` is its own date, `added` the time when the library took it in.

    `author` is who wrote it, as far as it says, `extractor` the version of what read it.
    """

    version: int
    sha256: str
    dated: str
    added: str
    passages: int
    author: str
    extractor: str


class Shared(NamedTuple):
    """A passage that two versions hold: its ordinal in each of them."""

    old: int
    new: int


def version(db: Connection, number: int) -> Version:
    """Return a version by its number."""
    found = db.execute(
        "SELECT id, sha256, dated, added, passages, author, extractor FROM versions WHERE id = ?", (number,)
    )
    return Version(*found.get)


def current(db: Connection, document: int) -> Version | None:
    """Return the current version of a document, None if it is gone."""
    number = db.execute("SELECT current FROM documents WHERE id = ?", (document,)).get
    return version(db, number) if number is not None else None


def count(db: Connection) -> int:
    """Return how many versions the library holds, also of documents that are gone."""
    return int(db.execute("SELECT count(*) FROM versions").get)


def passages(db: Connection, key: str) -> int | None:
    """Return how many passages the versions have whose ids begin with `key`; None if there are none such."""
    found = db.execute(
        "SELECT max(passages) FROM versions WHERE text_sha256 >= ? AND text_sha256 < ?", (key, key + "g")
    )
    return int(number) if (number := found.get) is not None else None


def without(db: Connection, document: int, old: int, first: int, last: int) -> Version | None:
    """Return the version that came after the last one which holds all passages from `first` to `last` of the version
    `old`; None if there is none."""
    number = db.execute(
        """SELECT min(id) FROM versions WHERE document_id = ?1 AND id > (
               SELECT max(version_id) FROM (
                   SELECT s.version_id FROM spans AS o JOIN spans AS s ON s.passage_id = o.passage_id
                   WHERE o.version_id = ?2 AND o.ordinal BETWEEN ?3 AND ?4
                   GROUP BY s.version_id HAVING count(*) > ?4 - ?3))""",
        (document, old, first, last),
    ).get
    return version(db, number) if number is not None else None


def start(db: Connection, version: int, passage: int) -> int | None:
    """Return the offset at which a version holds a passage, None if it does not."""
    found = db.execute("SELECT start FROM spans WHERE passage_id = ? AND version_id = ?", (passage, version)).get
    return int(found) if found is not None else None


def labelled(db: Connection, version: int, label: str) -> int | None:
    """Return where a version holds the record with a label, None if it does not."""
    found = db.execute(
        """SELECT s.ordinal FROM passages AS p JOIN spans AS s ON s.passage_id = p.id
           WHERE p.label = ? AND s.version_id = ?""",
        (label, version),
    ).get
    return int(found) if found is not None else None


def shared(db: Connection, old: int, new: int, ordinal: int, *, step: int, limit: int) -> list[Shared]:
    """Return the passages nearest to `ordinal` of the version `old`, before (`step` -1) or after it (1), which the
    version `new` holds as well, the nearest first."""
    beyond, order = ("<", "DESC") if step < 0 else (">", "ASC")
    found = db.execute(
        f"""SELECT s.ordinal, n.ordinal FROM spans AS s CROSS JOIN spans AS n
            ON n.passage_id = s.passage_id AND n.version_id = ?
            WHERE s.version_id = ? AND s.ordinal {beyond} ? ORDER BY s.ordinal {order} LIMIT ?""",
        (new, old, ordinal, limit),
    )
    return [Shared(*row) for row in found]


def text(db: Connection, version: int, first: int, last: int) -> tuple[int, str]:
    """Return where the passage `first` of a version starts, and the text up to the end of the passage `last`."""
    found = db.execute(
        """SELECT s.start, p.text FROM spans AS s CROSS JOIN passages AS p ON p.id = s.passage_id
           WHERE s.version_id = ? AND s.ordinal BETWEEN ? AND ? ORDER BY s.ordinal""",
        (version, first, last),
    )
    passages = [(start, text) for start, text in found]
    return (passages[0][0] if passages else 0), "".join(text for _, text in passages)


def offset(db: Connection, version: int, ordinal: int) -> int | None:
    """Return where a passage of a version starts, None if there is no such passage."""
    found = db.execute("SELECT start FROM spans WHERE version_id = ? AND ordinal = ?", (version, ordinal)).get
    return int(found) if found is not None else None


def ordinal_at(db: Connection, version: int, offset: int) -> int:
    """Return the ordinal of the passage of a version that holds the character at `offset`."""
    found = db.execute("SELECT max(ordinal) FROM spans WHERE version_id = ? AND start <= ?", (version, offset)).get
    return int(found or 1)
