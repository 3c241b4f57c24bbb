"""What office documents have in common: text written block by block, automatic numbers, the parts of a package."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Heading, Mark, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import inside
from yuanwen.extract.dates import iso
from yuanwen.extract.package import Element, Package, Relation, attribute, local, relations, targets

# ---------------------------------------------------------------------------------------------- text


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


def assemble(raw: Raw, parts: Iterable[tuple[Place, Text]], said: Properties) -> Extracted:
    """Return one document of several parts, blank lines between them; those without text are left out."""
    kept = [(place, text) for place, text in parts if text.length]
    pieces: list[str] = []
    paragraphs: list[int] = []
    headings: list[Heading] = []
    marks: list[Mark] = []
    places: list[tuple[int, Place]] = []
    at = 0
    for place, text in kept:
        at += 2 if pieces else 0
        pieces.append(str(text))
        places.append((at, place))
        has_own = bool(text.headings) and text.headings[0].start == 0
        if not has_own and place.unit != "body" and (not headings or headings[-1].text):
            headings.append(Heading(start=at, level=1, text=""))  # those of other parts do not head this one
        paragraphs += [at + start for start in text.paragraphs]
        headings += [replace(heading, start=at + heading.start) for heading in text.headings]
        marks += [replace(mark, start=at + mark.start, end=at + mark.end) for mark in text.marks]
        at += text.length
    is_whole = len(kept) == 1 and kept[0][0].unit == "body"
    return Extracted(
        text="\n\n".join(pieces),
        media_type=raw.media_type,
        title=said.title,
        author=said.author,
        tags=said.tags,
        dated=said.dated,
        paragraphs=tuple(paragraphs),
        headings=tuple(headings) if any(heading.text for heading in headings) else (),
        marks=tuple(sorted(marks, key=lambda mark: (mark.start, mark.end, mark.kind))),
        places=() if is_whole else tuple(places),
    )


_COMMAS = re.compile(r"[,，、;；]")


def tags(keywords: Iterable[str]) -> tuple[str, ...]:
    """Return each keyword once."""
    pieces = (piece.strip() for words in keywords for piece in _COMMAS.split(words))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


# ------------------------------------------------------------------------------------------- numbers


def _row(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


_SERIES = {  # a number is the character at its place, as long as there is one
    "decimalEnclosedCircle": _row("①", "⑳"),
    "decimalEnclosedCircleChinese": _row("①", "⑳"),
    "decimalEnclosedParen": _row("⑴", "⒇"),
    "decimalEnclosedFullstop": _row("⒈", "⒛"),
    "ideographEnclosedCircle": _row("㊀", "㊉"),
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
}
_UNITS = {  # a number is written with units as far as they go: nought to nine, then one, ten, hundred, thousand
    "chineseCounting": ("〇一二三四五六七八九", ("", "十")),
    "chineseCountingThousand": ("零一二三四五六七八九", ("", "十", "百", "千")),
    "taiwaneseCounting": ("○一二三四五六七八九", ("", "十")),
    "taiwaneseCountingThousand": ("零一二三四五六七八九", ("", "十", "百", "千")),
    "japaneseCounting": ("〇一二三四五六七八九", ("", "十", "百", "千")),
    "chineseLegalSimplified": ("零壹贰叁肆伍陆柒捌玖", ("", "拾", "佰", "仟")),
    "ideographLegalTraditional": ("零壹貳參肆伍陸柒捌玖", ("", "拾", "佰", "仟")),
}
_DIGITS = {  # a number is written digit by digit
    "chineseCounting": "〇一二三四五六七八九",
    "taiwaneseCounting": "○一二三四五六七八九",
    "ideographDigital": "〇一二三四五六七八九",
    "japaneseDigitalTenThousand": "〇一二三四五六七八九",
    "taiwaneseDigital": "○一二三四五六七八九",
    "decimalFullWidth": "０１２３４５６７８９",
    "decimalFullWidth2": "０１２３４５６７８９",
}
_ROMAN = dict(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    )
)
_MAX_LETTERS = 30 * 26  # as many as Word repeats a letter for


def numeral(value: int, form: str) -> str:
    """Return a number in a form named as in OOXML; decimal for a form or a number that is not known."""
    if form == "none":
        return ""
    if form in _SERIES and 0 < value <= len(_SERIES[form]):
        return _SERIES[form][value - 1]
    if form in _UNITS and 0 < value < 10 ** len(_UNITS[form][1]):
        return _with_units(value, *_UNITS[form])
    if form in _DIGITS:
        return "".join(_DIGITS[form][int(digit)] for digit in str(value))
    if form in ("upperRoman", "lowerRoman") and 0 < value < 4_000:
        return _roman(value).upper() if form == "upperRoman" else _roman(value)
    if form in ("upperLetter", "lowerLetter") and 0 < value <= _MAX_LETTERS:
        times, letter = divmod(value - 1, 26)
        return chr(ord("A" if form == "upperLetter" else "a") + letter) * (times + 1)
    return f"{value:02}" if form == "decimalZero" else str(value)


def _with_units(value: int, digits: str, units: Sequence[str]) -> str:
    """Return 一百零五 for 105, 十二 for 12."""
    said = ""
    for digit, unit in zip(map(int, str(value)), reversed(units[: len(str(value))]), strict=True):
        said += digits[digit] + unit if digit else digits[0]
    said = re.sub(f"{digits[0]}+", digits[0], said).rstrip(digits[0])
    return said.removeprefix(digits[1]) if 10 <= value < 20 and digits[1] == "一" else said


def _roman(value: int) -> str:
    said = ""
    for size, letters in _ROMAN.items():
        times, value = divmod(value, size)
        said += letters * times
    return said


# What the low byte of a symbol stands for in fonts whose characters have no place in Unicode of their own.
_WINGDINGS = {
    0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x9F: "•", 0xA1: "○",
    0xA7: "▪", 0xA8: "◻", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF0: "⇨",
    0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
SYMBOLS: dict[str, dict[int, str]] = {
    "wingdings": _WINGDINGS,
    "wingdings 2": {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x96: "●", 0xA3: "□"},
    "symbol": dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True))
    | dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True))
    | {
        0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±",
        0xB3: "≥", 0xB4: "×", 0xB5: "∝", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…",
        0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xCF: "∉", 0xD0: "∠", 0xD1: "∇", 0xD6: "√", 0xE5: "∑", 0xF2: "∫",
    },
}  # fmt: skip


# ---------------------------------------------------------------------------- the parts of a package


def core_properties(package: Package) -> Properties:
    """Return what an OOXML file says about itself; nothing where that part is damaged."""
    said: dict[str, str] = {}
    try:
        for target in targets(relations(package), "core-properties"):
            root = package.get(target)
            for element in root if root is not None else ():
                said.setdefault(local(element), " ".join("".join(element.itertext()).split()))
    except Unreadable:
        pass
    return Properties(
        title=said.get("title", ""),
        author=said.get("creator", ""),
        tags=tags([said.get("keywords", "")]),
        dated=iso(said.get("modified", "")) or iso(said.get("created", "")),
    )


@dataclass
class Parts:
    """The parts of a package; one that cannot be read becomes a Skip."""

    package: Package
    skips: list[Skip] = field(default_factory=list)
    _relations: dict[str, dict[str, Relation]] = field(default_factory=dict)

    def get(self, name: str) -> Element | None:
        """Return the root of a part, or None after noting why not."""
        try:
            return self.package.xml(name)
        except KeyError:
            self.skip(name, Unreadable("it is damaged", hint="Save it again, or get another copy."))
        except Unreadable as error:
            self.skip(name, error)
        return None

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the relations of a part, none after noting why not."""
        if part not in self._relations:
            self._relations[part] = {}
            try:
                self._relations[part] = relations(self.package, part)
            except Unreadable as error:
                self.skip(part, error)
        return self._relations[part]

    def embedded(self, raw: Raw, names: Iterable[str]) -> Iterator[Extracted | Skip]:
        """Yield what embedded files hold, each once."""
        for name in dict.fromkeys(names):
            try:
                data = self.package.read(name)
            except Unreadable as error:
                self.skip(name, error)
            else:
                yield from inside(raw, name, data)

    def skip(self, name: str, error: Unreadable) -> None:
        """Note that a part cannot be read."""
        found = Skip.because(name, error)  # which part it is, the source says
        self.skips.append(replace(found, reason=found.reason.removeprefix(f"{name} in ")))


