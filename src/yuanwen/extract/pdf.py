"""PDF: the text of its pages in order, then what is repeated at their edges.

Text is what the file holds, character by character, line after line. A page that is a scan is recognised, if something
is installed that can do so. Nothing here may be called from two threads at once.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Heading, Mark, Place, Raw
from yuanwen.extract import inside
from yuanwen.extract.dates import iso
from yuanwen.extract.draft import Draft
from yuanwen.extract.keywords import tags
from yuanwen.extract.pdf_body import Pages, Part, recogniser
from yuanwen.extract.pdf_layout import paragraphs
from yuanwen.extract.pdf_page import GARBLED, Flags, Reading, marks
from yuanwen.extract.pdfium_document import Document
from yuanwen.extract.refusals import AGAIN

MAX_PAGES = 100_000

_GARBLED = 0.5  # of the characters of a page
_HEADING_REACH = 10_000  # characters of a page in which a heading is looked for
_NUMBER = 12  # characters: the number before a heading that a bookmark lacks is shorter
_BLANK_LINES = re.compile(r"\n\s*\n")

# What is wrong with pages -> what is said of one page and of several, and what can be done.
_PROBLEMS = {
    "damaged": ("page {n} is damaged", "pages {first} to {last} are damaged", AGAIN),
    "huge": (
        "page {n} has too many characters",
        "pages {first} to {last} have too many characters",
        "Print it to a new PDF, and add that.",
    ),
    "scan": (
        "page {n} is a scan without text",
        "pages {first} to {last} are scans without text",
        'To read them: pip install "yuanwen[ocr]"',
    ),
    "garbled": (
        "the text of page {n} is garbled",
        "the text of pages {first} to {last} is garbled",
        "Make a copy with text recognition (OCR), and add that.",
    ),
    "late": (
        "page {n} was left out",
        "pages {first} to {last} were left out",
        "Split it.",
    ),
}

_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:[Zz].*|([+-]\d\d)'?(\d\d)?'?)?")
_PROGRAM = re.compile(r"(Microsoft (Office )?(Word|PowerPoint|Excel)|WPS 文字|CorelDRAW)\s*-\s*", re.IGNORECASE)
_SUFFIX = re.compile(r"\.(docx?|pptx?|xlsx?|wps|rtf|txt|pdf|indd|dvi|tex|cdr|odt|pages)$", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"untitled|无标题|無標題|未命名|(document|doc|slide|文档|文件|幻灯片)\s*\d*|powerpoint (presentation|演示文稿)",
    re.IGNORECASE,
)


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the document, and a Skip for each part of it that could not be read. Raises Unreadable."""
    with Document(raw.data, raw.passwords) as document:
        book = _Book(document, raw)
        for index in range(min(document.pages, MAX_PAGES)):
            book.add(index)
        yield book.extracted()
        yield from book.skips()
        for name, data in document.attachments():
            raw.allowance.unpack(len(data), len(raw.data))
            yield from inside(raw, name, data)


