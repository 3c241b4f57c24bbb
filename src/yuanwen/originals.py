"""Files that answers are checked against with nothing else: no library is needed, and none is made."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from yuanwen import ingest, walk
from yuanwen.absence import Skip
from yuanwen.documents import Extracted, File, Passage
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract.names import within
from yuanwen.reports import Root
from yuanwen.store import places
from yuanwen.store.reading import Row
from yuanwen.verification import Claim, Verification
from yuanwen.verify import Verifier
from yuanwen.witness import FileWitness
from yuanwen.workers import Workers


class Originals:
    """What some files say, and whether an answer quotes them rightly."""

    def __init__(self, documents: Sequence[Sequence[Row]], notes: Sequence[str]) -> None:
        self._verifier = Verifier(FileWitness(documents))
        self._notes = tuple(notes)

    @classmethod
    def read(cls, paths: "Sequence[str | os.PathLike[str]]", *, passwords: Sequence[str] = ()) -> Self:
        """Return what files, and the files in folders, hold.

        What cannot be read in a folder, or inside a file, becomes a note on each verdict. Raises NotFound for a path
        that is not there, Unreadable for a file that is named and cannot be read.
        """
        documents: list[list[Row]] = []
        notes: list[str] = []
        with Workers() as workers:
            for path in paths:
                for file in _files(path, notes):
                    try:
                        documents += _read(file, workers, tuple(passwords), len(documents), notes)
                    except Unreadable as error:
                        problem = Skip.because(str(file.path), error).reason
                        if Path(path).is_file():
                            values = error.values | {"path": file.path, "problem": problem}
                            raise Unreadable("{path}: {problem}", hint=error.hint, **values) from error
                        notes.append(f"{file.path}: {problem}")
        return cls(documents, notes)

    def verify(self, answer: str, *, quotes_only: bool = False) -> Verification:
        """Return a verdict on an answer, as `Library.verify` does."""
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


def _read(
    file: File, workers: Workers, passwords: tuple[str, ...], number: int, notes: list[str]
) -> Iterator[list[Row]]:
    """Yield the passages of each document of a file, the documents numbered from `number`."""
    data = walk.read(file)
    reading = workers.read(file.path.name, data, passwords)
    notes += [_unread(file, part) for part in reading.unread if not part.by_rule]
    sha256 = hashlib.sha256(data).hexdigest()
    for place, (extracted, passages) in enumerate(reading.documents, number):
        yield list(_rows(file, sha256, place, extracted, passages))


def _unread(file: File, part: Skip) -> str:
    return f"{within(str(file.path), part.source)}: {part.reason}"


def _rows(file: File, sha256: str, number: int, extracted: Extracted, passages: Sequence[Passage]) -> Iterator[Row]:
    text_sha256 = hashlib.sha256(extracted.text.encode("utf-8", "surrogatepass")).hexdigest()
    source = extracted.source or within(str(file.path), extracted.inside)
    dated = extracted.dated or ingest.iso(file.mtime_ns / 1e9)
    for passage in passages:
        yield Row(
            passage=passage.ordinal,
            document=number,
            version=number,
            current=True,
            label=passage.label,
            title=passage.title or extracted.title or ingest.title_of(extracted.source or file.path.name),
            heading=passage.heading,
            tags=passage.tags,
            dated=passage.dated or dated,
            text=passage.text,
            ordinal=passage.ordinal,
            start=passage.start,
            paragraph=passage.paragraph,
            place=places.place_text(passage.place),
            marks=places.marks_text(passage.marks),
            sha256=sha256,
            text_sha256=text_sha256,
            media_type=extracted.media_type,
            source=source,
            name=extracted.inside,
            path=str(file.path),
            size=file.size,
            mtime_ns=file.mtime_ns,
            file_sha256=sha256,
        )