# --------------------------------------------------------------------------------- text of drawings


def chosen(alternatives: Element) -> Iterable[Element]:
    """Return the first choice of `mc:AlternateContent` if it has anything to read, else the fallback."""
    choices = [child for child in alternatives if local(child) == "Choice"][:1]
    fallbacks = [child for child in alternatives if local(child) == "Fallback"]
    has_text = any(local(one) in ("t", "chart", "relIds", "oleObj") for choice in choices for one in choice.iter())
    return choices if has_text or not fallbacks else fallbacks


def visible(element: Element, *closed: str) -> Iterator[Element]:
    """Yield an element and those below it in order, one of each set of alternatives, none below those `closed`."""
    ahead = [element]
    while ahead:
        one = ahead.pop()
        yield one
        if local(one) not in closed:
            ahead.extend(reversed(list(chosen(one) if local(one) == "AlternateContent" else one)))


def write_lines(element: Element, text: Text) -> None:
    """Write the paragraphs (`a:p`) below an element."""
    for one in visible(element):
        match local(one):
            case "p":
                text.block()
            case "t":
                text.write(one.text or "")
            case "br":
                text.line()
    text.block()


def write_diagram(data: Element, text: Text) -> None:
    """Write the text of SmartArt, point by point."""
    for point in data.iter():
        if local(point) == "pt":
            write_lines(point, text)


