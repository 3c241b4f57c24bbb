"""What office documents have in common: text that is written block by block, and the parts put together."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from yuanwen.documents import Extracted, Heading, Mark, Place, Raw
from yuanwen.extract.draft import Draft


@dataclass
class Text:
    """Text as far as it is written, with what points into it.

    What separates blocks and cells is written when more text comes, so nothing stands at the ends. `begun` is where
    the block began, None while it has no text. Text is marked with each of `kinds`.
    """

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    begun: int | None = None
    paragraphs: list[int] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    _first: int = 0  # of the pieces of the block
    _lines: int = 0
    _tabs: int = 0
    _is_paragraph: bool = True
    _open: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return "".join(self.pieces)

    @property
    def words(self) -> str:
        """The text of the block, its white space collapsed."""
        return "" if self.begun is None else " ".join("".join(self.pieces[self._first :]).split())

    @property
    def here(self) -> int:
        """Where the next character will stand."""
        return self.length + (self._lines if self.length else 0) + self._tabs

    def block(self, *, paragraph: bool = True, lines: int = 1) -> None:
        """Let what comes next begin a block, but for the first one of a cell."""
        self.begun = None
        if not self._tabs:
            self._lines = max(self._lines, lines)
            self._is_paragraph |= paragraph

    def line(self) -> None:
        """Let what comes next begin a line of the same block."""
        if self.begun is not None:
            self._lines += 1

    def row(self) -> "Row":
        """Let what comes next begin a row of a table."""
        self.block()
        return Row(start=self.length, tabs=self._tabs)

    def cell(self, row: "Row") -> None:
        """Let what comes next stand in the next cell of the row."""
        row.cells += 1
        if row.cells > 1:
            self._tabs += 1
            if self.length > row.start:
                self._lines = 0
                self._is_paragraph = False

    def end_row(self, row: "Row") -> None:
        """Let what comes next begin a block below the row."""
        self._tabs = row.tabs if self.length == row.start else 0
        self.block()

    def write(self, words: str, *kinds: str) -> None:
        """Add text, marked with `kinds` besides those that hold for all."""
        if not words:
            return
        before, start = self.length, self.here
        if self._is_paragraph:
            self.paragraphs.append(start - self._tabs)
        if self.begun is None:
            self.begun = start
            self._first = len(self.pieces) + 1
        self.pieces += ["\n" * (start - self._tabs - before) + "\t" * self._tabs, words]
        self.length = start + len(words)
        self._lines = self._tabs = 0
        self._is_paragraph = False
        for kind in dict.fromkeys((*self.kinds, *kinds)):
            self._extend(kind, before, start)

    def _extend(self, kind: str, before: int, start: int) -> None:
        last = self._open.get(kind)
        if last is not None and self.marks[last].end == before:
            self.marks[last] = replace(self.marks[last], end=self.length)
        else:
            self._open[kind] = len(self.marks)
            self.marks.append(Mark(start=start, end=self.length, kind=kind))

    def number(self, note: str) -> None:
        """Mark the block with the automatic number that stands before it."""
        if note and self.begun is not None:
            self.marks.append(Mark(start=self.begun, end=self.begun, kind="number", note=note))

    def head(self, level: int, number: str = "") -> None:
        """Make the block a heading."""
        if self.begun is not None and (words := self.words):
            self.headings.append(Heading(start=self.begun, level=level, text=f"{number} {words}".strip()))


@dataclass
class Row:
    """A row that is being written: how long the text was before it, the tabs that were due, the cells so far."""

    start: int
    tabs: int
    cells: int = 0


@dataclass(frozen=True, kw_only=True)
class Properties:
    """What a file says about itself."""

    title: str = ""
    author: str = ""
    tags: tuple[str, ...] = ()
    dated: str | None = None

    def of(self, document: Extracted) -> Extracted:
        """Return a document that says this of itself."""
        return replace(document, title=self.title, author=self.author, tags=self.tags, dated=self.dated)


def assemble(raw: Raw, parts: Iterable[tuple[Place, Text]], said: Properties) -> Extracted:
    """Return one document of several parts, blank lines between them; those without text are left out."""
    kept = [(place, text) for place, text in parts if text.length]
    draft = Draft()
    for place, text in kept:
        start = draft.write("\n\n", str(text))
        draft.places.append((start, place))
        has_own = bool(text.headings) and text.headings[0].start == 0
        if not has_own and place.unit != "body" and (not draft.headings or draft.headings[-1].text):
            draft.unhead(start)  # those of other parts do not head this one
        draft.point(start, headings=text.headings, paragraphs=text.paragraphs, marks=text.marks)
    document = said.of(draft.extracted(raw.media_type))
    is_whole = len(kept) == 1 and kept[0][0].unit == "body"
    has_headings = any(heading.text for heading in draft.headings)
    return replace(
        document,
        headings=document.headings if has_headings else (),
        places=() if is_whole else document.places,
    )
