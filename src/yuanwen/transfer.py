"""A library as JSON Lines and back, with nothing lost: roots, files, and documents with all their versions.

Vectors stay behind, and which model makes them: they follow from the text, and take many times its place.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from yuanwen.catching_up import Indexes
from yuanwen.errors import NotFound, UsageError
from yuanwen.reports import Report
from yuanwen.store import moving
from yuanwen.store.connection import Database

FORMAT = 2


def write(database: Database, path: Path) -> int:
    """Write a library to `path`; return the number of documents. The file appears whole or not at all."""
    if path.is_dir() or not path.name:
        raise UsageError("{path} is a folder", hint="Name a file to write to.", path=path)
    partial = path.with_name(path.name + ".partial")
    documents = 0
    try:
        with database.snapshot() as db, partial.open("w", encoding="utf-8", newline="\n") as file:
            print(json.dumps({"yuanwen": "library", "format": FORMAT}), file=file)
            for line in moving.lines(db):
                print(json.dumps(line, ensure_ascii=False), file=file)
                documents += line["kind"] == "document"
        partial.replace(path)
    except OSError as error:
        raise UsageError(
            "cannot write {path}: {error}", hint="Choose another place.", path=path, error=error
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return documents


def read(database: Database, indexes: Indexes, path: Path) -> Report:
    """Take in an export; a document that the library has already, by path and name, is left as it is."""
    check(path)
    with path.open(encoding="utf-8") as file:
        lines = _checked(file, path)
        with database.write() as db:
            counts = moving.take(db, lines)
            indexes.write_through(db)
    indexes.catch_up()
    database.checkpoint()
    return Report(
        files=counts.documents + counts.known,
        indexed=counts.documents,
        unchanged=counts.known,
        removed=0,
        skipped=(),
        warnings=(),
        passages=counts.passages,
        elapsed_ms=0.0,
    )


def check(path: Path) -> None:
    """Raise NotFound or UsageError unless a file starts as an export does."""
    if not path.is_file():
        raise NotFound("no file {path}", hint="Check the spelling.", path=path)
    with path.open(encoding="utf-8") as file:
        first = list(islice(_decoded(file, path), 1))
    if not first:
        raise _unfit(path, 1, "the file is empty")
    for _ in _checked(first, path):
        pass


def _checked(lines: Iterable[str], path: Path) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(_decoded(lines, path), 1):
        try:
            line = json.loads(text)
        except ValueError as error:
            raise _unfit(path, number, str(error)) from error
        if number == 1:
            if not isinstance(line, dict) or line.get("yuanwen") != "library" or line.get("format") != FORMAT:
                raise _unfit(path, number, "not the first line of an export")
            continue
        problem = moving.problem(line)
        if problem is not None:
            raise _unfit(path, number, problem)
        yield line


def _decoded(lines: Iterable[str], path: Path) -> Iterator[str]:
    try:
        yield from lines
    except UnicodeDecodeError as error:
        raise _unfit(path, 1, str(error)) from error


def _unfit(path: Path, number: int, problem: str) -> UsageError:
    return UsageError(
        "{path} is not an export of Yuanwen: line {number}: {problem}",
        hint="Nothing was taken in.",
        path=path,
        number=number,
        problem=problem,
    )
