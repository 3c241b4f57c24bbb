"""Word documents (DOCX): the body as a reader sees it, then notes, comments, headers and footers.

Tracked insertions count, deletions do not. Automatic numbers and readings are marks, never text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Mark, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract.office import (
    SYMBOLS,
    Parts,
    Row,
    Text,
    assemble,
    chosen,
    core_properties,
    numeral,
    write_chart,
    write_diagram,
)
from yuanwen.extract.package import MAX_NESTING, Element, Package, attribute, child, link, local, main_part, targets

MAX_HEADING = 200  # characters; outline levels are given to whole paragraphs of text, too


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the document, then the files embedded in it, and a Skip for each part that cannot be read."""
    package = Package(raw)
    main = main_part(package)
    body = package.xml(main)
    document = _Document(raw, Parts(package), main)
    parts = [(Place(unit="body"), _Reader(document, main, is_body=True).read(body))]
    for unit, kind in (("footnotes", "footnote"), ("endnotes", "endnote"), ("comments", "comment")):
        parts += document.notes(unit, kind)
    parts += document.headers()
    said = core_properties(package)
    yield assemble(raw, parts, replace(said, title=said.title or document.title))
    yield from document.parts.embedded(raw, document.embedded)
    yield from dict.fromkeys(document.parts.skips)


class _Document:
    """What the readers of the parts of a document share, and those parts that stand beside the body."""

    def __init__(self, raw: Raw, parts: Parts, main: str) -> None:
        self.beat = raw.allowance.beat
        self.parts = parts
        self.related = parts.relations(main)
        self.styles = _Styles(self._roots("styles"))
        self.numbers = _Numbers(self._roots("numbering"))
        self.referred: list[tuple[str, str]] = []  # kind and id of notes, in the order of the body
        self.embedded: list[str] = []
        self.title = ""

    def _roots(self, *kinds: str) -> list[Element]:
        return [root for name in targets(self.related, *kinds) if (root := self.parts.get(name)) is not None]

    def notes(self, unit: str, kind: str) -> Iterator[tuple[Place, Text]]:
        """Yield footnotes, endnotes or comments, numbered in the order in which the body refers to them."""
        found: dict[str, Text] = {}
        for name in targets(self.related, unit):
            root = self.parts.get(name)
            for note in root if root is not None else ():
                if local(note) == kind and attribute(note, "type") in (None, "normal"):  # else it is a line above them
                    self.read(_Reader(self, name), note, found, attribute(note, "id") or "")
        order = [id for said, id in dict.fromkeys(self.referred) if said == kind and id in found]
        for number, id in enumerate(dict.fromkeys([*order, *found]), 1):
            yield Place(unit=unit, number=number), found[id]

    def headers(self) -> Iterator[tuple[Place, Text]]:
        """Yield headers and footers that differ, the headers first."""
        found: dict[str, Text] = {}
        for name in targets(self.related, "header", "footer"):
            root = self.parts.get(name)
            if root is not None:
                self.read(_Reader(self, name, kinds=("running head",)), root, found, name)
        once = {str(text): text for text in found.values() if text.length}
        for number, text in enumerate(once.values(), 1):
            yield Place(unit="headers", number=number), text

    def read(self, reader: "_Reader", element: Element, found: dict[str, Text], key: str) -> None:
        """Note the text of an element, or that it cannot be read."""
        try:
            found[key] = reader.read(element)
        except Unreadable as error:
            self.parts.skip(reader.part, error)


# ------------------------------------------------------------------------------------ text of a part


