"""Lines that were recognised in a picture -> their text in reading order.

Columns of prose are read from left to right, within them rows from top to bottom, within a row from left to right. A
page that lies on a side or stands on its head is read as if it were upright; vertical writing is read from the right
column to the left.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from yuanwen.extract.image import Box

# Columns of prose, told from the cells of a table: so many lines, so long for their height, and filling the column.
_COLUMN_LINES = 3
_COLUMN_ASPECT = 8
_COLUMN_FILL = 0.6
_MIDDLE = (0.2, 0.8)  # of the width, where a gutter can be


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line as it was recognised. `boxes` has one box for each code point, None for a space.

    `box` is that of the line. `tall` is a line that goes up or down, `flipped` one that stands on its head (or, if
    tall, goes up).
    """

    text: str
    boxes: tuple[Box | None, ...]
    confidence: float
    box: Box
    tall: bool = False
    flipped: bool = False


@dataclass(frozen=True, kw_only=True)
class Recognised:
    """What stands in an image. `boxes` are pixels of it, one for each code point of `text`; `lines` as they are read.

    `confidence` is the mean of the lines weighted by their lengths, 0 to 1.
    """

    text: str = ""
    boxes: tuple[Box | None, ...] = ()
    confidence: float = 0.0
    lines: tuple[Line, ...] = ()


_Lying = tuple[Box, Line]  # a line with its box as it lies on the page turned upright


def composed(strips: Iterable[Sequence[Line]]) -> Recognised:
    """Return the text of the lines in each strip of a picture, from top to bottom.

    A tab stands between lines of a row, and a blank line where the gap between rows is higher than a line.
    """
    rows = [row for strip in strips for row in _in_order(_upright(strip))]
    if not rows:
        return Recognised()
    text = ""
    boxes: list[Box | None] = []
    height = median(box[3] - box[1] for row in rows for box, _ in row)
    bottom = 0.0
    for row in rows:
        extent = around([box for box, _ in row])
        gap = "" if not text else "\n\n" if extent[1] - bottom > height else "\n"
        bottom = extent[3]
        for at, (_, line) in enumerate(row):
            between = "\t" if at else gap
            text += between + line.text
            boxes += [*(None for _ in between), *line.boxes]
    lines = tuple(line for row in rows for _, line in row)
    weight = sum(len(line.text) for line in lines)
    confidence = sum(line.confidence * len(line.text) for line in lines) / weight
    return Recognised(text=text, boxes=tuple(boxes), confidence=confidence, lines=lines)


def around(together: Sequence[Box]) -> Box:
    """Return the box around some boxes."""
    lefts, tops, rights, bottoms = zip(*together, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _upright(lines: Sequence[Line]) -> list[_Lying]:
    """Return the lines with their boxes as they would lie if the page were turned so that most writing is upright."""
    votes: Counter[tuple[bool, bool]] = Counter()
    for line in lines:
        votes[line.tall, line.flipped] += len(line.text)
    way = votes.most_common(1)[0][0] if votes else (False, False)
    return [(_turned(line.box, *way), line) for line in lines]


def _turned(box: Box, tall: bool, flipped: bool) -> Box:
    left, top, right, bottom = box
    if tall:
        return (-bottom, left, -top, right) if flipped else (top, -right, bottom, -left)
    return (-right, -bottom, -left, -top) if flipped else box


def _in_order(lines: Sequence[_Lying]) -> list[list[_Lying]]:
    """Return the rows of lines as they are read: what crosses the gutter parts the page into bands of two columns."""
    gutter = _gutter([box for box, _ in lines])
    if gutter is None:
        return _rows(lines)
    rows: list[list[_Lying]] = []
    columns: tuple[list[_Lying], list[_Lying]] = [], []
    for lying in sorted(lines, key=lambda lying: lying[0][1]):
        left, _, right, _ = lying[0]
        if left < gutter < right:
            rows += [*_in_order(columns[0]), *_in_order(columns[1]), [lying]]
            columns = [], []
        else:
            columns[left >= gutter].append(lying)
    return [*rows, *_in_order(columns[0]), *_in_order(columns[1])]


def _gutter(boxes: Sequence[Box]) -> float | None:
    """Return the x that parts two columns of prose with the fewest lines across it, or None."""
    if len(boxes) < 2 * _COLUMN_LINES:
        return None
    left, _, right, _ = around(boxes)
    first, last = (left + share * (right - left) for share in _MIDDLE)
    found: list[tuple[int, float, float]] = []
    for x in {box[0] for box in boxes if first < box[0] < last}:
        before, after = [box for box in boxes if box[2] <= x], [box for box in boxes if box[0] >= x]
        across = len(boxes) - len(before) - len(after)
        if 4 * across <= len(boxes) and _is_prose(before) and _is_prose(after):
            found.append((across, abs(x - (left + right) / 2), x))
    return min(found)[2] if found else None


def _is_prose(boxes: Sequence[Box]) -> bool:
    """Return whether lines look like a column of prose: several, long for their height, filling its width."""
    if len(boxes) < _COLUMN_LINES:
        return False
    left, _, right, _ = around(boxes)
    width = median(box[2] - box[0] for box in boxes)
    height = median(box[3] - box[1] for box in boxes)
    return width >= _COLUMN_ASPECT * height and width >= _COLUMN_FILL * (right - left)


def _rows(lines: Sequence[_Lying]) -> list[list[_Lying]]:
    """Return lines from top to bottom, those beside each other in one row from left to right."""
    rows: list[list[_Lying]] = []
    for lying in sorted(lines, key=lambda lying: lying[0][1] + lying[0][3]):
        if rows and _beside(rows[-1][-1][0], lying[0]):
            rows[-1].append(lying)
        else:
            rows.append([lying])
    return [sorted(row, key=lambda lying: lying[0][0]) for row in rows]


def _beside(one: Box, other: Box) -> bool:
    """Return whether two boxes share more than half of the greater height."""
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return 2 * shared > max(one[3] - one[1], other[3] - other[1])
