"""What changed in a library since, and the passages that an index takes in of it.

Each function runs within one snapshot that its caller opened.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from yuanwen.store.connection import Connection
from yuanwen.store.reading import START, Position, numbers, strings


class Indexable(NamedTuple):
    """A passage as an index needs it. `follows` tells whether a match may run on from the passage before it.

    One that is `beside` is there for the matches which run on into it from a passage that is to be indexed.
    """

    passage: int
    document: int
    title: str
    text: str
    media_type: str
    tags: tuple[str, ...]
    dated: str
    follows: bool
    beside: bool = False


class ChangeRow(NamedTuple):
    """A document that changed: its source ("" once it was forgotten), and the first change known of it."""

    source: str
    current: bool
    first: int


def is_known(db: Connection, position: Position) -> bool:
    """Return whether this change is in the history of the library."""
    return (
        position == START
        or db.execute("SELECT stamp FROM changes WHERE seq = ?", (position.seq,)).get == position.stamp
    )


def changed_since(db: Connection, position: int) -> list[int]:
    """Return the documents that changed after `position`."""
    return [d for (d,) in db.execute("SELECT DISTINCT document_id FROM changes WHERE seq > ? ORDER BY 1", (position,))]


def changed_documents(db: Connection, generation: int) -> list[ChangeRow]:
    """Return the documents that changed after `generation`, ordered by source."""
    found = db.execute(
        """SELECT coalesce(d.source, ''), d.current IS NOT NULL, min(c.seq)
           FROM changes AS c LEFT JOIN documents AS d ON d.id = c.document_id
           GROUP BY c.document_id HAVING max(c.seq) > ? ORDER BY 1, c.document_id""",
        (generation,),
    )
    return [ChangeRow(source, bool(current), first) for source, current, first in found]


def with_history(db: Connection, documents: Sequence[int]) -> list[int]:
    """Return those of the documents that may have passages which only older versions hold."""
    found = db.execute(
        """SELECT d.id FROM json_each(?) AS wanted JOIN documents AS d ON d.id = wanted.value
           WHERE d.current IS NULL OR (SELECT count(*) FROM versions WHERE document_id = d.id) > 1 ORDER BY d.id""",
        (numbers(documents),),
    )
    return [document for (document,) in found]


def indexable(db: Connection, documents: Iterable[int], *, superseded: bool = False) -> Iterator[Indexable]:
    """Yield the passages of the current versions of documents in order, or those that only older versions hold.

    What differs from a passage of the current version in nothing but the white space around it counts as that.
    """
    for document in documents:
        kept = set(_kept(db, document)) if superseded else set()
        before: tuple[object, ...] = ()
        for values in db.execute(_SUPERSEDED if superseded else _CURRENT, (document,)):
            passage, title, text, media_type, own, shared, dated, label, ordinal, version, beside, *named = values
            tags = strings(shared) + strings(own)
            follows = label is None and before == (version, ordinal - 1)
            beside = bool(beside) or (text.strip(), label, *named, own) in kept
            yield Indexable(passage, document, title, text, media_type, tags, dated, follows, beside)
            before = (version, ordinal)


def _kept(db: Connection, document: int) -> Iterator[tuple[object, ...]]:
    """Yield what the current version of a document holds: the words, and what a record has besides."""
    found = db.execute(
        """SELECT p.text, p.label, p.title, p.dated, p.tags FROM documents AS d
           JOIN spans AS s ON s.version_id = d.current JOIN passages AS p ON p.id = s.passage_id WHERE d.id = ?""",
        (document,),
    )
    for text, *rest in found:
        yield text.strip(), *rest


_INDEXABLE = """
    SELECT p.id, coalesce(p.title, v.title), p.text, v.media_type, p.tags, d.tags, coalesce(p.dated, v.dated), p.label,
        s.ordinal, v.id, {beside}, p.title, p.dated
    {of} JOIN passages AS p ON p.id = s.passage_id JOIN versions AS v ON v.id = s.version_id
    JOIN documents AS d ON d.id = v.document_id ORDER BY v.id, s.ordinal
"""
_CURRENT = _INDEXABLE.format(
    beside="FALSE",
    of="FROM (SELECT current AS now FROM documents WHERE id = ?) JOIN spans AS s ON s.version_id = now",
)
# A passage that only older versions hold is taken from the last of them, with those before and after it there.
_SUPERSEDED = f"""
    WITH old AS MATERIALIZED (
        SELECT s.version_id AS version, s.ordinal AS ordinal
        FROM documents AS d JOIN versions AS v ON v.document_id = d.id JOIN spans AS s ON s.version_id = v.id
        WHERE d.id = ? AND v.id IS NOT d.current
        AND v.id = (SELECT max(version_id) FROM spans WHERE passage_id = s.passage_id)),
    wanted AS (
        SELECT version, ordinal FROM old UNION SELECT version, ordinal - 1 FROM old
        UNION SELECT version, ordinal + 1 FROM old)
    {
    _INDEXABLE.format(
        beside="(v.id IS d.current OR v.id <> (SELECT max(version_id) FROM spans WHERE passage_id = p.id))",
        of="FROM wanted AS w JOIN spans AS s ON s.version_id = w.version AND s.ordinal = w.ordinal",
    )
}"""
