"""The usual recipe, as many tutorials give it: SQLite FTS5 `trigram`, external content, kept up by triggers."""

import json
from pathlib import Path

import apsw

SCHEMA = """
    CREATE TABLE notes(id INTEGER PRIMARY KEY, label TEXT, title TEXT, source TEXT, body TEXT);
    CREATE VIRTUAL TABLE notes_fts USING fts5(
        title, body, content='notes', content_rowid='id', tokenize='trigram');
    CREATE TRIGGER notes_ai AFTER INSERT ON notes BEGIN
        INSERT INTO notes_fts(rowid, title, body) VALUES(new.id, new.title, new.body);
    END;
    CREATE TRIGGER notes_ad AFTER DELETE ON notes BEGIN
        INSERT INTO notes_fts(notes_fts, rowid, title, body) VALUES('delete', old.id, old.title, old.body);
    END;
    CREATE TRIGGER notes_au AFTER UPDATE ON notes BEGIN
        INSERT INTO notes_fts(notes_fts, rowid, title, body) VALUES('delete', old.id, old.title, old.body);
        INSERT INTO notes_fts(rowid, title, body) VALUES(new.id, new.title, new.body);
    END;
"""


def build(records: Path, database: Path) -> None:
    """Make the database from JSON records, in one transaction."""
    db = apsw.Connection(str(database))
    db.execute("PRAGMA journal_mode=wal; PRAGMA synchronous=normal")
    db.execute(SCHEMA)
    with db, records.open(encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        db.executemany(
            "INSERT INTO notes(label, title, source, body) VALUES(?, ?, ?, ?)",
            ((row["id"], row["title"], row["source"], row["body"]) for row in rows),
        )
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()


class Recipe:
    """The database, asked as the recipe says."""

    def __init__(self, database: Path) -> None:
        self.db = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)

    def question(self, text: str) -> list[tuple[str, str, str, float]]:
        """Return the best ten for any of the trigrams of a question."""
        trigrams = dict.fromkeys(text[i : i + 3] for i in range(len(text) - 2))
        return self._match(" OR ".join(map(_quoted, trigrams)))

    def phrase(self, text: str) -> list[tuple[str, str, str, float]]:
        """Return the best ten that hold a phrase."""
        return self._match(_quoted(text))

    def _match(self, expression: str) -> list[tuple[str, str, str, float]]:
        return list(
            self.db.execute(
                """SELECT n.label, n.title, n.body, bm25(notes_fts)
                   FROM notes_fts JOIN notes AS n ON n.id = notes_fts.rowid
                   WHERE notes_fts MATCH ? ORDER BY rank LIMIT 10""",
                (expression,),
            )
        )


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
