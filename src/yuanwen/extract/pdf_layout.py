"""Where the lines of a page stand -> which are running heads, and where paragraphs begin."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from yuanwen.extract.pdf_page import Line, Reading

NEIGHBOURS = 2  # pages before and after one that running heads are compared with: left and right pages differ

_ZONE = 0.1  # of the height of a page, at its top and at its bottom
_LOOKED_AT = 0.3  # of the height: what is between a running head and here keeps it from the body
_APART = 0.6  # of its height that a line keeps from the body at least; lines of the body are closer
_SAME_HEIGHT = 6.0  # points
_LONGEST = 200  # characters of a running head
_NUMBER = re.compile(r"\d+")
_LEADER = re.compile(r"\.{3}|…|·{3}")  # of a table of contents
_ROMAN = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})", re.IGNORECASE)
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

_GAP = 1.5  # of the usual distance of two lines: more of it begins a paragraph
_INDENT = 0.9  # of the height of a line: more of it begins a paragraph
_DEEPEST = 6.0  # more is no indent, but a line in the middle


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A line at the top or the bottom of a page, `apart` from the body or next to it. `line` counts from 0.

    `pattern` is its text without white space and with `#` for each of its `numbers`; `first` and `last` are words of
    their own. `distance` is from the edge of the page, in points.
    """

    line: int
    top: bool
    apart: bool
    distance: float
    pattern: str
    numbers: tuple[int, ...]
    first: int | None
    last: int | None


def edges(page: Reading) -> tuple[Edge, ...]:
    """Return the lines of a page that are running heads if its neighbours have the like."""
    return () if page.is_scan else (*_near(page, top=True), *_near(page, top=False))


def running_heads(pages: Sequence[Sequence[Edge]], at: int) -> frozenset[int]:
    """Return which lines of the page `at` are running heads, from the edges of it and its neighbours, in order."""
    return frozenset(
        edge.line
        for edge in pages[at]
        if any(
            _agree(edge, other, place - at)
            for place, neighbour in enumerate(pages)
            if place != at
            for other in neighbour
        )
    )


def paragraphs(lines: Sequence[Line]) -> Iterator[int]:
    """Yield which lines begin a paragraph, the first one always: after a gap, or with an indent."""
    steps = [step for above, line in pairwise(lines) if (step := line.box[1] - above.box[1]) > _height(line) / 2]
    usual = median(steps) if steps else 0.0
    indented = False
    for place, (above, line, below) in enumerate(zip([None, *lines], lines, [*lines[1:], None], strict=False)):
        if above is None:
            yield place
        elif line.sideways or _is_beside(above, line):
            continue
        level = above is not None and abs(line.box[0] - above.box[0]) < _height(line) / 5
        indented = _is_indented(line, below) or (indented and level)
        if above is not None and (indented or line.box[1] - above.box[1] > _GAP * usual):
            yield place


# ------------------------------------------------------------------------------------------- running heads


def _near(page: Reading, *, top: bool) -> Iterator[Edge]:
    """Yield the lines near an edge of the page, and whether white space separates them from what is further in."""
    spans = []
    for place, line in enumerate(page.lines):
        near, far = (line.box[1], line.box[3]) if top else (page.height - line.box[3], page.height - line.box[1])
        if near < _LOOKED_AT * page.height and not line.sideways:
            spans.append((near, far, place))
    reach = 0.0
    outer: list[tuple[float, int]] = []
    for near, far, place in [*sorted(spans), (page.height * 2, page.height * 2, -1)]:
        apart = bool(outer) and near - reach > _APART * _height(page.lines[outer[-1][1]])
        inside = near + far > 2 * _ZONE * page.height
        if apart or inside:
            for distance, at in outer:
                if edge := _edge(page.lines[at].text, distance, at, top=top, apart=apart):
                    yield edge
            outer = []
        if inside:
            return
        outer.append((near, place))
        reach = max(reach, far)


def _edge(text: str, distance: float, line: int, *, top: bool, apart: bool) -> Edge | None:
    if len(text) > _LONGEST:
        return None
    words = text.split()
    for end in (0, -1):
        if _ROMAN.fullmatch(words[end]):
            words[end] = str(_roman(words[end].upper()))
    joined = "".join(words)
    return Edge(
        line=line,
        top=top,
        apart=apart,
        distance=distance,
        pattern=_NUMBER.sub("#", joined),
        numbers=tuple(map(int, _NUMBER.findall(joined))),
        first=int(words[0]) if _NUMBER.fullmatch(words[0]) else None,
        last=int(words[-1]) if _NUMBER.fullmatch(words[-1]) and not _LEADER.search(joined) else None,
    )


def _roman(digits: str) -> int:
    values = [_VALUES[digit] for digit in digits]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def _agree(edge: Edge, other: Edge, pages: int) -> bool:
    """Return whether two lines on pages so far from each other are one running head, but for the page number.

    What stands beside a page number may differ, since many running heads name the section. On one of the pages the
    body may come close.
    """
    if edge.top != other.top or abs(edge.distance - other.distance) > _SAME_HEIGHT:
        return False
    if not (edge.apart or other.apart):
        return False
    if edge.pattern == other.pattern:
        steps = [there - here for here, there in zip(edge.numbers, other.numbers, strict=True)]
        return all(step in (0, pages) for step in steps)
    numbers = ((edge.first, other.first), (edge.last, other.last))
    return (
        edge.apart
        and other.apart
        and any(here is not None and there is not None and there - here == pages for here, there in numbers)
    )


# ---------------------------------------------------------------------------------------------- paragraphs


def _height(line: Line) -> float:
    return line.box[3] - line.box[1]


def _is_beside(above: Line, line: Line) -> bool:
    """Return whether a line continues the row of the one before it, as a superscript does, or the next column."""
    return line.box[1] < above.box[3] - min(_height(above), _height(line)) / 2


def _is_indented(line: Line, below: Line | None) -> bool:
    """Return whether a line begins further to the right than the one below it."""
    if below is None or _is_beside(line, below):
        return False
    indent = line.box[0] - below.box[0]
    return _INDENT * _height(line) < indent < _DEEPEST * _height(line)