def write_chart(chart: Element, text: Text) -> None:
    """Write the titles of a chart, then a table of its values for each run of series with the same categories."""
    write_lines(chart, text)
    series = [one for one in chart.iter() if local(one) == "ser"]
    before: list[dict[int, str]] | None = None
    columns: list[dict[int, str]] = []
    names: list[str] = []
    for one in series:
        categories = _caches(one, "cat", "xVal")
        if before is not None and categories != before:
            _write_table(before, names, columns, text)
            columns, names = [], []
        before = categories
        names.append(" ".join(value for cache in _caches(one, "tx") for value in cache.values()))
        columns += _caches(one, "val", "yVal", "bubbleSize") or [{}]
    _write_table(before or [], names, columns, text)
    if not series:  # a chart of the newer kind (`cx`) keeps its data by column
        _write_table([], [], [_values(one) for one in chart.iter() if local(one) == "lvl"], text)


def _caches(series: Element, *names: str) -> list[dict[int, str]]:
    """Return the values that are kept for parts of a series, by their index; several for categories of levels."""
    found: list[dict[int, str]] = []
    for part in (one for one in series if local(one) in names):
        levels = [one for one in part.iter() if local(one) == "lvl"][::-1] or [part]
        found += [_values(level) or {0: _said(level)} for level in levels]  # a name may be written out
    return found


def _values(level: Element) -> dict[int, str]:
    found: dict[int, str] = {}
    for point in (one for one in level.iter() if local(one) == "pt"):
        index = attribute(point, "idx") or ""
        place = int(index) if re.fullmatch("[0-9]{1,9}", index) else len(found)
        found[place] = _plain(_said(point) or point.text or "")
    return found


def _said(element: Element) -> str:
    return "".join(one.text or "" for one in element.iter() if local(one) == "v")


_LONG_FRACTION = re.compile(r"-?\d+\.\d{12,}(?:[eE][+-]?\d+)?")


def _plain(value: str) -> str:
    """Return 4.3 for 4.2999999999999998: fifteen digits, as a chart shows at most."""
    return format(float(value), ".15g") if _LONG_FRACTION.fullmatch(value) else value


def _write_table(
    categories: Sequence[dict[int, str]], names: Sequence[str], columns: Sequence[dict[int, str]], text: Text
) -> None:
    rows = [[*("" for _ in categories), *names]] if any(names) else []
    cells = [*categories, *columns]
    for index in sorted({index for cache in cells for index in cache}):
        rows.append([cache.get(index, "") for cache in cells])
    for values in rows:
        row = text.row()
        for words in values:
            text.cell(row)
            text.write(words)
        text.end_row(row)
