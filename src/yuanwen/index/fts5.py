"""The index that lives in the library file itself: FTS5 tables over the same tokens.

Its tables change in the same transaction as the passages, so it is never behind.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from yuanwen import analysis
from yuanwen.index import (
    NO_FILTERS,
    WORD_LIMIT,
    All,
    AnyTerm,
    Clause,
    Entry,
    Everything,
    Field,
    Filters,
    Found,
    Part,
    Phrase,
    Prefix,
    Some,
    Term,
    fits,
    words_with,
)
from yuanwen.store.connection import Connection, Database
from yuanwen.store.reading import START, Position

FORMAT = 1
COLUMNS = ("text", "title", "terms")
MANY = 16  # tokens that start alike
_ANY = "^"  # a term of every entry: what Everything matches as a part of another clause


class Fts5Index:
    """An index in tables of the library file whose names start with `fts5_NAME`."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._table = f"fts5_{name}"
        self._words: tuple[Position, str] = START, ""

    def refresh(self) -> Position:
        return self._position(self._database.connection())

    def update(
        self,
        expected: Position,
        position: Position,
        gone: Iterable[int],
        entries: Iterable[Entry],
        *,
        wait: bool = True,
    ) -> bool:
        with self._database.write() as db:
            if self.refresh() != expected:
                return False
            self._create(db)
            for document in gone:
                self._remove(db, document)
            for entry in entries:
                self._put(db, entry)
            db.execute(f"UPDATE {self._table}_position SET seq = ?, stamp = ?", position)
        return True

    def clear(self, *, wait: bool = True) -> None:
        with self._database.write() as db:
            for suffix in ("_words", "", "_entries", "_position"):
                db.execute(f"DROP TABLE IF EXISTS {self._table}{suffix}")

    def search(self, clause: Clause, filters: Filters = NO_FILTERS, *, limit: int, count: bool = False) -> Found:
        db = self._database.connection()
        if not self._exists(db):
            return Found((), 0)
        where, values = _conditions(filters)
        source = f"{self._table}_entries AS e"
        score = "1.0"
        if isinstance(clause, Everything):
            condition = "true"
        else:
            match = self._match(db, clause)
            if match is None:
                return Found((), 0)
            source = f"{self._table} AS f" + (f" JOIN {source} ON e.passage = f.rowid" if where else "")
            condition, values = f"{self._table} MATCH ?", (match, *values)
            score = f"-bm25({self._table}, 1.0, 0.5, 1.0)"
        identity = "e.passage" if isinstance(clause, Everything) else "f.rowid"
        tail = f"FROM {source} WHERE {condition}" + "".join(f" AND {part}" for part in where)
        rows = db.execute(
            f"SELECT {identity}, {score} AS score {tail} ORDER BY score DESC, 1 LIMIT ?", (*values, limit)
        )
        hits = tuple((int(passage), float(value)) for passage, value in rows)
        total = int(db.execute(f"SELECT count(*) {tail}", values).get) if count else None
        return Found(hits, total)

    def frequencies(self, field: Field, tokens: Sequence[str]) -> list[int]:
        db = self._database.connection()
        if not self._exists(db):
            return [0] * len(tokens)
        column = f"SELECT doc FROM {self._table}_words WHERE term = ? AND col = ?"
        if len(tokens) < MANY:
            return [int(db.execute(column, (token, field)).get or 0) for token in tokens]
        found: dict[str, int] = {}
        starts = Counter(token[:1] for token in tokens)
        many = {start for start, number in starts.items() if number >= MANY and start not in ("", "_")}
        for start in many:  # one look through all that start so costs less than as many looks
            found |= self._starting(db, field, start)
        for token in tokens:
            if token[:1] not in many:
                found[token] = int(db.execute(column, (token, field)).get or 0)
        return [found.get(token, 0) for token in tokens]

    def starting(self, start: str, limit: int) -> list[tuple[str, int]]:
        db = self._database.connection()
        if not self._exists(db):
            return []
        found = self._starting(db, "text", start)
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit]

    def _starting(self, db: Connection, field: Field, start: str) -> dict[str, int]:
        between = f"SELECT term, doc FROM {self._table}_words WHERE term >= ? AND term < ? AND col = ?"
        return dict(db.execute(between, (start, start + chr(sys.maxunicode), field)))

    def words(self, part: str, limit: int) -> list[str] | None:
        db = self._database.connection()
        if not self._exists(db):
            return []
        known, position = self._words, self._position(db)  # of the snapshot that this thread looks at
        if known[0] != position or not known[1]:
            rows = db.execute(f"SELECT term FROM {self._table}_words WHERE term >= '_' AND term < '`' AND col = 'text'")
            known = self._words = position, "\n".join(term for (term,) in rows)
        return words_with(known[1], part, limit)

    def entries(self) -> int:
        db = self._database.connection()
        return int(db.execute(f"SELECT count(*) FROM {self._table}_entries").get) if self._exists(db) else 0

    def size(self) -> int:
        return 0

    def problems(self) -> list[str]:
        with self._database.write() as db:
            if not self._exists(db):
                return []
            try:
                db.execute(f"INSERT INTO {self._table}({self._table}, rank) VALUES('integrity-check', 0)")
            except Exception as error:
                return [f"the index is damaged: {error}"]
        return []

    def close(self) -> None:
        self._words = START, ""

    def _exists(self, db: Connection) -> bool:
        return db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (self._table,)).get is not None

    def _position(self, db: Connection) -> Position:
        if not self._exists(db):
            return START
        seq, stamp, rules = db.execute(f"SELECT seq, stamp, rules FROM {self._table}_position").get
        return Position(int(seq), str(stamp)) if rules == _rules() else START

    def _create(self, db: Connection) -> None:
        if self._exists(db):
            if db.execute(f"SELECT rules FROM {self._table}_position").get == _rules():
                return
            self.clear()
        db.execute(
            f"""
            CREATE VIRTUAL TABLE {self._table} USING fts5(
                {", ".join(COLUMNS)}, content='', contentless_delete=1, tokenize="ascii tokenchars '_~^'");
            INSERT INTO {self._table}({self._table}, rank) VALUES('secure-delete', 1);
            CREATE VIRTUAL TABLE {self._table}_words USING fts5vocab({self._table}, 'col');
            CREATE TABLE {self._table}_entries(
                passage INTEGER PRIMARY KEY, document INTEGER NOT NULL, media_type TEXT NOT NULL, tags TEXT NOT NULL,
                dated INTEGER NOT NULL);
            CREATE INDEX {self._table}_documents ON {self._table}_entries(document);
            CREATE TABLE {self._table}_position(seq INTEGER NOT NULL, stamp TEXT NOT NULL, rules TEXT NOT NULL);
            INSERT INTO {self._table}_position VALUES(0, '', '{_rules()}');
            """
        )

    def _remove(self, db: Connection, document: int) -> None:
        entries = f"FROM {self._table}_entries WHERE document = ?"
        db.execute(f"DELETE FROM {self._table} WHERE rowid IN (SELECT passage {entries})", (document,))
        db.execute(f"DELETE {entries}", (document,))

    def _put(self, db: Connection, entry: Entry) -> None:
        db.execute(
            f"INSERT INTO {self._table}(rowid, {', '.join(COLUMNS)}) VALUES(?, ?, ?, ?)",
            (entry.passage, entry.text, entry.title, f"{entry.terms} {_ANY}"),
        )
        tags = json.dumps(entry.tags, ensure_ascii=False)
        db.execute(
            f"INSERT INTO {self._table}_entries VALUES(?, ?, ?, ?, ?)",
            (entry.passage, entry.document, entry.media_type, tags, entry.dated),
        )

    def _match(self, db: Connection, clause: Clause) -> str | None:
        """Return the MATCH expression of a clause, or None if it can find nothing."""
        match clause:
            case Term(field, token, _):
                return f"{field} : {_quoted(token)}"
            case Phrase(tokens, field):
                return f"{field} : " + " + ".join(map(_quoted, tokens))
            case Prefix(prefix, field):
                return f"{field} : {_quoted(prefix)} *"
            case Part(part, place):
                words = self.words(part, WORD_LIMIT) if place != "start" else None
                if words is None:
                    return self._match(db, Prefix(f"_{part}" if place == "start" else "_"))
                return self._match(db, AnyTerm(tuple(word for word in words if fits(word, clause))))
            case AnyTerm(tokens, field):
                return f"{field} : ({' OR '.join(map(_quoted, tokens))})" if tokens else None
            case Some(parts):
                found = [m for part in parts if (m := self._match(db, part)) is not None]
                return f"({' OR '.join(found)})" if found else None
            case All(parts, but, rather):
                return self._every(db, parts, but, rather)
            case Everything():
                return f"terms : {_quoted(_ANY)}"

    def _every(
        self, db: Connection, parts: tuple[Clause, ...], but: tuple[Clause, ...], rather: tuple[Clause, ...]
    ) -> str | None:
        required = [self._match(db, part) for part in parts]
        needed = [part for part in required if part is not None]
        if len(needed) != len(required):
            return None
        expression = " AND ".join(f"({part})" for part in needed)
        wished = [m for part in rather if (m := self._match(db, part)) is not None]
        if wished:
            expression = f"({expression}) AND ({' OR '.join([f'({expression})', *wished])})"
        unwanted = [m for part in but if (m := self._match(db, part)) is not None]
        return f"(({expression}) NOT ({' OR '.join(unwanted)}))" if unwanted else f"({expression})"


def _rules() -> str:
    return f"{FORMAT}-{analysis.VERSION}"


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def _conditions(filters: Filters) -> tuple[list[str], tuple[object, ...]]:
    where: list[str] = []
    values: list[object] = []
    if filters.documents is not None:
        where.append("e.document IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(sorted(filters.documents)))
    if filters.media_types is not None:
        where.append("e.media_type IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(filters.media_types))
    for tags, count in ((set(filters.tags), len(set(filters.tags))), (set(filters.unwanted_tags), 0)):
        if tags:
            among = "value IN (SELECT value FROM json_each(?))"
            where.append(f"(SELECT count(DISTINCT value) FROM json_each(e.tags) WHERE {among}) = ?")
            values += [json.dumps(sorted(tags)), count]
    for comparison, bound in ((">=", filters.since), ("<=", filters.until)):
        if bound is not None:
            where.append(f"e.dated {comparison} ?")
            values.append(bound)
    return where, tuple(values)