class _Book:
    """A document as it grows page by page."""

    def __init__(self, document: Document, raw: Raw) -> None:
        self._document = document
        self._raw = raw
        self._pages = Pages(document, raw)
        self._draft = Draft()
        self._bodies: list[tuple[int, int]] = []  # where the body of each page starts and ends
        self._heads: list[tuple[Place, Part, Flags]] = []
        self._problems: dict[str, list[int]] = {problem: [] for problem in _PROBLEMS}

    def add(self, index: int) -> None:
        """Read a page."""
        page = self._pages.reading(index)
        body, heads = self._pages.parts(index)
        label = self._document.label(index)
        place = Place(unit="page", number=page.number, name=label if label != str(page.number) else "")
        start = self._write(place, body, page.flags)
        self._bodies.append((start, self._draft.length))
        if heads.text:
            self._heads.append((place, heads, page.flags))
        self._note(page)

    def _write(self, place: Place, part: Part, flags: Flags) -> int:
        """Add a part of a page; return where it starts."""
        draft = self._draft
        if not part.text:
            return draft.length
        start = draft.write("\n", part.text)
        draft.places.append((start, place))
        draft.point(start, paragraphs=_paragraphs(part), marks=marks(part.text, part.slots, flags))
        if part.confidence is not None:
            draft.marks.append(_mark(start, part, "recognised", f"{part.confidence:.2f}"))
        return start

    def _note(self, page: Reading) -> None:
        """Note what is wrong with a page."""
        if page.problem:
            self._problems[page.problem].append(page.number)
        elif page.is_scan and recogniser() is None:
            self._problems["scan"].append(page.number)
        elif garbled := page.flags.get(GARBLED):
            characters = sum(len("".join(line.text.split())) for line in page.lines)
            if len(garbled) > _GARBLED * characters:
                self._problems["garbled"].append(page.number)

    def extracted(self) -> Extracted:
        """Return the whole: the bodies of the pages, then their running heads."""
        draft = self._draft
        draft.headings += self._headings(str(draft))
        if draft.headings and self._heads:
            draft.unhead(draft.length + 1)  # they belong to no chapter
        for place, part, flags in self._heads:
            start = self._write(replace(place, last=place.number), part, flags)  # those of several pages make a passage
            draft.marks.append(_mark(start, part, "running head"))
        property = self._document.property
        return replace(
            draft.extracted(self._raw.media_type),
            title=_title(property("Title")),
            tags=tags([property("Keywords")]),
            dated=_dated(property("ModDate")) or _dated(property("CreationDate")),
            author=" ".join(property("Author").split()),
        )

    def _headings(self, text: str) -> Iterator[Heading]:
        """Yield the bookmarks as headings, each at the line with its words if there is one, else at its page.

        They are asked for when all pages are known: finding the page of one is slow before.
        """
        last = 0
        for bookmark in self._document.outline():
            self._raw.allowance.beat()
            start, end = self._bodies[bookmark.page] if bookmark.page < len(self._bodies) else (-1, -1)
            if end < last or start < 0:
                continue
            start = last = _find_heading(text, max(start, last), end, bookmark.title)
            yield Heading(start=start, level=bookmark.level, text=bookmark.title)

    def skips(self) -> Iterator[Skip]:
        """Yield what could not be read, runs of pages together."""
        self._problems["late"] += range(MAX_PAGES + 1, self._document.pages + 1)
        for problem, (one, several, hint) in _PROBLEMS.items():
            for first, last in _runs(self._problems[problem]):
                reason = one.format(n=first) if first == last else several.format(first=first, last=last)
                yield Skip(source="", reason=reason, hint=hint)


def _mark(start: int, part: Part, kind: str, note: str = "") -> Mark:
    return Mark(start=start, end=start + len(part.text), kind=kind, note=note)


def _starts(part: Part) -> Iterator[int]:
    """Yield where the lines of a part start."""
    start = 0
    for line in part.lines:
        yield start
        start += len(line.text) + 1


def _paragraphs(part: Part) -> list[int]:
    """Return where the paragraphs of a part start."""
    if not part.lines:
        return [0, *(gap.end() for gap in _BLANK_LINES.finditer(part.text))]
    starts = list(_starts(part))
    return [starts[place] for place in paragraphs(part.lines)]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _find_heading(text: str, start: int, end: int, title: str) -> int:
    """Return where the line in `[start, end)` begins that says what a bookmark says, or `start`."""
    words = _squeezed(title)
    at = start
    for line in text[start : min(end, start + _HEADING_REACH)].split("\n"):
        if _is_heading(_squeezed(line), words):
            return at
        at += len(line) + 1
    return start


def _is_heading(line: str, words: str) -> bool:
    """Return whether a line says what a bookmark says, which may lack the number, or be longer than a line."""
    if line.endswith(words):
        return len(line) - len(words) <= _NUMBER
    return len(line) >= _NUMBER and words.startswith(line)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of numbers that follow each other."""
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        members = [number for _, number in run]
        yield members[0], members[-1]


# ---------------------------------------------------------------------------------------------- properties


def _title(said: str) -> str:
    """Return the title that the author gave; programs write the name of a file there, or nothing of use."""
    title = _SUFFIX.sub("", _PROGRAM.sub("", " ".join(said.split()), count=1))
    return "" if _NO_TITLE.fullmatch(title) else title


def _dated(said: str) -> str | None:
    """Return a date such as D:20240131120000+08'00' as ISO 8601."""
    found = _DATE.fullmatch(said.strip())
    if not found:
        return iso(said)
    year, month, day, hour, minute, second, hours, minutes = found.groups()
    zone = f"{hours}:{minutes or '00'}" if hours else "Z"
    return iso(f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}")
