"""PDF: the text of its pages in order, then what is repeated at their edges; and pictures of pages with words marked.

Text is what the file holds, character by character, line after line. A page that is a scan is recognised, if something
is installed that can do so. Nothing here may be called from two threads at once.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Heading, Mark, Place, Raw
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract import inside
from yuanwen.extract.dates import iso
from yuanwen.extract.image import ORANGE, YELLOW, Box, highlight, png
from yuanwen.extract.pdf_body import Pages, Part, recogniser
from yuanwen.extract.pdf_layout import paragraphs
from yuanwen.extract.pdf_page import GARBLED, Flags, Reading, marks
from yuanwen.extract.pdfium import Document, Page

MAX_PAGES = 100_000

_GARBLED = 0.5  # of the characters of a page
_HEADING_REACH = 10_000  # characters of a page in which a heading is looked for
_NUMBER = 12  # characters: the number before a heading that a bookmark lacks is shorter
_BLANK_LINES = re.compile(r"\n\s*\n")
_AGAIN = "Save it again, or get another copy."

# What is wrong with pages -> what is said of one page and of several, and what can be done.
_PROBLEMS = {
    "damaged": ("page {n} is damaged", "pages {first} to {last} are damaged", _AGAIN),
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
_COMMAS = re.compile(r"[,，、;；]")
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
        self._pieces: list[str] = []
        self._length = 0
        self._bodies: list[tuple[int, int]] = []  # where the body of each page starts and ends
        self._places: list[tuple[int, Place]] = []
        self._paragraphs: list[int] = []
        self._marks: list[Mark] = []
        self._heads: list[tuple[Place, Part, Flags]] = []
        self._problems: dict[str, list[int]] = {problem: [] for problem in _PROBLEMS}

    def add(self, index: int) -> None:
        """Read a page."""
        page = self._pages.reading(index)
        body, heads = self._pages.parts(index)
        label = self._document.label(index)
        place = Place(unit="page", number=page.number, name=label if label != str(page.number) else "")
        start = self._write(place, body, page.flags)
        self._bodies.append((start, self._length))
        if heads.text:
            self._heads.append((place, heads, page.flags))
        self._note(page)

    def _write(self, place: Place, part: Part, flags: Flags) -> int:
        """Add a part of a page; return where it starts."""
        if not part.text:
            return self._length
        self._pieces += ["\n", part.text] if self._pieces else [part.text]
        start = self._length + (1 if self._length else 0)
        self._length = start + len(part.text)
        self._places.append((start, place))
        self._paragraphs += [start + at for at in _paragraphs(part)]
        self._marks += marks(part.text, part.slots, flags, start)
        if part.confidence is not None:
            self._marks.append(_mark(start, part, "recognised", f"{part.confidence:.2f}"))
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
        headings = list(self._headings("".join(self._pieces)))
        if headings and self._heads:
            headings.append(Heading(start=self._length + 1, level=1, text=""))  # they belong to no chapter
        for place, part, flags in self._heads:
            start = self._write(replace(place, last=place.number), part, flags)  # those of several pages make a passage
            self._marks.append(_mark(start, part, "running head"))
        property = self._document.property
        return Extracted(
            text="".join(self._pieces),
            media_type=self._raw.media_type,
            title=_title(property("Title")),
            headings=tuple(headings),
            paragraphs=tuple(self._paragraphs),
            places=tuple(self._places),
            marks=tuple(sorted(self._marks, key=lambda mark: mark.start)),
            tags=_tags(property("Keywords")),
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


def _tags(keywords: str) -> tuple[str, ...]:
    pieces = (" ".join(piece.split()) for piece in _COMMAS.split(keywords))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def _dated(said: str) -> str | None:
    """Return a date such as D:20240131120000+08'00' as ISO 8601."""
    found = _DATE.fullmatch(said.strip())
    if not found:
        return iso(said)
    year, month, day, hour, minute, second, hours, minutes = found.groups()
    zone = f"{hours}:{minutes or '00'}" if hours else "Z"
    return iso(f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}")


# ------------------------------------------------------------------------------------------------ pictures


def picture(
    raw: Raw,
    page: int,
    spans: Sequence[tuple[int, int]],
    *,
    quotes: Sequence[tuple[int, int]] = (),
    dpi: float = 150,
    heads: bool = False,
) -> bytes:
    """Return a PNG of a page with `spans` of its text in yellow, and `quotes` of it in orange.

    Pages count from 1, spans from where the text of the page begins: its body, or with `heads` its running heads.
    """
    with Document(raw.data, raw.passwords) as document:
        part = _part(document, raw, page, heads=heads)
        with _opened(document, page) as opened:
            image = opened.render(dpi)
            width, height = image.size
            for wanted, colour in ((spans, YELLOW), (quotes, ORANGE)):
                found = [box for span in wanted for box in located(opened, part, span)]
                scaled = [(box[0] * width, box[1] * height, box[2] * width, box[3] * height) for box in found]
                image = highlight(image, scaled, colour)
    return png(image)


def boxes(raw: Raw, page: int, span: tuple[int, int], *, heads: bool = False) -> tuple[Box, ...]:
    """Return where a span of the text of a page stands: a box for each line, in fractions of the picture."""
    with Document(raw.data, raw.passwords) as document:
        part = _part(document, raw, page, heads=heads)
        with _opened(document, page) as opened:
            return tuple(located(opened, part, span))


def _part(document: Document, raw: Raw, page: int, *, heads: bool) -> Part:
    if not 0 < page <= document.pages:
        raise NotFound("there is no page {n}", n=page)
    return Pages(document, raw).parts(page - 1)[heads]


@contextmanager
def _opened(document: Document, page: int) -> Iterator[Page]:
    with document.page(page - 1) as opened:
        if opened is None:
            raise Unreadable("page {n} is damaged", hint=_AGAIN, n=page)
        yield opened


def located(page: Page, part: Part, span: tuple[int, int]) -> Iterator[Box]:
    """Yield the boxes of a span of a part, in fractions of the page: a line together unless it is torn."""
    around: Box | None = None
    for at in range(max(0, span[0]), min(len(part.text), span[1])):
        character = part.text[at]
        box = None if character.isspace() else _box(page, part, at)
        if around and (character == "\n" or (box and not _touch(around, box))):
            yield around
            around = None
        if box:
            around = _union(around, box) if around else box
    if around:
        yield around


def _box(page: Page, part: Part, at: int) -> Box | None:
    """Return the box of a character, in fractions of the page; None for what is outside of it, or has none."""
    if part.boxes:
        return part.boxes[at]
    left, top, right, bottom = page.box(part.slots[at])
    width, height = page.width, page.height
    box = (max(0.0, left / width), max(0.0, top / height), min(1.0, right / width), min(1.0, bottom / height))
    return box if box[0] < box[2] and box[1] < box[3] else None


def _touch(one: Box, other: Box) -> bool:
    """Return whether two boxes share a row or a column."""
    across = min(one[2], other[2]) > max(one[0], other[0])
    along = min(one[3], other[3]) > max(one[1], other[1])
    return across or along


def _union(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
