"""OpenDocument texts and presentations (ODT, ODP): the body, then notes, comments, headers; or slide by slide."""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Heading, Mark, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract.dates import iso
from yuanwen.extract.keywords import tags
from yuanwen.extract.office import Properties, Row, Text, assemble
from yuanwen.extract.package import MAX_NESTING, Element, Package, Parts, attribute, local
from yuanwen.extract.refusals import damaged

MAX_SPACES = 1_000  # of one `text:s`, and cells of one that is repeated: a number can ask for any count

_MANIFEST = "META-INF/manifest.xml"
_SPACES = re.compile(r"[ \t\r\n]+")
_DRAWING = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_DESCRIPTION = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"  # of a picture: `svg:title`, `svg:desc`
_REPEATED = ("header", "footer", "date-time", "page-number")  # classes of frames that are the same on each slide
_PAGE_PARTS = ("annotation", "notes")  # of a slide, beside its shapes


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the document, and a Skip for each part that cannot be read. Raises Unreadable for an encrypted one."""
    package = Package(raw)
    if _MANIFEST in package.names and b"encryption-data" in package.read(_MANIFEST):
        raise Unreadable("it needs a password", hint="Save it without a password.")
    try:
        content = package.xml("content.xml")
    except KeyError as error:
        raise damaged() from error
    document = _Document(raw, Parts(package), content)
    body = next((one for one in content if local(one) == "body"), content)
    pages = [one for main in body for one in main if local(one) == "page"]
    parts = list(document.slides(pages) if pages else document.texts(body))
    said = properties(document.parts.get("meta.xml") if "meta.xml" in package.names else None)
    yield assemble(raw, parts, replace(said, title=said.title or document.title))
    yield from dict.fromkeys(document.parts.skips)


def properties(meta: Element | None) -> Properties:
    """Return what a file says about itself in its part `meta.xml`; nothing where there is none."""
    said: dict[str, list[str]] = {}
    for element in meta.iter() if meta is not None else ():
        said.setdefault(local(element), []).append(" ".join((element.text or "").split()))
    return Properties(
        title=said.get("title", [""])[0],
        author=(said.get("initial-creator") or said.get("creator") or [""])[0],
        tags=tags(said.get("keyword", [])),
        dated=iso(said.get("date", [""])[0]) or iso(said.get("creation-date", [""])[0]),
    )


class _Document:
    """What the readers of the parts of a document share."""

    def __init__(self, raw: Raw, parts: Parts, content: Element) -> None:
        self.beat = raw.allowance.beat
        self.parts = parts
        self.title = ""
        self.beside: dict[str, list[Element]] = {"footnotes": [], "endnotes": [], "comments": []}
        self._common = parts.get("styles.xml") if "styles.xml" in parts.package.names else None
        self._styles: dict[tuple[str | None, str | None], Element] = {}
        for root in (self._common, content):
            for style in root.iter() if root is not None else ():
                if local(style) == "style":
                    self._styles[attribute(style, "family"), attribute(style, "name")] = style
        self.insertions = {
            attribute(region, "id")
            for region in content.iter()
            if local(region) == "changed-region" and any(local(one) == "insertion" for one in region)
        }

    def texts(self, body: Element) -> Iterator[tuple[Place, Text]]:
        """Yield the body of a text, then each note and comment in it, then headers and footers that differ."""
        yield Place(unit="body"), _Reader(self, is_body=True).read(body)
        for unit, elements in self.beside.items():
            for number, element in enumerate(elements, 1):
                yield Place(unit=unit, number=number), _Reader(self).read(element)
        heads: dict[str, Text] = {}
        for element in self._common.iter() if self._common is not None else ():
            if re.fullmatch("(?:header|footer)(?:-left|-first)?", local(element)):
                text = _Reader(self, kinds=("running head",)).read(element)
                if text.length:
                    heads.setdefault(str(text), text)
        for number, text in enumerate(heads.values(), 1):
            yield Place(unit="headers", number=number), text

    def slides(self, pages: list[Element]) -> Iterator[tuple[Place, Text]]:
        """Yield each slide: its title, the rest of its text, comments, notes."""
        for number, page in enumerate(pages, 1):
            self.beat()
            hidden = self.says("drawing-page", attribute(page, "style-name"), "visibility") == "hidden"
            text = _Reader(self, kinds=("invisible",) if hidden else ()).read_page(page)
            title = text.headings[0].text if text.headings else ""
            self.title = self.title or title
            yield Place(unit="slide", number=number, name=title), text

    def chain(self, family: str, name: str | None) -> Iterator[Element]:
        """Yield a style and those it is based on, the nearest first."""
        seen: set[str | None] = set()
        while (family, name) in self._styles and name not in seen:
            seen.add(name)
            yield self._styles[family, name]
            name = attribute(self._styles[family, name], "parent-style-name")

    def says(self, family: str, name: str | None, property: str) -> str | None:
        """Return a property of a style, from the nearest that has it."""
        for style in self.chain(family, name):
            for properties in style:
                if (said := attribute(properties, property)) is not None:
                    return said
        return None

    def is_title(self, name: str | None) -> bool:
        """Return whether a style is that of the title of the document."""
        return name == "Title" or any(
            attribute(one, "parent-style-name") == "Title" for one in self.chain("paragraph", name)
        )


class _Reader:
    """The text of one part of a document: the body, a note, a slide."""

    def __init__(self, document: _Document, *, is_body: bool = False, kinds: tuple[str, ...] = ()) -> None:
        self.text = Text(kinds=list(kinds))
        self._document = document
        self._is_body = is_body
        self._depth = 0
        self._row: Row | None = None
        self._later: list[Element] = []  # frames that are anchored in the paragraph
        self._number = ""
        self._is_start = True  # of a paragraph: white space does not count there
        self._space = False  # white space is due before more text

    def read(self, element: Element) -> Text:
        """Return the text below an element. Raises Unreadable for one that is nested too deeply."""
        self._blocks(element)
        return self.text

    def read_page(self, page: Element) -> Text:
        """Return the text of a slide."""
        shapes = [one for one in page if local(one) not in _PAGE_PARTS]
        titles = [one for one in shapes if attribute(one, "class") == "title" and "".join(one.itertext()).strip()][:1]
        for title in titles:
            self._blocks(title)
            self.text.headings.append(Heading(start=0, level=1, text=" ".join(str(self.text).split())))
        for shape in shapes:
            if shape not in titles:
                self._block(shape)
        for part in _PAGE_PARTS:
            for element in (one for one in page if local(one) == part):
                self.text.block(lines=2)
                self._blocks(element)
        return self.text

    # ------------------------------------------------------------------------------------- blocks

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise Unreadable("its elements are nested too deeply", hint="Save it as text.")

    def _blocks(self, element: Element) -> None:
        self._enter()
        for child in element:
            self._block(child)
        self._depth -= 1

    def _block(self, element: Element) -> None:
        match local(element):
            case "p" | "h":
                self._paragraph(element)
            case "table-row":
                self._table_row(element)
            case "table-cell" | "covered-table-cell":
                self._cell(element)
            case "section":
                self._hide(element, attribute(element, "display") == "none", self._blocks)
            case "change-start" | "change-end":
                self._change(element)
            case "number":
                self._number = "".join(element.itertext())
            case "object":
                self._object(element)
            case "annotation":
                self._document.beside["comments"].append(element)
            case "tracked-changes" | "forms":
                pass
            case _ if element.tag.startswith(_DESCRIPTION):
                pass
            case _ if attribute(element, "class") in _REPEATED:
                around, self.text.kinds = self.text.kinds, [*self.text.kinds, "running head"]
                self._blocks(element)
                self.text.kinds = around
            case _:
                self._blocks(element)

    def _paragraph(self, element: Element) -> None:
        """Read a paragraph or heading, then the frames that are anchored in it."""
        self._document.beat()
        self.text.block(paragraph=self._row is None)
        self._is_start, self._space = True, False
        around, self._later = self._later, []
        style = attribute(element, "style-name")
        before = self.text.length
        self._hide(element, self._document.says("paragraph", style, "display") == "none", self._inline)
        if self.text.length > before:
            self._finish(element, style)
        self.text.block(paragraph=self._row is None)
        frames, self._later = self._later, around
        for frame in frames:
            self._blocks(frame)
            self.text.block(paragraph=self._row is None)

    def _finish(self, element: Element, style: str | None) -> None:
        """Note what the paragraph that was just written is."""
        self.text.number(self._number)
        level = attribute(element, "outline-level") or "1"
        if self._is_body and local(element) == "h" and re.fullmatch("[1-9]|10", level):
            self.text.head(int(level), self._number)
        elif self._is_body and not self._document.title and self._document.is_title(style):
            self._document.title = self.text.words
        self._number = ""

    def _table_row(self, element: Element) -> None:
        around, self._row = self._row, self.text.row()
        self._blocks(element)
        self.text.end_row(self._row)
        self._row = around

    def _cell(self, element: Element) -> None:
        if self._row is None:
            return self._blocks(element)
        self.text.cell(self._row)
        self._blocks(element)
        for _ in range(min(_count(element, "number-columns-repeated"), MAX_SPACES) - 1):
            self.text.cell(self._row)

    def _content(self, element: Element) -> Element | None:
        """Return the root of an embedded chart or formula."""
        folder = posixpath.normpath(attribute(element, "href") or "")
        name = posixpath.join(folder, "content.xml")
        return self._document.parts.get(name) if name in self._document.parts.package.names else None

    def _object(self, element: Element) -> None:
        root = self._content(element)
        if root is not None and local(root) == "math":
            self._write(_formula(root))
        elif root is not None:
            self._blocks(root)

    def _hide(self, element: Element, is_hidden: bool, read: Callable[[Element], None]) -> None:
        """Read an element that may be hidden."""
        if is_hidden:
            self.text.kinds.append("invisible")
        read(element)
        if is_hidden:
            self.text.kinds.remove("invisible")

    def _change(self, element: Element) -> None:
        """Begin or end a tracked insertion, which can run over several paragraphs."""
        if attribute(element, "change-id") not in self._document.insertions:
            return
        if local(element) == "change-start":
            self.text.kinds.append("inserted")
        elif "inserted" in self.text.kinds:
            self.text.kinds.remove("inserted")

    # ------------------------------------------------------------------------- text of a paragraph

    def _inline(self, element: Element) -> None:
        self._enter()
        self._characters(element.text)
        for child in element:
            self._span(child)
            self._characters(child.tail)
        self._depth -= 1

    def _span(self, element: Element) -> None:
        match local(element):
            case "s":
                self._write(" " * min(_count(element, "c"), MAX_SPACES))
            case "tab":
                self._write("\t")
            case "line-break":
                self.text.line()
                self._space = False
            case "note":
                unit = "endnotes" if attribute(element, "note-class") == "endnote" else "footnotes"
                self._document.beside[unit] += [one for one in element if local(one) == "note-body"]
            case "ruby":
                self._ruby(element)
            case "span":
                hidden = self._document.says("text", attribute(element, "style-name"), "display") == "none"
                self._hide(element, hidden, self._inline)
            case "hidden-text":
                self._hide(element, True, self._inline)
            case "annotation" | "change-start" | "change-end" | "number":
                self._block(element)
            case "script":
                pass
            case name if element.tag.startswith(_DRAWING) and name != "a":
                self._frame(element)
            case _:
                self._inline(element)

    def _frame(self, element: Element) -> None:
        """Leave a frame for after the paragraph, but a formula stands in the line."""
        objects = [self._content(one) for one in element if local(one) == "object"]
        formulas = [root for root in objects if root is not None and local(root) == "math"]
        for root in formulas:
            self._write(_formula(root))
        if not formulas:
            self._later += [root for root in objects if root is not None] or [element]

    def _ruby(self, element: Element) -> None:
        start, before = self.text.here + self._space, self.text.length
        for base in (one for one in element if local(one) == "ruby-base"):
            self._inline(base)
        note = "".join("".join(one.itertext()) for one in element if local(one) == "ruby-text").strip()
        if note and self.text.length > before:
            self.text.marks.append(Mark(start=start, end=self.text.length, kind="reading", note=note))

    def _characters(self, words: str | None) -> None:
        """Write characters, any white space as one space, none at the ends of a paragraph."""
        if not words:
            return
        words = _SPACES.sub(" ", words)
        self._space |= words[0] == " " and not self._is_start
        if body := words.strip(" "):
            self._write(body)
            self._space = words[-1] == " "

    def _write(self, words: str) -> None:
        self.text.write(" " * self._space + words)
        self._space = False
        self._is_start = False


def _formula(root: Element) -> str:
    return "".join(one.text or "" for one in root.iter() if local(one) in ("mi", "mn", "mo", "mtext")).strip()


def _count(element: Element, name: str) -> int:
    said = attribute(element, name) or ""
    return int(said) if re.fullmatch("[1-9][0-9]{0,8}", said) else 1
