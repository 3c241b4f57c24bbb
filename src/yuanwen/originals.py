"""Files that answers are checked against with nothing else: no library is needed, and none is made."""

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self, overload

from yuanwen import comparison, ingest, walk
from yuanwen.absence import Skip
from yuanwen.comparison import Original, Quotation
from yuanwen.documents import Extracted, File, Passage
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract.names import within
from yuanwen.garbage import unexamined
from yuanwen.model import State
from yuanwen.needle import Span
from yuanwen.reports import Root
from yuanwen.store import places
from yuanwen.store.reading import Row
from yuanwen.store.schema import KEY_LENGTH
from yuanwen.store.writing import name_of
from yuanwen.verification import Claim, Verification
from yuanwen.verify import Reading, Verifier
from yuanwen.witness import Stretch
from yuanwen.workers import Workers

MANY = 20  # quotations that are sought: for fewer, one pass over the text takes longer than looking for each of them


class Originals:
    """What some files say, and whether an answer quotes them rightly."""

    def __init__(self, documents: "Sequence[_Rows]", notes: Sequence[str], reading: Reading | None = None) -> None:
        self._verifier = Verifier(_Files([rows for rows in documents if rows]), reading)
        self._notes = tuple(notes)

    @classmethod
    def read(
        cls,
        paths: "Sequence[str | os.PathLike[str]]",
        *,
        passwords: Sequence[str] = (),
        answers: Sequence[str] = (),
    ) -> Self:
        """Return what files, and the files in folders, hold.

        `answers` that are to be verified are taken apart while the files are read. What cannot be read in a folder, or
        inside a file, becomes a note on each verdict. Raises NotFound for a path that is not there, Unreadable for a
        file that is named and cannot be read.
        """
        documents: list[_Rows] = []
        notes: list[str] = []
        reading = Reading()
        beside = threading.Thread(target=reading.ahead, args=(answers,), daemon=True)  # not waited for after an error
        with Workers() as workers, unexamined():
            beside.start()
            for path in paths:
                for file in _files(path, notes):
                    try:
                        documents += _read(file, workers, tuple(passwords), notes)
                    except Unreadable as error:
                        problem = Skip.because(str(file.path), error).reason
                        if Path(path).is_file():
                            values = error.values | {"path": file.path, "problem": problem}
                            raise Unreadable("{path}: {problem}", hint=error.hint, **values) from error
                        notes.append(f"{file.path}: {problem}")
            beside.join()
        return cls(documents, notes, reading)

    def verify(self, answer: str, *, quotes_only: bool = False) -> Verification:
        """Return a verdict on an answer, as `Library.verify` does."""
        with unexamined():
            return self._verifier.answer(answer, quotes_only=quotes_only, notes=self._notes)

    def verify_quote(self, text: str, id: str | None = None) -> Claim:
        """Return what came of one quotation, as `Library.verify_quote` does."""
        return self._verifier.quotation(text, id)


def _files(path: "str | os.PathLike[str]", notes: list[str]) -> Iterator[File]:
    named = Path(path).expanduser().absolute()
    if named.is_dir():
        for item in walk.walk(Root(path=str(named))):
            if isinstance(item, File):
                yield item
            elif not item.by_rule:
                notes.append(f"{item.source}: {item.reason}")
    elif named.exists():
        info = named.stat()
        yield File(path=named, size=info.st_size, mtime_ns=info.st_mtime_ns)
    else:
        raise NotFound("no file {path}", hint="Check the spelling.", path=path)


def _read(file: File, workers: Workers, passwords: tuple[str, ...], notes: list[str]) -> Iterator["_Rows"]:
    """Yield the passages of each document of a file."""
    data = walk.read(file)
    reading = workers.read(file.path.name, data, passwords)
    notes += [f"{within(str(file.path), part.source)}: {part.reason}" for part in reading.unread if not part.by_rule]
    sha256 = hashlib.sha256(data).hexdigest()
    for extracted, passages in reading.documents:
        yield _Rows(file, sha256, extracted, passages)


