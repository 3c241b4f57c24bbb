"""The text of a page: blocks that are written as a browser lays them out, then put in the order that we want."""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby

from yuanwen.documents import Extracted, Heading, Mark, Place
from yuanwen.extract.draft import Draft

_PARAGRAPHS = (
    "p h1 h2 h3 h4 h5 h6 ul ol dl menu table pre blockquote section article aside header footer nav main"
    " figure form fieldset details hr"
)
_LINES = (
    "html body div li dt dd tr caption address center figcaption summary legend option select textarea"
    " hgroup dialog search dir frameset text"
)
BREAKS = dict.fromkeys(_LINES.split(), 1) | dict.fromkeys(_PARAGRAPHS.split(), 2)
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_CELLS = ("td", "th")
_READINGS = ("rt", "rtc")
_RUBY = ("ruby", "rb", *_READINGS)

_SPACE = " \t\n\r\f"  # no other: a no-break space is text
_SPACES = re.compile(r"[ \t\n\r\f]+")
_LETTERS = re.compile(r"\W+")
_LINKS = 3  # links at least, in lines that are a list of links


@dataclass
class Here:
    """Where the walk is: inside what keeps white space, in which link, inside an article; and the blocks so far."""

    as_typed: int = 0
    link: int = 0
    is_sheltered: bool = False
    blocks: int = 0


@dataclass
class _Block:
    """Text on lines of its own, and what points into it. `gap` is the line breaks before it, at least."""

    order: int
    gap: int
    is_paragraph: bool
    is_sheltered: bool
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    letters: int = 0
    letters_of_links: int = 0
    links: set[int] = field(default_factory=set)
    headings: list[Heading] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    @property
    def is_of_links(self) -> bool:
        """Whether it is next to nothing but links, and belongs to no article."""
        return not self.is_sheltered and not self.headings and self.letters_of_links * 10 >= self.letters * 9


class Stream:
    """Blocks so far, and what separates them from what comes next.

    `breaks` and `forced` are line breaks that blocks and `br` ask for, `tabs` the cells passed in a row, `space` a
    space; the strongest is written when more text comes, so nothing stands at the ends. `rows` is how much had been
    written when each open row began.
    """

    def __init__(self, here: Here) -> None:
        self.blocks: list[_Block] = []
        self._here = here
        self._written = 0
        self._breaks = self._forced = self._tabs = 0
        self._space = False
        self._rows: list[int] = []
        self._after_table = False
        self._headings = 0
        self._words: list[str] = []
        self._heading_at = (0, 0)
        self._ruby = _Ruby()

    def part(self) -> None:
        """Keep what comes apart from what was before."""
        self._tabs = 0
        self.separate(2)

    def separate(self, lines: int) -> None:
        """Ask for line breaks; a block that starts a cell starts no line."""
        if lines:
            if not self._tabs:
                self._breaks = max(self._breaks, lines)
            self._space = False

    def enter(self, tag: str) -> None:
        """Begin an element."""
        if tag == "br":
            self._forced = min(2, self._forced + 1)
            self._space = False
        self.separate(BREAKS.get(tag, 0))
        if tag == "tr":
            self._rows.append(self._written)
        elif tag in _LEVELS:
            self._headings += 1
        elif tag in _RUBY:
            self._ruby.enter(tag)

    def leave(self, tag: str) -> None:
        """End an element."""
        if tag in _CELLS and self._rows:
            self._end_cell()
        elif tag == "tr":
            self._tabs = 0
            self._rows.pop()
        elif tag in _LEVELS:
            self._headings -= 1
            if not self._headings:
                self._end_heading(_LEVELS[tag])
        elif tag in _RUBY and (unplaced := self._ruby.leave(tag)):
            self.read(unplaced)
        self.separate(BREAKS.get(tag, 0))
        if tag == "table":
            self._after_table = bool(self._rows)

    def read(self, text: str) -> None:
        """Add text, its white space collapsed unless the element keeps it."""
        if self._ruby.is_reading:
            self._ruby.read(text)
        elif self._here.as_typed:
            self._write(text)
        else:
            words = _SPACES.sub(" ", text)
            self._space = self._space or words.startswith(" ")
            if words := words.strip(" "):
                self._write(words)
                self._space = text[-1] in _SPACE

    def _write(self, text: str) -> None:
        if not text:
            return
        gap = "\t" * self._tabs
        if not self.blocks or self._breaks or self._forced > 1:
            self._begin()
        else:
            gap = "\n" * self._forced + gap or " " * self._space
        block = self.blocks[-1]
        start = block.length + len(gap)
        block.pieces += (gap, text)
        block.length = start + len(text)
        letters = len(_LETTERS.sub("", text))
        block.letters += letters
        if self._here.link:
            block.letters_of_links += letters
            block.links.add(self._here.link)
        if self._headings:
            if not self._words:
                self._heading_at = len(self.blocks) - 1, start + len(text) - len(text.lstrip())
            self._words += (gap, text)
        self._ruby.wrote(block, start)
        self._written += len(gap) + len(text)
        self._breaks = self._forced = self._tabs = 0
        self._space = self._after_table = False

    def _begin(self) -> None:
        gap = max(self._breaks, self._forced)
        starts_row = bool(self._rows) and self._written == self._rows[-1]
        self.blocks.append(
            _Block(
                order=self._here.blocks,
                gap=max(1, gap),
                is_paragraph=gap != 1 or not self._rows or starts_row,
                is_sheltered=self._here.is_sheltered,
            )
        )
        self._here.blocks += 1

    def _end_cell(self) -> None:
        """End a cell: the next one follows after a tab, but after a table in it on a line of its own."""
        if self._after_table:
            return
        if self._written > self._rows[-1]:
            self._breaks = self._forced = 0
        self._tabs += 1
        self._space = False

    def _end_heading(self, level: int) -> None:
        if words := " ".join("".join(self._words).split()):
            block, start = self._heading_at
            self.blocks[block].headings.append(Heading(start=start, level=level, text=words))
        self._words = []


