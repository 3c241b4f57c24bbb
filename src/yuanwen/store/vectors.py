"""The vectors of passages, and which model they are of.

Each function runs within a transaction of its caller, but for `drop_unused`, which takes many.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from yuanwen.store.connection import Connection, Database
from yuanwen.store.reading import numbers

_DROPPED = 2048  # rows that are deleted in a transaction


class ModelRow(NamedTuple):
    """A model of which a library has vectors, or is to have them."""

    id: int
    name: str
    fingerprint: str
    dimensions: int


class Packed(NamedTuple):
    """The vectors of a passage: float32 scales, and as many times `dimensions` int8. Empty: nothing to embed."""

    passage: int
    scales: bytes
    vectors: bytes


class Standing(NamedTuple):
    """Which vectors of a model there are: the last row with its stamp, the epoch, and what they are the distance from.

    Rows are only added at the end within an epoch.
    """

    last: int
    stamp: int
    epoch: str
    mean: bytes | None


class Counts(NamedTuple):
    """Current passages: those with vectors, those in which nothing can be embedded, and those still to do."""

    embedded: int
    skipped: int
    missing: int


# ----------------------------------------------------------------------------------------------- models


def searched(db: Connection) -> ModelRow | None:
    """Return the model whose vectors are searched."""
    return _model(db, "is_searched")


def wanted(db: Connection) -> ModelRow | None:
    """Return the model whose vectors the library is to have; the same as `searched` once it has them all."""
    return _model(db, "is_wanted")


def _model(db: Connection, which: str) -> ModelRow | None:
    row = db.execute(f"SELECT id, name, fingerprint, dimensions FROM models WHERE {which}").fetchone()
    return ModelRow(*row) if row else None


def want(db: Connection, name: str, fingerprint: str, dimensions: int) -> ModelRow:
    """Have the library get the vectors of a model; those that are searched stay until it has them all."""
    db.execute("UPDATE models SET is_wanted = FALSE WHERE fingerprint <> ?", (fingerprint,))
    db.execute("UPDATE models SET is_wanted = TRUE, name = ? WHERE fingerprint = ?", (name, fingerprint))
    if wanted(db) is None:
        db.execute(
            """INSERT INTO models(name, fingerprint, dimensions, is_searched, is_wanted, generation, last, stamp, epoch)
               VALUES(?, ?, ?, FALSE, TRUE, 0, 0, 0, lower(hex(randomblob(6))))""",
            (name, fingerprint, dimensions),
        )
    found = wanted(db)
    assert found is not None
    return found


def want_none(db: Connection) -> None:
    """Have the library search and get no vectors any more."""
    db.execute("UPDATE models SET is_wanted = FALSE, is_searched = FALSE")


def is_behind(db: Connection) -> bool:
    """Return whether passages may lack vectors of the model that is wanted, or vectors of others are to go."""
    return bool(
        db.execute(
            """SELECT EXISTS(SELECT 1 FROM models, totals WHERE NOT is_wanted OR NOT is_searched
                             OR models.generation <> totals.generation)"""
        ).get
    )


def finish(db: Connection, model: int) -> bool:
    """Have the vectors of a model be searched if no current passage lacks them; return whether that is so."""
    if not _is_there(db, model) or next(_missing(db, model), None) is not None:
        return False
    db.execute("UPDATE models SET is_searched = (id = ?) WHERE is_searched <> (id = ?)", (model, model))
    db.execute("UPDATE models SET generation = (SELECT generation FROM totals) WHERE id = ?", (model,))
    return True


def drop_unused(database: Database) -> None:
    """Delete the vectors that are neither searched nor wanted, in transactions of their own that hold nobody up."""
    with database.snapshot() as db:
        if not _unused(db):
            return
    while True:
        with database.write() as db:
            for model in _unused(db):
                db.execute(
                    "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors WHERE model_id = ? LIMIT ?)",
                    (model, _DROPPED),
                )
                if db.changes():
                    break
                db.execute("DELETE FROM models WHERE id = ?", (model,))
            else:
                return


def _unused(db: Connection) -> list[int]:
    return [model for (model,) in db.execute("SELECT id FROM models WHERE NOT is_searched AND NOT is_wanted")]


# ---------------------------------------------------------------------------------------------- vectors


def missing(db: Connection, model: int) -> list[int]:
    """Return the current passages that have no vectors of a model yet, in order."""
    return sorted(_missing(db, model))


def is_incomplete(db: Connection, model: int) -> bool:
    """Return whether a current passage has no vectors of a model yet."""
    return next(_missing(db, model), None) is not None


def _missing(db: Connection, model: int) -> Iterator[int]:
    generation = db.execute("SELECT generation FROM models WHERE id = ?", (model,)).get
    found = db.execute(
        f"""SELECT s.passage_id
            FROM documents AS d {"CROSS JOIN" if generation else "JOIN"} spans AS s ON s.version_id = d.current
            WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE passage_id = s.passage_id AND model_id = ?)
            {"AND d.id IN (SELECT document_id FROM changes WHERE seq > ?)" if generation else ""}""",
        (model, generation) if generation else (model,),
    )
    for (passage,) in found:
        yield passage


def texts(db: Connection, passages: Sequence[int]) -> list[tuple[int, str]]:
    """Return (passage, text) for each of the passages that is still there."""
    return list(
        db.execute(
            "SELECT p.id, p.text FROM json_each(?) AS w CROSS JOIN passages AS p ON p.id = w.value",
            (numbers(passages),),
        )
    )


def put(db: Connection, model: int, rows: Iterable[Packed], mean: bytes | None = None) -> bool:
    """Store vectors; return False, and store nothing, if the model was dropped meanwhile.

    Passages that are gone, or have their vectors by now, are left out. The first `mean` is kept.
    """
    if not _is_there(db, model):
        return False
    stamp = int(db.execute("SELECT abs(random() >> 1)").get)
    db.executemany(
        """INSERT INTO vectors(model_id, passage_id, stamp, scales, vectors)
           SELECT ?, id, ?, ?, ? FROM passages WHERE id = ? ON CONFLICT DO NOTHING""",
        [(model, stamp, row.scales, row.vectors, row.passage) for row in rows],
    )
    db.execute(
        """UPDATE models SET mean = coalesce(mean, ?1), last = v.id, stamp = v.stamp
           FROM (SELECT id, stamp, model_id FROM vectors ORDER BY id DESC LIMIT 1) AS v
           WHERE models.id = ?2 AND v.model_id = ?2""",
        (mean, model),
    )
    return True


def standing(db: Connection, model: int) -> Standing | None:
    """Return which vectors of a model there are; None for a model that is not there."""
    row = db.execute("SELECT last, stamp, epoch, mean FROM models WHERE id = ?", (model,)).fetchone()
    return Standing(*row) if row else None


def fingerprints(db: Connection) -> set[str]:
    """Return the fingerprints of the models of which there may be vectors."""
    return {fingerprint for (fingerprint,) in db.execute("SELECT fingerprint FROM models")}


def is_known(db: Connection, model: int, last: int, stamp: int) -> bool:
    """Return whether a row of vectors is in the history of the library."""
    found = db.execute("SELECT stamp FROM vectors WHERE id = ? AND model_id = ?", (last, model)).get
    return not last or found == stamp


_WHOLE = """id > ? AND model_id = ? AND length(scales) > 0
    AND length(vectors) * 4 = length(scales) * (SELECT dimensions FROM models WHERE id = model_id)"""


def count_after(db: Connection, model: int, last: int) -> int:
    """Return the number of vectors in the rows after `last`."""
    found = db.execute(f"SELECT sum(length(scales)) / 4 FROM vectors WHERE {_WHOLE}", (last, model))
    return int(found.get or 0)


def after(db: Connection, model: int, last: int) -> Iterator[Packed]:
    """Yield the rows after `last` in their order, without the empty and the damaged ones."""
    found = db.execute(f"SELECT passage_id, scales, vectors FROM vectors WHERE {_WHOLE} ORDER BY id", (last, model))
    for row in found:
        yield Packed(*row)


def current(db: Connection, passages: Sequence[int]) -> set[int]:
    """Return those of the passages that the current version of a document holds."""
    found = db.execute(
        """SELECT s.passage_id FROM json_each(?) AS w CROSS JOIN spans AS s ON s.passage_id = w.value
           CROSS JOIN versions AS v ON v.id = s.version_id
           CROSS JOIN documents AS d ON d.id = v.document_id AND d.current = v.id""",
        (numbers(passages),),
    )
    return {passage for (passage,) in found}


def _is_there(db: Connection, model: int) -> bool:
    return db.execute("SELECT id FROM models WHERE id = ? AND (is_wanted OR is_searched)", (model,)).get is not None


# ------------------------------------------------------------------------------------------ for a person


def counts(db: Connection, model: int) -> Counts:
    """Return how many of the current passages have vectors of a model."""
    row = db.execute(
        """SELECT total(length(v.scales) > 0), total(length(v.scales) = 0), total(v.id IS NULL)
           FROM documents AS d JOIN spans AS s ON s.version_id = d.current
           LEFT JOIN vectors AS v ON v.passage_id = s.passage_id AND v.model_id = ?""",
        (model,),
    ).fetchone()
    return Counts(*map(int, row or (0, 0, 0)))


def problems(db: Connection) -> list[str]:
    """Return what is wrong with the vectors: such as are not as long as they have to be, or of no passage."""
    odd = db.execute(
        """SELECT m.name, count(*) FROM vectors AS v JOIN models AS m ON m.id = v.model_id
           WHERE length(v.vectors) * 4 <> length(v.scales) * m.dimensions GROUP BY m.id"""
    )
    stray = db.execute("SELECT count(*) FROM vectors WHERE passage_id NOT IN (SELECT id FROM passages)").get
    found = [f"{n} passages have vectors of {name} of a wrong length" for name, n in odd]
    return found + ([f"{stray} vectors are of no passage"] if stray else [])
