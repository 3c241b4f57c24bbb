"""Words that the user of a library takes for the same: groups of them, of which each word is in one."""

from collections.abc import Iterable, Sequence

from yuanwen import analysis
from yuanwen.store.connection import Connection

Group = tuple[str, ...]


def key(word: str) -> str:
    """Return what a word is compared by: it is the same however it is written."""
    return analysis.closed(" ".join(analysis.fold(word).split()))


def groups(db: Connection) -> list[Group]:
    """Return the groups, and the words of each, in the order in which they came."""
    found: dict[int, list[str]] = {}
    for group, word in db.execute('SELECT "group", word FROM synonyms ORDER BY "group", id'):
        found.setdefault(group, []).append(word)
    return list(map(tuple, found.values()))


def standing(db: Connection, folded: str) -> list[tuple[str, Group]]:
    """Return the words whose key stands in a folded text, maybe as a part of a word, and the others of their groups."""
    found = db.execute('SELECT word, "group" FROM synonyms WHERE instr(?, key) ORDER BY id', (folded,)).fetchall()
    others = 'SELECT word FROM synonyms WHERE "group" = ? AND word <> ? ORDER BY id'
    return [(str(word), tuple(str(other) for (other,) in db.execute(others, (group, word)))) for word, group in found]


def add(db: Connection, words: Sequence[str]) -> Group:
    """Have words count as the same, and as the same as those that each has been with; return the whole group."""
    group = int(db.execute('SELECT coalesce(max("group"), 0) + 1 FROM synonyms').get)
    for word in dict.fromkeys(words):
        joined = db.execute('SELECT "group" FROM synonyms WHERE key = ?', (key(word),)).get
        if joined is None:
            db.execute('INSERT INTO synonyms(key, word, "group") VALUES(?, ?, ?)', (key(word), word, group))
        else:
            db.execute('UPDATE synonyms SET "group" = ? WHERE "group" = ?', (group, joined))
    return tuple(word for (word,) in db.execute('SELECT word FROM synonyms WHERE "group" = ? ORDER BY id', (group,)))


def remove(db: Connection, words: Iterable[str]) -> Group:
    """Take words out, and a word that then would be left alone in its group; return all that are gone."""
    before = {word for group in groups(db) for word in group}
    db.executemany("DELETE FROM synonyms WHERE key = ?", [(key(word),) for word in words])
    db.execute('DELETE FROM synonyms WHERE "group" IN (SELECT "group" FROM synonyms GROUP BY 1 HAVING count(*) = 1)')
    after = {word for group in groups(db) for word in group}
    return tuple(sorted(before - after))
