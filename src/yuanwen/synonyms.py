"""What words does a question say in other words? By the list that the user of a library keeps."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from yuanwen import analysis, needle
from yuanwen.errors import NotFound, UsageError
from yuanwen.store import synonyms
from yuanwen.store.connection import Connection, Database
from yuanwen.store.synonyms import Group

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 60  # characters of a word
_BETWEEN = r"\s*(?:=>|[,，、;；\t|])\s*"


class Synonyms(NamedTuple):
    """A word of a question, and the other words that its user takes for the same."""

    word: str
    others: Group


def of(db: Connection, text: str) -> list[Synonyms]:
    """Return the words of a question that have synonyms, each as a whole word; the longest first."""
    folded = synonyms.key(analysis.whole(text))
    found = [
        Synonyms(word, others)
        for word, others in synonyms.standing(db, folded)
        if any(needle.WholeWords(word).stand(folded))
    ]
    return sorted(found, key=lambda each: (-len(each.word), each.word))


def notes(found: Sequence[Synonyms]) -> tuple[str, ...]:
    """Return which synonyms are searched for as well."""
    words = dict.fromkeys(other for each in found for other in each.others)
    return (f"synonyms count as well: {', '.join(words)}",) if words else ()


def add(database: Database, words: Sequence[str]) -> Group:
    """Have words count as the same; return all of their group. Raises UsageError unless there are two."""
    (group,) = _add(database, [words])
    return group


def remove(database: Database, words: Sequence[str]) -> Group:
    """Take words out; return what is gone, which is also what would be left alone. Raises NotFound for another word."""
    with database.write() as db:
        known = {synonyms.key(word) for group in synonyms.groups(db) for word in group}
        for word in words:
            if synonyms.key(word) not in known:
                raise NotFound("{word} has no synonyms", hint="See what there is with: yuanwen synonyms", word=word)
        return synonyms.remove(db, words)


def read(database: Database, path: "Path") -> list[Group]:
    """Take in a file with the words of one group a line; return the groups. Raises NotFound, UsageError.

    Words are parted by commas, semicolons, tabs or `=>`; a line that starts with # says nothing.
    """
    from yuanwen.extract.decode import decode  # here, since a search needs none

    if not path.is_file():
        raise NotFound("no file {path}", hint="Check the spelling.", path=path)
    groups: list[list[str]] = []
    for number, line in enumerate(decode(path.read_bytes()).text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = [word.strip().strip('"').strip() for word in re.split(_BETWEEN, line)]
        groups.append(list(filter(None, words)))
        problem = _problem(groups[-1])
        if problem is not None:
            raise UsageError(
                "{path}, line {number}: {reason}",
                hint="Nothing was taken in.",
                path=path,
                number=number,
                reason=problem.what.format(**problem.values),
            )
    return _add(database, groups)


def _add(database: Database, groups: Sequence[Sequence[str]]) -> list[Group]:
    tidied = [[" ".join(analysis.whole(word).split()) for word in words] for words in groups]
    for words in tidied:
        problem = _problem(words)
        if problem is not None:
            raise problem
    with database.write() as db:
        return [synonyms.add(db, words) for words in tidied]


def _problem(words: Sequence[str]) -> UsageError | None:
    """Return why words make no group, None if they do."""
    for word in words:
        if not analysis.runs(analysis.fold_words(word)):
            return UsageError("{word} is no word", hint="Write words of letters or figures.", word=word)
        if len(word) > LONGEST:
            return UsageError("a synonym has {n} characters at most", hint="Write a shorter one.", n=LONGEST)
    if len({synonyms.key(word) for word in words}) < 2:
        return UsageError("synonyms are two words or more", hint="Write: yuanwen synonyms add WORD WORD")
    return None
