"""DrawingML: the text of shapes, charts and SmartArt, whichever OOXML document they stand in."""

import re
from collections.abc import Iterable, Iterator, Sequence

from yuanwen.extract.office import Text
from yuanwen.extract.package import Element, attribute, local


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
