"""What the styles and lists of a Word document say of its paragraphs: their level, their number, what is hidden."""

import re
from dataclasses import dataclass

from yuanwen.extract.numerals import numeral
from yuanwen.extract.package import Element, attribute, child, local


def value(element: Element | None, name: str) -> str | None:
    """Return the `w:val` of a child, None where there is no such child."""
    found = child(element, name)
    return attribute(found, "val") if found is not None else None


def _number(said: str | None) -> int | None:
    """Return a number that is said, None for anything else."""
    return int(said) if said and re.fullmatch(r"[0-9]{1,9}", said) else None


@dataclass(frozen=True, kw_only=True)
class Style:
    """What a style says of a paragraph or run, with what it takes from those it is based on.

    `level` is 0 for no heading. `number` is a list, the level in it, and the id of the style that says so.
    """

    level: int = 0
    is_title: bool = False
    hides: bool | None = None
    number: tuple[str, int | None, str] | None = None


class Styles:
    """The styles of a document by id."""

    _HEADING = re.compile(r"(?:heading|标题|標題) ?([1-9])", re.IGNORECASE)

    def __init__(self, roots: list[Element]) -> None:
        styles = [style for root in roots for style in root if local(style) == "style"]
        self._elements = {attribute(style, "styleId") or "": style for style in styles}
        self._known: dict[str, Style] = {}
        defaults = (id for id, style in self._elements.items() if attribute(style, "default") in ("1", "true", "on"))
        self._default = next((id for id in defaults if attribute(self._elements[id], "type") == "paragraph"), "")

    def get(self, id: str | None) -> Style:
        """Return a style, the default one of paragraphs where none is named."""
        id = self._default if id is None else id
        if id not in self._known:
            self._known[id] = self._resolved(id)
        return self._known[id]

    def _resolved(self, id: str) -> Style:
        level: int | None = None
        hides: bool | None = None
        number: tuple[str, int | None, str] | None = None
        is_title = False
        seen: set[str] = set()
        while id in self._elements and id not in seen:
            seen.add(id)
            style = self._elements[id]
            properties, name = child(style, "pPr"), value(style, "name") or ""
            is_title |= name.lower() == "title"
            hides = vanishes(child(style, "rPr")) if hides is None else hides
            heading = self._HEADING.fullmatch(name) or self._HEADING.fullmatch(id)
            said = outline_level(properties) if level is None else level
            level = int(heading[1]) if said is None and heading else said
            listed = child(properties, "numPr")
            if number is None and (list_id := value(listed, "numId")) is not None:
                number = (list_id, _number(value(listed, "ilvl")), id)
            id = value(style, "basedOn") or ""
        return Style(level=level or 0, is_title=is_title, hides=hides, number=number)


def outline_level(properties: Element | None) -> int | None:
    """Return the outline level that is said, 0 for that of plain text, None where nothing is said."""
    said = value(properties, "outlineLvl")
    level = _number(said)
    return None if said is None else level + 1 if level is not None and level < 9 else 0


def vanishes(properties: Element | None) -> bool | None:
    """Return whether `w:vanish` is on, None where nothing is said."""
    found = child(properties, "vanish")
    return None if found is None else _is_on(found)


def _is_on(element: Element) -> bool:
    return attribute(element, "val") not in ("0", "false", "off")


# ------------------------------------------------------------------------------------ automatic numbers


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


class Numbers:
    """The automatic numbers of paragraphs, in the order of the document."""

    def __init__(self, roots: list[Element]) -> None:
        elements = [element for root in roots for element in root]
        abstract = {attribute(one, "abstractNumId") or "": one for one in elements if local(one) == "abstractNum"}
        styled = {style: id for id, one in abstract.items() if (style := value(one, "styleLink"))}
        self._lists: dict[str, _List] = {}
        for one in elements:
            if local(one) == "num":
                id = value(one, "abstractNumId") or ""
                id = styled.get(value(abstract.get(id), "numStyleLink") or "", id)
                self._lists[attribute(one, "numId") or ""] = _list(id, abstract.get(id), one)
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def next(self, properties: Element | None, style: Style) -> str:
        """Return the number of the paragraph that comes next, empty for one that has none."""
        direct = child(properties, "numPr")
        id, level = value(direct, "numId"), _number(value(direct, "ilvl"))
        if id is None and style.number:
            id, own, named = style.number
            levels = self._lists[id].levels if id in self._lists else {}
            linked = next((place for place, one in levels.items() if one.style == named), own)
            level = linked if level is None else level
        return self._count(id, self._lists[id], level or 0) if id in self._lists else ""

    def _count(self, id: str, of: _List, level: int) -> str:
        """Return the number of the next paragraph at a level of a list, having counted it."""
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
        start = _number(value(override, "startOverride"))
        if start is not None:
            starts[place] = start
        levels |= dict(map(_level, (one for one in override if local(one) == "lvl")))
    return _List(definition=id, levels=levels, starts=starts)


def _level(element: Element) -> tuple[int, _Level]:
    legal = child(element, "isLgl")
    return _number(attribute(element, "ilvl")) or 0, _Level(
        start=_number(value(element, "start")) or 0,
        form=value(element, "numFmt") or "decimal",
        pattern=value(element, "lvlText") or "",
        is_legal=legal is not None and _is_on(legal),
        after=_number(value(element, "lvlRestart")),
        style=value(element, "pStyle") or "",
    )
