"""Text -> passages: paragraphs merged to about 400 characters within one heading, long ones cut at sentence ends."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from yuanwen.documents import Extracted, Heading, Passage

TARGET = 400  # characters that a passage grows to
PREFACE = 200  # what stands before the first heading is joined to its section up to this length
LIMIT = 600  # a paragraph longer than this is cut

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
    passages: list[Passage] = []
    for start, end, heading in _sections(text, document.headings):
        first = bisect_right(paragraphs, start)
        starts = [start, *(p for p in paragraphs[first : bisect_right(paragraphs, end - 1)] if p > start)]
        for left, right in _merged(text, starts, end):
            number = max(1, bisect_right(paragraphs, left))
            ordinal = len(passages) + 1
            passages.append(
                Passage(
                    ordinal=ordinal,
                    start=left,
                    end=right,
                    text=text[left:right],
                    heading=heading,
                    paragraph=number,
                )
            )
    return passages


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
            yield start, end, tuple(h.text for h in path)
        start = end
    if start < len(text):
        yield start, len(text), tuple(h.text for h in path)


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