class _Ruby:
    """The readings of ruby, each marked over the base that it stands above."""

    def __init__(self) -> None:
        self._open = 0
        self._readings = 0
        self._bases: deque[tuple[_Block, int, int]] = deque()  # that wait for a reading
        self._last: tuple[_Block, int, int] | None = None
        self._is_new = True
        self._pieces: list[str] = []

    @property
    def is_reading(self) -> bool:
        """Whether what comes is a reading."""
        return self._readings > 0

    def enter(self, tag: str) -> None:
        """Begin an element."""
        self._readings += tag in _READINGS
        self._open += tag == "ruby"
        self._is_new = True

    def leave(self, tag: str) -> str:
        """End an element; return a reading that stands above nothing."""
        self._is_new = True
        unplaced = ""
        if tag in _READINGS:
            self._readings -= 1
            unplaced = "" if self._readings else self._place()
        elif tag == "ruby":
            self._open -= 1
            if not self._open:
                self._bases.clear()
                self._last = None
        return unplaced

    def _place(self) -> str:
        note = " ".join("".join(self._pieces).split())
        self._pieces = []
        if note and self._bases:
            self._last = self._bases.popleft()
        if note and self._last:
            block, start, end = self._last
            block.marks.append(Mark(start=start, end=end, kind="reading", note=note))
            return ""
        return note

    def read(self, text: str) -> None:
        """Add to the reading."""
        self._pieces.append(text)

    def wrote(self, block: _Block, start: int) -> None:
        """Note that text was written: inside ruby it is a base."""
        if not self._open:
            return
        if not self._is_new and self._bases and self._bases[-1][0] is block:
            start = self._bases.pop()[1]
        self._bases.append((block, start, block.length))
        self._is_new = False


# ---------------------------------------------------------------------------------- the blocks in order


def assembled(main: Stream, beside: Stream, hidden: Stream) -> Extracted:
    """Return a document of the main text, what stands beside it, and what is hidden; with places if there are two."""
    listed = {block.order for block in _lists_of_links(main.blocks)}
    zones = {
        "main": [block for block in main.blocks if block.order not in listed],
        "beside": sorted(
            [*beside.blocks, *(block for block in main.blocks if block.order in listed)],
            key=lambda block: block.order,
        ),
        "hidden": hidden.blocks,
    }
    draft = Draft()
    for unit, blocks in zones.items():
        _add(draft, unit, blocks)
    document = draft.extracted("text/html")
    return document if beside.blocks or hidden.blocks or listed else replace(document, places=())


def _add(draft: Draft, unit: str, blocks: list[_Block]) -> None:
    """Add the blocks that stand in one place."""
    for block in blocks:
        is_first = block is blocks[0]
        start = draft.write("\n" * (2 if is_first else block.gap), "".join(block.pieces))
        if is_first:
            draft.places.append((start, Place(unit=unit)))
            if draft.headings and not block.headings:  # what went before does not head this
                draft.unhead(start)
        opens = is_first or block.is_paragraph
        draft.point(start, headings=block.headings, paragraphs=(0,) if opens else (), marks=block.marks)
    if blocks and unit == "hidden":
        draft.marks.append(Mark(start=draft.places[-1][0], end=draft.length, kind="invisible"))


def _lists_of_links(blocks: Iterable[_Block]) -> list[_Block]:
    """Return the blocks in runs of nothing but links; none if they are most of the page, as in an index."""
    found: list[_Block] = []
    letters = 0
    for is_of_links, group in groupby(blocks, key=lambda block: block.is_of_links):
        run = list(group)
        letters += sum(block.letters for block in run)
        if is_of_links and sum(len(block.links) for block in run) >= _LINKS:
            found += run
    return found if sum(block.letters for block in found) * 2 <= letters else []
