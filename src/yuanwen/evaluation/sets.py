"""Question sets -> questions, each with the passages that answer it.

A set is a folder (`corpus.jsonl.gz`, `queries.jsonl.gz`, `qrels.tsv`), or a table of questions and sources as CSV.
"""

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from yuanwen.errors import NotFound, UsageError
from yuanwen.extract.decode import decode

CORPORA = ("corpus.jsonl.gz", "corpus.jsonl", "passages.jsonl.gz", "passages.jsonl")
QUERIES = ("queries.jsonl.gz", "queries.jsonl")
JUDGEMENTS = "qrels.tsv"
COLUMNS = ("question", "source", "quote", "answerable", "kind")

_NAMES = {
    "question": ("question", "query", "问题", "提问"),
    "source": ("source", "document", "来源", "出处", "文件"),
    "quote": ("quote", "passage", "引文", "原文"),
    "answerable": ("answerable", "可答", "有答案"),
    "kind": ("kind", "类型"),
    "id": ("id", "编号"),
}
_YES = ("yes", "y", "true", "1", "是", "有")
_NO = ("no", "n", "false", "0", "否", "无")
_FORM = "A set is a folder with corpus.jsonl.gz, queries.jsonl.gz and qrels.tsv, or a CSV with question and source."


class Expected(NamedTuple):
    """What answers: a passage by its label; or words of a source, any of them where there is no quote."""

    source: str
    quote: str = ""
    grade: int = 1


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question. One that is not answerable has nothing that is expected."""

    id: str
    text: str
    answerable: bool
    kind: str
    expected: tuple[Expected, ...]


@dataclass(frozen=True, kw_only=True)
class QuestionSet:
    """Questions, and the files of the passages that they are asked of; none for those about a user's own library."""

    name: str
    questions: tuple[Question, ...]
    corpus: Path | None = None

    def limited(self, most: int) -> "QuestionSet":
        """Return the set with `most` questions at most, evenly spread."""
        n = len(self.questions)
        if n <= most:
            return self
        return replace(self, questions=tuple(self.questions[place * n // most] for place in range(most)))


class Record(NamedTuple):
    """A passage of a set."""

    id: str
    title: str
    source: str
    text: str


def read(path: Path) -> QuestionSet:
    """Return the set that is a folder, a file of queries in such a folder, or a CSV. Raises NotFound, UsageError."""
    if path.is_dir():
        return _folder(path, _one_of(path, QUERIES))
    if not path.is_file():
        raise NotFound("no question set {path}", hint=_FORM, path=path)
    if path.name.endswith((".jsonl.gz", ".jsonl")):
        return _folder(path.parent, path)
    return _table(path)


def records(path: Path) -> Iterator[Record]:
    """Yield the passages of a set, or of a file of passages. Raises NotFound, UsageError."""
    file = passages_file(path)
    name = file.parent.name if path.is_dir() else file.name.partition(".")[0]
    for number, row in enumerate(_lines(file), 1):
        texts = [row.get(key) for key in ("id", "text")]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise _unfit(file, number, "a passage needs an id and a text")
        title = str(row.get("title") or "-")
        source = f"{row['source']}/{title}" if row.get("source") else f"{name}/{row['id']}"
        yield Record(row["id"], title, source, row["text"])


def passages_file(path: Path) -> Path:
    """Return the file of the passages of a set, or of passages alone. Raises NotFound."""
    if path.is_dir():
        return _one_of(path, CORPORA)
    if not path.is_file():
        raise NotFound("no file {path}", hint=_FORM, path=path)
    return path


# --------------------------------------------------------------------------------------------- folders


def _folder(folder: Path, queries: Path) -> QuestionSet:
    judged = _judgements(folder / JUDGEMENTS)
    questions = []
    for number, row in enumerate(_lines(queries), 1):
        if not isinstance(row.get("id"), str) or not isinstance(row.get("text"), str) or not row["text"].strip():
            raise _unfit(queries, number, "a question needs an id and a text")
        answerable = row.get("answerable", row["id"] in judged) is True
        expected = judged.get(row["id"], ()) if answerable else ()
        if answerable and not expected:
            raise _unfit(queries, number, "the question is answerable, and no passage is judged to answer it")
        kind = str(row.get("kind") or "")
        questions.append(
            Question(id=row["id"], text=row["text"], answerable=answerable, kind=kind, expected=tuple(expected))
        )
    plain = queries.name in QUERIES
    name = folder.resolve().name if plain else f"{folder.resolve().name}/{queries.name.partition('.')[0]}"
    return _checked(QuestionSet(name=name, questions=tuple(questions), corpus=folder), queries)


def _judgements(file: Path) -> dict[str, list[Expected]]:
    if not file.is_file():
        raise NotFound("no file {path}", hint=_FORM, path=file)
    judged: dict[str, list[Expected]] = {}
    for number, line in enumerate(decode(file.read_bytes()).text.splitlines()[1:], 2):
        try:
            question, passage, grade = line.split("\t")
            if int(grade) > 0:
                judged.setdefault(question, []).append(Expected(passage, grade=int(grade)))
        except ValueError as error:
            raise _unfit(file, number, "a line is a question, a passage and a grade, parted by tabs") from error
    return judged


def _one_of(folder: Path, names: Sequence[str]) -> Path:
    found = next((folder / name for name in names if (folder / name).is_file()), None)
    if found is None:
        raise NotFound("no file {path}", hint=_FORM, path=folder / names[0])
    return found


def _lines(file: Path) -> Iterator[Mapping[str, Any]]:
    number = 0
    try:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                yield _object(file, number, line)
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise _unfit(file, number + 1, str(error)) from error


def _object(file: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _unfit(file, number, str(error)) from error
    if not isinstance(row, dict):
        raise _unfit(file, number, "it is not an object")
    return row


def _unfit(file: Path, number: int, problem: str) -> UsageError:
    return UsageError("{path}: line {number}: {problem}", hint=_FORM, path=file, number=number, problem=problem)


# ---------------------------------------------------------------------------------------------- tables


def _table(file: Path) -> QuestionSet:
    text = decode(file.read_bytes()).text
    head = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max("\t,;", key=head.count), strict=True)
    columns: dict[str, int] = {}
    asked: dict[str, Question] = {}
    try:
        for cells in rows:
            if not columns:
                columns = _columns(file, cells)
            elif any(map(str.strip, cells)):
                _ask(asked, _row(file, rows.line_num, columns, cells))
    except csv.Error as error:
        raise _unfit(file, rows.line_num, str(error)) from error
    return _checked(QuestionSet(name=file.name.partition(".")[0], questions=tuple(asked.values())), file)


def _columns(file: Path, cells: Sequence[str]) -> dict[str, int]:
    """Return where each column stands. Raises UsageError without those that a table has to have."""
    heads = [cell.strip().casefold() for cell in cells]
    found = {name: heads.index(each) for name, known in _NAMES.items() for each in known if each in heads}
    for name in ("question", "source"):
        if name not in found:
            raise UsageError("{path} has no column {column}", hint=_FORM, path=file, column=name)
    return found


def _row(file: Path, number: int, columns: Mapping[str, int], cells: Sequence[str]) -> Question:
    """Return the question of a row; one without a source is not answerable, unless it says so."""
    value = {name: cells[at].strip() if at < len(cells) else "" for name, at in columns.items()}
    said = value.get("answerable", "").casefold()
    if said not in ("", *_YES, *_NO):
        raise _unfit(file, number, "answerable is yes or no")
    answerable = said in _YES or (not said and bool(value["source"]))
    if not value["question"]:
        raise _unfit(file, number, "the question is empty")
    if answerable and not value["source"]:
        raise _unfit(file, number, "the question is answerable, and has no source")
    expected = (Expected(value["source"], value.get("quote", "")),) if answerable else ()
    return Question(
        id=value.get("id") or str(number),
        text=value["question"],
        answerable=answerable,
        kind=value.get("kind", ""),
        expected=expected,
    )


def _ask(asked: dict[str, Question], question: Question) -> None:
    """Put a question to the others; where it is asked already, it has several answers."""
    known = asked.get(question.text)
    if known is not None:
        expected = tuple(dict.fromkeys((*known.expected, *question.expected)))
        question = replace(known, expected=expected, answerable=bool(expected))
    asked[question.text] = question


def _checked(made: QuestionSet, file: Path) -> QuestionSet:
    """Return a set that can be measured. Raises UsageError for one that cannot."""
    ids = Counter(question.id for question in made.questions)
    twice = next((each for each, times in ids.items() if times > 1), None)
    if twice is not None:
        raise UsageError("{path} has the question {id} twice", hint="Give each an id of its own.", path=file, id=twice)
    if not any(question.answerable for question in made.questions):
        raise UsageError("{path} has no answerable question", hint=_FORM, path=file)
    return made