class _Rows(Sequence[Row]):
    """The passages of a document as a library would have them, each made when it is asked for."""

    def __init__(self, file: File, sha256: str, extracted: Extracted, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self.sha256 = sha256
        self.text_sha256 = hashlib.sha256(extracted.text.encode("utf-8", "surrogatepass")).hexdigest()
        self.text = extracted.text
        self.starts = [passage.start for passage in passages]
        self._made: dict[int, Row] = {}
        self._blank = self._of_file(file, extracted)
        self.labels = {passage.label: place for place, passage in enumerate(passages) if passage.label is not None}

    def __len__(self) -> int:
        return len(self._passages)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if place not in self._made:
            self._made[place] = self._row(self._passages[place])
        return self._made[place]

    def _of_file(self, file: File, extracted: Extracted) -> Row:
        """Return what all passages have in common."""
        return Row(
            passage=0,
            document=0,
            version=0,
            current=True,
            label=None,
            title=extracted.title or ingest.title_of(extracted.source or file.path.name),
            heading=(),
            tags=(),
            dated=extracted.dated or ingest.iso(file.mtime_ns / 1e9),
            text="",
            ordinal=0,
            start=0,
            paragraph=0,
            place=None,
            marks=None,
            sha256=self.sha256,
            text_sha256=self.text_sha256,
            media_type=extracted.media_type,
            source=extracted.source or within(str(file.path), extracted.inside),
            name=name_of(extracted),
            path=str(file.path),
            size=file.size,
            mtime_ns=file.mtime_ns,
            file_sha256=self.sha256,
        )

    def _row(self, passage: Passage) -> Row:
        return self._blank._replace(
            passage=passage.ordinal,
            label=passage.label,
            title=passage.title or self._blank.title,
            heading=passage.heading,
            tags=passage.tags,
            dated=passage.dated or self._blank.dated,
            text=passage.text,
            ordinal=passage.ordinal,
            start=passage.start,
            paragraph=passage.paragraph,
            place=places.place_text(passage.place),
            marks=places.marks_text(passage.marks),
        )


class _Files:
    """What files say, as they were read just now."""

    def __init__(self, documents: Sequence[_Rows]) -> None:
        self._rows = documents
        self._stretches = [Stretch(rows, Original(rows.text), rows.starts) for rows in documents]

    def prepare(self, quotations: Iterable[Quotation]) -> None:
        """Have the quotations looked for in one pass over the text, if they are many."""
        sought = list(quotations)
        keys = comparison.keys(sought) if len(sought) >= MANY else frozenset[str]()
        for stretch in self._stretches:
            stretch.original.expect(keys)

    def named(self, name: str) -> Sequence[Row]:
        """Return the passages with this label, or this id in either case."""
        labelled = [rows[rows.labels[name]] for rows in self._rows if name in rows.labels]
        key, _, ordinal = name.lower().rpartition("-")
        if labelled or len(key) < KEY_LENGTH or not (ordinal.isascii() and ordinal.isdecimal() and len(ordinal) < 10):
            return labelled
        place = int(ordinal) - 1
        return [rows[place] for rows in self._rows if rows.text_sha256.startswith(key) and 0 <= place < len(rows)]

    def around(self, row: Row, reach: int) -> Stretch:
        """Return the document that a passage is of; records stand alone."""
        if row.label is not None:
            return Stretch((row,))
        return next(
            stretch
            for rows, stretch in zip(self._rows, self._stretches, strict=True)
            if (rows.sha256, rows.text_sha256) == (row.sha256, row.text_sha256)
        )

    def holding(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield the documents."""
        return iter(self._stretches)

    def held(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield nothing: a file has one version."""
        return iter(())

    def like(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield the documents."""
        return iter(self._stretches)

    def state(self, row: Row) -> State:
        """Return that the file is as it was: it was read just now."""
        return "current"

    def successor(self, row: Row, span: Span) -> None:
        """Return nothing: a file has one version."""

    def documents(self, sha256: str) -> Iterator[Stretch]:
        """Yield the documents of the file with this hash."""
        return (stretch for rows, stretch in zip(self._rows, self._stretches, strict=True) if rows.sha256 == sha256)

    def has_source(self, name: str) -> bool:
        """Return whether one of the files is called so."""
        return any(rows[0].file == name for rows in self._rows)
