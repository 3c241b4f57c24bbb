"""Presentations (PPTX): slides in the order in which they are shown, each with its comments and notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Heading, Place, Raw
from yuanwen.extract.drawings import visible, write_chart, write_diagram
from yuanwen.extract.numerals import numeral
from yuanwen.extract.office import Row, Text, assemble
from yuanwen.extract.ooxml import RelatedParts, Relation, core_properties, link, main_part, relations, targets
from yuanwen.extract.package import Element, Package, attribute, child, local

_SHAPES = ("sp", "graphicFrame", "cxnSp", "pic", "contentPart")
_TITLES = ("title", "ctrTitle")
# Kinds of automatic numbers: how they begin -> the form, how they end -> what stands around the number.
_FORMS = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "circleNum": "decimalEnclosedCircle",
    "ea1": "chineseCountingThousand",
    "arabicDb": "decimalFullWidth",
}
_SIGNS = {"Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")")}
_REPEATED = ("sldNum", "ftr", "dt", "hdr")  # placeholders that say the same on each slide, or count them


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the presentation, then the files embedded in it, and a Skip for each part that cannot be read."""
    package = Package(raw)
    main = main_part(package)
    related = relations(package, main)
    presentation = _Presentation(RelatedParts(package), [])
    shown = [link(one) for one in package.xml(main).iter() if local(one) == "sldId"]
    slides = [related[id].target for id in shown if id in related]
    parts = [presentation.slide(name, number) for number, name in enumerate(slides, 1)]
    said = core_properties(package)
    title = next((text.headings[0].text for _, text in parts if text.headings), "")
    yield assemble(raw, parts, replace(said, title=said.title or title))
    yield from presentation.parts.embedded(raw, presentation.embedded)
    yield from dict.fromkeys(presentation.parts.skips)


@dataclass
class _Presentation:
    """The parts of a presentation, and the names of the files that its slides embed."""

    parts: RelatedParts
    embedded: list[str]

    def embed(self, name: str, program: str) -> None:
        """Note an embedded file. Formulas of the old editor are pictures to us."""
        if name in self.parts.package.names and not program.startswith("Equation"):
            self.embedded.append(name)

    def slide(self, name: str, number: int) -> tuple[Place, Text]:
        """Return a slide: its title, the rest of its text, comments, notes."""
        text = Text()
        root = self.parts.get(name)
        related = self.parts.relations(name)
        if root is not None:
            if attribute(root, "show") in ("0", "false"):
                text.kinds.append("invisible")
            _Shapes(self, text, related).write(root)
        for target in targets(related, "comments"):
            self._beside(target, text, comments=True)
        for target in targets(related, "notesSlide"):
            self._beside(target, text)
        title = text.headings[0].text if text.headings else ""
        return Place(unit="slide", number=number, name=title), text

    def _beside(self, name: str, text: Text, *, comments: bool = False) -> None:
        """Write the comments or the notes of a slide below it."""
        root = self.parts.get(name)
        if root is None:
            return
        text.block(lines=2)
        if comments:
            _write_comments(root, text)
        else:
            _Shapes(self, text, self.parts.relations(name)).write(root, has_title=False)
        text.block()


def _write_comments(root: Element, text: Text) -> None:
    """Write comments of the old form (`p:text`) and of the new one (`a:p` in a body)."""
    for one in root.iter():
        if local(one) in ("text", "p"):
            text.block()
        if local(one) in ("text", "t"):
            text.write(one.text or "")


@dataclass
class _Shapes:
    """What writes the shapes of one slide, or of its notes."""

    presentation: _Presentation
    text: Text
    related: dict[str, Relation]

    def write(self, root: Element, *, has_title: bool = True) -> None:
        """Write all shapes in order, the title first."""
        shapes = [one for one in visible(root, *_SHAPES) if local(one) in _SHAPES]
        titles = [one for one in shapes if has_title and _placeholder(one) in _TITLES and _has_text(one)][:1]
        for title in titles:
            self._shape(title)
            heading = " ".join(str(self.text).split())
            self.text.headings.append(Heading(start=0, level=1, text=heading))
        for shape in shapes:
            if shape not in titles:
                self._shape(shape)

    def _shape(self, shape: Element) -> None:
        kinds = ["running head"] if _placeholder(shape) in _REPEATED else []
        if any(local(one) == "cNvPr" and attribute(one, "hidden") in ("1", "true") for one in shape.iter()):
            kinds.append("invisible")
        around, self.text.kinds = self.text.kinds, [*self.text.kinds, *kinds]
        row: Row | None = None
        numbers, number = _Numbers(), ""
        for one in visible(shape):
            match local(one):
                case "tr":
                    if row:
                        self.text.end_row(row)
                    row = self.text.row()
                case "tc" if row:
                    self.text.cell(row)
                case "txBody":
                    numbers = _Numbers()
                case "p":
                    self.text.block(paragraph=row is None)
                    number = numbers.next(one)
                case "t":
                    self.text.write(one.text or "")
                    self.text.number(number)
                    number = ""
                case "br":
                    self.text.line()
                case "chart" | "relIds" | "oleObj":
                    self._linked(one)
        if row:
            self.text.end_row(row)
        self.text.block()
        self.text.kinds = around

    def _linked(self, element: Element) -> None:
        """Write a chart or SmartArt; note an embedded file."""
        related = self.related.get(link(element, "dm" if local(element) == "relIds" else "id"))
        if related is None:
            return
        if local(element) == "oleObj":
            self.presentation.embed(related.target, attribute(element, "progId") or "")
        elif (root := self.presentation.parts.get(related.target)) is not None:
            self.text.block()
            (write_chart if local(element) == "chart" else write_diagram)(root, self.text)


class _Numbers:
    """The automatic numbers of the paragraphs of one text, as far as it says itself that they have some."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[tuple[str, str], int]] = {}

    def next(self, paragraph: Element) -> str:
        """Return the number of the paragraph that comes next, empty for one that has none."""
        if not _has_text(paragraph):
            return ""
        properties = child(paragraph, "pPr")
        bullet = child(properties, "buAutoNum")
        level = (attribute(properties, "lvl") if properties is not None else None) or "0"
        before = self._counts.get(level)
        self._counts = {one: count for one, count in self._counts.items() if one < level}
        if bullet is None:
            return ""
        start = attribute(bullet, "startAt") or "1"
        kind = (attribute(bullet, "type") or "", start)
        first = int(start) if re.fullmatch("[0-9]{1,5}", start) else 1
        count = before[1] + 1 if before and before[0] == kind else first
        self._counts[level] = (kind, count)
        return _numeral(count, kind[0])


def _numeral(value: int, kind: str) -> str:
    form = next((form for prefix, form in _FORMS.items() if kind.startswith(prefix)), "decimal")
    before, after = next((signs for suffix, signs in _SIGNS.items() if kind.endswith(suffix)), ("", ""))
    return before + numeral(value, form) + after


def _placeholder(shape: Element) -> str:
    """Return what a shape holds the place of on its layout, empty for a shape of its own."""
    return next((attribute(one, "type") or "" for one in shape.iter() if local(one) == "ph"), "")


def _has_text(shape: Element) -> bool:
    return any(local(one) == "t" and (one.text or "").strip() for one in shape.iter())