class _Reader:
    """The text of one part of a document, or of one note in it."""

    def __init__(self, document: _Document, part: str, *, is_body: bool = False, kinds: tuple[str, ...] = ()) -> None:
        self.part = part
        self.text = Text(kinds=list(kinds))
        self._document = document
        self._related = document.related if is_body else document.parts.relations(part)
        self._is_body = is_body
        self._depth = 0
        self._row: Row | None = None
        self._fields: list[bool] = []  # of the fields around: whether we are in the instruction, not the result
        self._later: list[Callable[[], None]] = []  # boxes that are anchored in the paragraph
        self._is_joined = False  # the break before this paragraph was deleted
        self._is_hidden = False  # by the style of the paragraph

    def read(self, element: Element) -> Text:
        """Return the text below an element. Raises Unreadable for one that is nested too deeply."""
        self.children(element)
        return self.text

    def children(self, element: Element) -> None:
        """Read the elements below one."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise Unreadable("its elements are nested too deeply", hint="Save it as text.")
        for one in element:
            name = local(one)
            if name in _READERS:
                _READERS[name](self, one)
            elif name not in _LEFT_OUT:
                self.children(one)
        self._depth -= 1

    def paragraph(self, element: Element) -> None:
        """Read a paragraph, then the boxes that are anchored in it."""
        self._document.beat()
        properties = child(element, "pPr")
        style = self._document.styles.get(_value(properties, "pStyle"))
        if not self._is_joined:
            self.text.block(paragraph=self._row is None)
        self._fields.clear()
        self._is_hidden = style.hides is True
        around, self._later = self._later, []
        before = self.text.length
        self.children(element)
        number = self._document.numbers.next(properties, style)
        if self.text.length > before:
            self._finish(properties, style, number)
        self._is_joined = child(child(properties, "rPr"), "del") is not None
        boxes, self._later = self._later, around
        if boxes or not self._is_joined:
            self.text.block(paragraph=self._row is None)
        for box in boxes:
            box()
            self.text.block(paragraph=self._row is None)

    def _finish(self, properties: Element | None, style: "_Style", number: str) -> None:
        """Note what the paragraph that was just written is."""
        self.text.number(number)
        if not self._is_body or self.text.length - (self.text.begun or 0) > MAX_HEADING:
            return
        outline = _outline(properties)
        level = style.level if outline is None else outline
        if level:
            self.text.head(level, number)
        elif style.is_title and not self._document.title:
            self._document.title = self.text.words

    def run(self, element: Element) -> None:
        """Read a run, which may be hidden."""
        properties = child(element, "rPr")
        hides = _hides(properties)
        style = _value(properties, "rStyle")
        if hides is None and style is not None:
            hides = self._document.styles.get(style).hides
        self.marked(element, "invisible", self._is_hidden if hides is None else hides)

    def marked(self, element: Element, kind: str, holds: bool = True) -> None:
        """Read what is below an element, marked if that `holds`."""
        if holds:
            self.text.kinds.append(kind)
        self.children(element)
        if holds:
            self.text.kinds.pop()

    def words(self, element: Element) -> None:
        """Read the text of a run; a value within an instruction, as of a condition, is not seen."""
        self.text.write(element.text or "", *["invisible"] * any(self._fields))

    def symbol(self, element: Element) -> None:
        """Read a character of a symbol font."""
        try:
            code = int(attribute(element, "char") or "", 16)
        except ValueError:
            return
        font = SYMBOLS.get((attribute(element, "font") or "").lower(), {})
        known = font.get(code & 0xFF) if code >> 8 in (0, 0xF0) else None
        if known:
            self.text.write(known)
        elif 0xE000 <= code <= 0xF8FF:  # for private use: only the font knows what it shows
            self.text.write(chr(code), "garbled")
        elif 0x20 <= code < 0xD800 or 0xF900 <= code <= 0xFFFD:
            self.text.write(chr(code))

    def field(self, element: Element) -> None:
        """Begin a field, come to its result, or end it."""
        match attribute(element, "fldCharType"):
            case "begin":
                self._fields.append(True)
            case "separate" if self._fields:
                self._fields[-1] = False
            case "end" if self._fields:
                self._fields.pop()

    def row(self, element: Element) -> None:
        """Read a row of a table."""
        around, self._row = self._row, self.text.row()
        self.children(element)
        self.text.end_row(self._row)
        self._row = around

    def cell(self, element: Element) -> None:
        """Read a cell of a row."""
        if self._row:
            self.text.cell(self._row)
        properties = child(element, "tcPr")
        merged = [one for name in ("vMerge", "hMerge") if (one := child(properties, name)) is not None]
        is_covered = any(attribute(one, "val") in (None, "continue") for one in merged)
        self.marked(element, "invisible", is_covered)

    def ruby(self, element: Element) -> None:
        """Read what a reading stands above, and note the reading."""
        start, before = self.text.here, self.text.length
        for base in element:
            if local(base) == "rubyBase":
                self.children(base)
        reading = child(element, "rt")
        note = "".join(one.text or "" for one in reading.iter() if local(one) == "t") if reading is not None else ""
        if note and self.text.length > before:
            self.text.marks.append(Mark(start=start, end=self.text.length, kind="reading", note=note))

    def alternatives(self, element: Element) -> None:
        """Read one of several forms of the same."""
        for one in chosen(element):
            self.children(one)

    def box(self, element: Element) -> None:
        """Read a text box, after the paragraph that it is anchored in."""
        kinds = list(self.text.kinds)

        def read() -> None:
            around, self.text.kinds = self.text.kinds, kinds
            self.children(element)
            self.text.kinds = around

        self._later.append(read)

    def word_art(self, element: Element) -> None:
        """Read the text of WordArt, such as a watermark."""
        words = attribute(element, "string") or ""
        self._later.append(lambda: self.text.write(words))

    def drawing(self, element: Element) -> None:
        """Read a chart or SmartArt, after the paragraph."""
        is_chart = local(element) == "chart"
        related = self._related.get(link(element, "id" if is_chart else "dm"))

        def read() -> None:
            root = self._document.parts.get(related.target) if related else None
            if root is not None:
                (write_chart if is_chart else write_diagram)(root, self.text)

        self._later.append(read)

    def note(self, element: Element) -> None:
        """Note that the text refers to a note or comment."""
        kind = local(element).removesuffix("Reference")
        self._document.referred.append((kind, attribute(element, "id") or ""))

    def embedded(self, element: Element) -> None:
        """Note an embedded file. Formulas of the old editor are pictures to us."""
        related = self._related.get(link(element))
        is_formula = (attribute(element, "ProgID") or "").startswith("Equation")
        if related and not is_formula and related.target in self._document.parts.package.names:
            self._document.embedded.append(related.target)


_LEFT_OUT = {
    *("del", "moveFrom", "delText", "instrText", "delInstrText"),
    *("pPr", "rPr", "tblPr", "tblPrEx", "tblGrid", "trPr", "tcPr", "sectPr", "sdtPr", "sdtEndPr", "ctrlPr"),
    *("rubyPr", "rt"),
}
_READERS: dict[str, Callable[[_Reader, Element], None]] = {
    "p": _Reader.paragraph,
    "r": _Reader.run,
    "t": _Reader.words,
    "ins": lambda reader, one: reader.marked(one, "inserted"),
    "moveTo": lambda reader, one: reader.marked(one, "inserted"),
    "tab": lambda reader, _: reader.text.write("\t"),
    "ptab": lambda reader, _: reader.text.write("\t"),
    "br": lambda reader, _: reader.text.line(),
    "cr": lambda reader, _: reader.text.line(),
    "noBreakHyphen": lambda reader, _: reader.text.write("\u2011"),
    "softHyphen": lambda reader, _: reader.text.write("\u00ad"),
    "sym": _Reader.symbol,
    "fldChar": _Reader.field,
    "tr": _Reader.row,
    "tc": _Reader.cell,
    "ruby": _Reader.ruby,
    "AlternateContent": _Reader.alternatives,
    "txbxContent": _Reader.box,
    "textpath": _Reader.word_art,
    "chart": _Reader.drawing,
    "relIds": _Reader.drawing,
    "footnoteReference": _Reader.note,
    "endnoteReference": _Reader.note,
    "commentReference": _Reader.note,
    "OLEObject": _Reader.embedded,
    "altChunk": _Reader.embedded,
}


# ------------------------------------------------------------------------------- styles and numbers


def _value(element: Element | None, name: str) -> str | None:
    """Return the `w:val` of a child, None where there is no such child."""
    found = child(element, name)
    return attribute(found, "val") if found is not None else None


def _number(said: str | None) -> int | None:
    return int(said) if said and re.fullmatch(r"[0-9]{1,9}", said) else None


@dataclass(frozen=True, kw_only=True)
class _Style:
    """What a style says of a paragraph or run, with what it takes from those it is based on.

    `level` is 0 for no heading. `number` is a list, the level in it, and the id of the style that says so.
    """

    level: int = 0
    is_title: bool = False
    hides: bool | None = None
    number: tuple[str, int | None, str] | None = None


class _Styles:
    """The styles of a document by id."""

    _HEADING = re.compile(r"(?:heading|标题|標題) ?([1-9])", re.IGNORECASE)

    def __init__(self, roots: list[Element]) -> None:
        styles = [style for root in roots for style in root if local(style) == "style"]
        self._elements = {attribute(style, "styleId") or "": style for style in styles}
        self._known: dict[str, _Style] = {}
        defaults = (id for id, style in self._elements.items() if attribute(style, "default") in ("1", "true", "on"))
        self._default = next((id for id in defaults if attribute(self._elements[id], "type") == "paragraph"), "")

    def get(self, id: str | None) -> _Style:
        """Return a style, the default one of paragraphs where none is named."""
        id = self._default if id is None else id
        if id not in self._known:
            self._known[id] = self._resolved(id)
        return self._known[id]

    def _resolved(self, id: str) -> _Style:
        level: int | None = None
        hides: bool | None = None
        number: tuple[str, int | None, str] | None = None
        is_title = False
        seen: set[str] = set()
        while id in self._elements and id not in seen:
            seen.add(id)
            style = self._elements[id]
            properties, name = child(style, "pPr"), _value(style, "name") or ""
            is_title |= name.lower() == "title"
            hides = _hides(child(style, "rPr")) if hides is None else hides
            heading = self._HEADING.fullmatch(name) or self._HEADING.fullmatch(id)
            said = _outline(properties) if level is None else level
            level = int(heading[1]) if said is None and heading else said
            listed = child(properties, "numPr")
            if number is None and (list_id := _value(listed, "numId")) is not None:
                number = (list_id, _number(_value(listed, "ilvl")), id)
            id = _value(style, "basedOn") or ""
        return _Style(level=level or 0, is_title=is_title, hides=hides, number=number)


def _outline(properties: Element | None) -> int | None:
    """Return the outline level that is said, 0 for that of plain text, None where nothing is said."""
    said = _value(properties, "outlineLvl")
    level = _number(said)
    return None if said is None else level + 1 if level is not None and level < 9 else 0


def _hides(properties: Element | None) -> bool | None:
    """Return whether `w:vanish` is on, None where nothing is said."""
    found = child(properties, "vanish")
    return None if found is None else attribute(found, "val") not in ("0", "false", "off")


@dataclass(frozen=True, kw_only=True)
class _Level:
    """How one level of a list is numbered. `after` is the level that makes it start again, None for any above it."""

    start: int
    form: str
    pattern: str
    is_legal: bool
    after: int | None
    style: str


@dataclass(frozen=True, kw_only=True)
class _List:
    """A list that paragraphs name: the levels of its definition, and where it starts anew."""

    definition: str
    levels: dict[int, _Level]
    starts: dict[int, int]


class _Numbers:
    """The automatic numbers of paragraphs, in the order of the document."""

    def __init__(self, roots: list[Element]) -> None:
        elements = [element for root in roots for element in root]
        abstract = {attribute(one, "abstractNumId") or "": one for one in elements if local(one) == "abstractNum"}
        styled = {style: id for id, one in abstract.items() if (style := _value(one, "styleLink"))}
        self._lists: dict[str, _List] = {}
        for one in elements:
            if local(one) == "num":
                id = _value(one, "abstractNumId") or ""
                id = styled.get(_value(abstract.get(id), "numStyleLink") or "", id)
                self._lists[attribute(one, "numId") or ""] = _list(id, abstract.get(id), one)
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def next(self, properties: Element | None, style: _Style) -> str:
        """Return the number of the paragraph that comes next, empty for one that has none."""
        direct = child(properties, "numPr")
        id, level = _value(direct, "numId"), _number(_value(direct, "ilvl"))
        if id is None and style.number:
            id, own, named = style.number
            levels = self._lists[id].levels if id in self._lists else {}
            linked = next((place for place, one in levels.items() if one.style == named), own)
            level = linked if level is None else level
        return self._count(id, self._lists[id], level or 0) if id in self._lists else ""

    def _count(self, id: str, of: _List, level: int) -> str:
        counts = self._counts.setdefault(of.definition, {})
        if level not in of.levels:
            return ""
        if level in of.starts and (id, level) not in self._started:
            counts[level] = of.starts[level]
        else:
            counts[level] = counts[level] + 1 if level in counts else of.levels[level].start
        self._started.add((id, level))
        for above in range(level):
            counts.setdefault(above, of.levels[above].start if above in of.levels else 1)
        for below in [place for place in counts if place > level]:
            after = of.levels[below].after if below in of.levels else None
            if after is None or level < after:
                del counts[below]
        return self._said(of, level, counts)

    def _said(self, of: _List, level: int, counts: dict[int, int]) -> str:
        """Return a number as it is written: `第一条`, `2.1`; nothing for a bullet."""
        shape = of.levels[level]
        if shape.form == "bullet":
            return ""

        def write(found: re.Match[str]) -> str:
            place = int(found[1]) - 1
            if place not in counts or place not in of.levels:
                return ""
            return numeral(counts[place], "decimal" if shape.is_legal and place < level else of.levels[place].form)

        return re.sub("%([1-9])", write, shape.pattern).strip()


def _list(id: str, abstract: Element | None, num: Element) -> _List:
    levels = dict(map(_level, (one for one in abstract if local(one) == "lvl"))) if abstract is not None else {}
    starts: dict[int, int] = {}
    for override in (one for one in num if local(one) == "lvlOverride"):
        place = _number(attribute(override, "ilvl")) or 0
        start = _number(_value(override, "startOverride"))
        if start is not None:
            starts[place] = start
        levels |= dict(map(_level, (one for one in override if local(one) == "lvl")))
    return _List(definition=id, levels=levels, starts=starts)


def _level(element: Element) -> tuple[int, _Level]:
    legal = child(element, "isLgl")
    return _number(attribute(element, "ilvl")) or 0, _Level(
        start=_number(_value(element, "start")) or 0,
        form=_value(element, "numFmt") or "decimal",
        pattern=_value(element, "lvlText") or "",
        is_legal=legal is not None and attribute(legal, "val") not in ("0", "false", "off"),
        after=_number(_value(element, "lvlRestart")),
        style=_value(element, "pStyle") or "",
    )
