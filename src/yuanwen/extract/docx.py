"""Word documents (DOCX): the body as a reader sees it, then notes, comments, headers and footers.

Tracked insertions count, deletions do not. Automatic numbers and readings are marks, never text.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Mark, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract.docx_styles import Numbers, Style, Styles, outline_level, value, vanishes
from yuanwen.extract.drawings import chosen, write_chart, write_diagram
from yuanwen.extract.office import Row, Text, assemble
from yuanwen.extract.ooxml import RelatedParts, core_properties, link, main_part, targets
from yuanwen.extract.package import MAX_NESTING, Element, Package, attribute, child, local
from yuanwen.extract.symbols import symbol

MAX_HEADING = 200  # characters; outline levels are given to whole paragraphs of text, too


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the document, then the files embedded in it, and a Skip for each part that cannot be read."""
    package = Package(raw)
    main = main_part(package)
    body = package.xml(main)
    document = _Document(raw, RelatedParts(package), main)
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

    def __init__(self, raw: Raw, parts: RelatedParts, main: str) -> None:
        self.beat = raw.allowance.beat
        self.parts = parts
        self.related = parts.relations(main)
        self.styles = Styles(self._roots("styles"))
        self.numbers = Numbers(self._roots("numbering"))
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
        style = self._document.styles.get(value(properties, "pStyle"))
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

    def _finish(self, properties: Element | None, style: "Style", number: str) -> None:
        """Note what the paragraph that was just written is."""
        self.text.number(number)
        if not self._is_body or self.text.length - (self.text.begun or 0) > MAX_HEADING:
            return
        said = outline_level(properties)
        level = style.level if said is None else said
        if level:
            self.text.head(level, number)
        elif style.is_title and not self._document.title:
            self._document.title = self.text.words

    def run(self, element: Element) -> None:
        """Read a run, which may be hidden."""
        properties = child(element, "rPr")
        hides = vanishes(properties)
        style = value(properties, "rStyle")
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
        if known := symbol(attribute(element, "font") or "", code):
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
