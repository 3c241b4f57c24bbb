"""Text -> passages: paragraphs merged to about 400 characters within one heading, long ones cut at sentence ends."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from yuanwen.documents import Extracted, Heading, Mark, Passage, Place

TARGET = 400  # characters that a passage grows to
PREFACE = 200  # what stands before the first heading is joined to its section up to this length
LIMIT = 600  # a paragraph longer than this is cut
HEADING = 200  # characters of a heading, or of a name, that each passage below it carries
COLUMNS = 2000  # characters of all headings of columns that each row of a sheet carries

_blank_line = re.compile(r"\n[^\S\n]*\n\s*|\r\n[^\S\n]*\r\n\s*|\f\s*")
# where to cut a long paragraph, the best kind first; each match ends where the next passage starts
_cuts = (
    re.compile(r"[\n\r\u2028\u2029]+"),
    re.compile("[。！？!?…]+[”’」』）)\"']*\\s*|\\.[”’)\"']*\\s+"),
    re.compile(r"[；;]\s*|[，,、:：]\s*|\s+"),
)


def split(document: Extracted) -> list[Passage]:
    """Return the passages of a document; joined in order they are its text."""
    if document.records:
        return list(_records(document))
    text = document.text
    paragraphs = document.paragraphs or tuple(_paragraphs(text))
    borders = _borders(document.places)
    stand = _Stand(document)
    passages: list[Passage] = []
    for start, end, heading in _sections(text, document.headings):
        inner = borders[bisect_right(borders, start) : bisect_left(borders, end)]
        for first, last in zip([start, *inner], [*inner, end], strict=True):
            following = paragraphs[bisect_right(paragraphs, first) : bisect_left(paragraphs, last)]
            for left, right in _merged(text, [first, *following], last):
                passages.append(
                    Passage(
                        ordinal=len(passages) + 1,
                        start=left,
                        end=right,
                        text=text[left:right],
                        heading=heading,
                        paragraph=max(1, bisect_right(paragraphs, left)),
                        place=stand.place(left, right),
                        marks=stand.marks(left, right),
                    )
                )
    return passages


def _borders(places: Sequence[tuple[int, Place]]) -> list[int]:
    """Return the offsets that no passage crosses: where a page, a slide, a sheet or a chapter begins."""
    kept: list[int] = []
    before = None
    for start, place in places:
        within = (place.unit, place.number if place.last is None else None, place.name)
        if within != before and start:
            kept.append(start)
        before = within
    return kept


class _Stand:
    """Where the passages of a document stand, and what has to be known about them."""

    def __init__(self, document: Extracted) -> None:
        self._document = document
        self._starts = [start for start, _ in document.places]
        self._marks = [mark.start for mark in document.marks]
        self._longest = max((mark.end - mark.start for mark in document.marks), default=0)
        self._line = 1
        self._at = 0

    def place(self, start: int, end: int) -> Place | None:
        """Return the place of `[start, end)`; passages are asked for in order."""
        if self._document.lines:
            first = self._number(start, end)
            last = first + _lines(self._document.text[self._at : end].rstrip("\r\n"))
            return Place(unit="line", number=first, last=last if last > first else None)
        first_index = bisect_right(self._starts, start) - 1
        if first_index < 0:
            return None
        last_index = bisect_left(self._starts, end) - 1
        first_place, last_place = self._document.places[first_index][1], self._document.places[last_index][1]
        number = last_place.last or last_place.number
        columns = first_place.columns if sum(map(len, first_place.columns)) <= COLUMNS else ()
        return replace(
            first_place,
            name=first_place.name[:HEADING],
            columns=columns,
            last=number if number != first_place.number else None,
            cells=_cells(first_place.cells, last_place.cells),
        )

    def _number(self, at: int, end: int) -> int:
        """Return the number of the line of the first character in `[at, end)` that does not end a line."""
        text = self._document.text
        while at < end - 1 and text[at] in "\r\n":
            at += 1
        self._line += _lines(text[self._at : at])
        self._at = at
        return self._line

    def marks(self, start: int, end: int) -> tuple[Mark, ...]:
        """Return the marks that touch `[start, end)`, cut to it and counted from it."""
        first = bisect_left(self._marks, start - self._longest)
        touching = self._document.marks[first : bisect_left(self._marks, end)]
        return tuple(
            replace(mark, start=max(mark.start, start) - start, end=min(mark.end, end) - start)
            for mark in touching
            if mark.end > start or mark.start >= start
        )


def _lines(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _cells(first: str, last: str) -> str:
    """Return the range from the first cell of one range to the last of another."""
    return f"{first.partition(':')[0]}:{last.rpartition(':')[2]}" if first and last and first != last else first


def _records(document: Extracted) -> Iterator[Passage]:
    for ordinal, record in enumerate(document.records, 1):
        yield Passage(
            ordinal=ordinal,
            start=record.start,
            end=record.end,
            text=document.text[record.start : record.end],
            paragraph=record.paragraph,
            label=record.label,
            title=record.title,
            tags=record.tags,
            dated=record.dated,
        )


def _paragraphs(text: str) -> Iterator[int]:
    """Yield where paragraphs start: at the first character that is not white space, and after blank lines."""
    yield len(text) - len(text.lstrip())
    for gap in _blank_line.finditer(text):
        if gap.start() > 0 and gap.end() < len(text):
            yield gap.end()


def _sections(text: str, headings: Sequence[Heading]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield (start, end, path of headings) for what stands before the first heading and under each one.

    A section that holds only its heading, or a short preface such as front matter, is joined to the next.
    """
    path: list[Heading] = []
    start = 0
    for place, heading in enumerate(headings):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        end = headings[place + 1].start if place + 1 < len(headings) else len(text)
        if place == 0 and heading.start > PREFACE:
            yield 0, heading.start, ()
            start = heading.start
        deeper = place + 1 < len(headings) and headings[place + 1].level > heading.level
        if deeper and "\n" not in text[heading.start : end].strip():
            continue
        if start < end:
            yield start, end, _texts(path)
        start = end
    if start < len(text):
        yield start, len(text), _texts(path)


def _texts(path: Sequence[Heading]) -> tuple[str, ...]:
    return tuple(heading.text[:HEADING] for heading in path if heading.text)


def _merged(text: str, starts: Sequence[int], end: int) -> Iterator[tuple[int, int]]:
    """Yield spans that join paragraphs up to TARGET; a longer paragraph has spans of its own."""
    left = starts[0]
    for start, following in zip(starts, [*starts[1:], end], strict=True):
        if start > left and following - left > TARGET:
            yield left, start
            left = start
        if following - left > LIMIT:
            *pieces, (left, _) = _cut(text, left, following)
            yield from pieces
    yield left, end


def _cut(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return spans of at most LIMIT characters that tile `[start, end)`, cut where the text pauses."""
    spans: list[tuple[int, int]] = []
    while end - start > LIMIT:
        cut = _pause(text, start + TARGET // 2, min(end, start + TARGET)) or start + TARGET
        spans.append((start, cut))
        start = cut
    return [*spans, (start, end)]


def _pause(text: str, start: int, end: int) -> int | None:
    """Return the end of the last and best pause in `[start, end)`."""
    for pattern in _cuts:
        ends = [pause.end() for pause in pattern.finditer(text, start, end)]
        if ends:
            return ends[-1]
    return None
