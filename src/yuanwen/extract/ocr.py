"""A picture of text -> the text that is recognised in it, with a box for each character. The home of RapidOCR.

Reading order: columns of prose from left to right, within them rows from top to bottom, within a row from left to
right. A page that lies on a side or stands on its head is read as if it were upright; vertical writing is read from
the right column to the left.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from yuanwen.allowance import Allowance
from yuanwen.documents import Extracted, Mark, Place, Raw
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract.image import ORANGE, Box, fitted, frames, highlight, png, strips, taken

if TYPE_CHECKING:
    from PIL.Image import Image

PAGE_BREAK = "\n\n"

_LONGEST = 2000  # pixels of a side; A4 at 170 dpi
_SHORTEST = 64
_RATIO = 4  # of the sides: the detector enlarges the shorter one to 736
_THREADS = 1  # a second one waits more than it works: a tenth less time for half as much work again
_BATCH = 4  # lines between two beats
_PATIENCE = 180.0  # seconds until the first of them: the lines of a page are found in one step
_LOWEST = 0.5  # confidence of a line; below it a picture was taken for writing
_SURE = 0.9  # that a line stands on its head

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


Lying = tuple[Box, Line]  # a line with its box as it lies on the page turned upright


def available() -> bool:
    """Return whether what recognises text is installed."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def extract(raw: Raw) -> Iterator[Extracted]:
    """Yield the text in a picture as one document. Raises Unreadable where nothing is installed that could read it."""
    if not available():
        raise Unreadable("it is a picture", hint='To read it: pip install "yuanwen[ocr]"')
    text = ""
    places: list[tuple[int, Place]] = []
    marks: list[Mark] = []
    for number, frame in enumerate(frames(raw.data), 1):
        found = recognise(frame, raw.allowance)
        if found.text:
            start = len(text) + len(PAGE_BREAK) if text else 0
            text = text + PAGE_BREAK + found.text if text else found.text
            places.append((start, Place(unit="page", number=number)))
            marks.append(Mark(start=start, end=len(text), kind="recognised", note=f"{found.confidence:.2f}"))
    yield Extracted(
        text=text,
        media_type=raw.media_type,
        places=tuple(places),
        marks=tuple(marks),
        dated=taken(raw.data),
    )


def recognise(image: "Image", allowance: Allowance) -> Recognised:
    """Return the text in an image, in reading order; empty where there is none."""
    rows: list[Sequence[Lying]] = []
    for top, strip in strips(image):
        allowance.beat(_PATIENCE)
        rows += _in_order(_upright(_lines(strip, top, allowance)))
    return _composed(rows)


def boxes(raw: Raw, page: int, span: tuple[int, int]) -> tuple[Box, ...]:
    """Return where a span of the text of a page stands: a box for each line, in fractions of the picture."""
    frame = _frame(raw, page)
    width, height = frame.size
    return tuple(
        (left / width, top / height, right / width, bottom / height)
        for left, top, right, bottom in _united(recognise(frame, raw.allowance), span)
    )


def picture(raw: Raw, page: int, spans: Iterable[tuple[int, int]], *, quotes: Iterable[tuple[int, int]] = ()) -> bytes:
    """Return a page as PNG with spans of its text in yellow, and quotes in orange."""
    frame = _frame(raw, page)
    found = recognise(frame, raw.allowance)
    painted = highlight(frame, [box for span in spans for box in _united(found, span)])
    return png(highlight(painted, [box for span in quotes for box in _united(found, span)], ORANGE))


def _frame(raw: Raw, page: int) -> "Image":
    frame = next(islice(frames(raw.data), page - 1, None), None)
    if frame is None:
        raise NotFound("there is no page {n}", n=page)
    return frame


def _united(found: Recognised, span: tuple[int, int]) -> Iterator[Box]:
    """Yield a box for each line, or part of a line, in a span."""
    together: list[Box] = []
    start, end = span[0], min(span[1], len(found.text))
    for at in range(start, end):
        box = found.boxes[at]
        if box is not None:
            together.append(box)
        if together and (at == end - 1 or found.text[at] in "\n\t"):
            yield _around(together)
            together = []


# ------------------------------------------------------------------------------------------ recognition


@cache
def _engine() -> Any:
    """Return what recognises. It is told where its models are, as it would download what it does not find."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before the import: it sends on the first one
    from rapidocr import RapidOCR

    origin = find_spec("rapidocr")
    models = Path(str(origin.origin if origin else "")).with_name("models")
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.return_word_box": True,
            "Global.use_vertical_padding": False,  # see `fitted`
            "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            "Cls.cls_thresh": _SURE,
            "Rec.rec_batch_num": 1,  # long lines side by side take twice the memory, and no less time
            **{
                f"{part.title()}.model_path": str(next(models.glob(f"*_{part}_*.onnx")))
                for part in ("det", "cls", "rec")
            },
        }
    )


def _lines(strip: "Image", above: int, allowance: Allowance) -> list[Line]:
    """Return the lines in a strip of an image that starts `above` pixels below its top, in no order."""
    from rapidocr.main import RapidOCRError

    engine = _engine()
    image, scale, left, top = fitted(strip, longest=_LONGEST, shortest=_SHORTEST, ratio=_RATIO)
    try:
        crops, found = engine.detect_and_crop(engine.load_img(image), {})
    except RapidOCRError:  # there is no writing
        return []
    allowance.beat()
    upright, turns = engine.cls_and_rotate(crops)
    order = sorted(range(len(crops)), key=lambda at: upright[at].shape[1] / upright[at].shape[0])
    lines: list[Line] = []
    for first in range(0, len(order), _BATCH):
        allowance.beat()
        batch = order[first : first + _BATCH]
        read = engine.recognize_txt([upright[at] for at in batch])
        texts, scores = read.txts, read.scores
        words = engine.cal_rec_boxes([crops[at] for at in batch], found.boxes[batch], read, True).word_results
        for at, text, score, characters in zip(batch, texts, scores, words, strict=True):
            if text.strip() and score >= _LOWEST:
                label, sure = turns.cls_res[at]
                lines.append(_line(text, score, found.boxes[at], characters, flipped="180" in label and sure > _SURE))
    return [_moved(line, scale, left, top - above * scale) for line in lines]


def _line(text: str, score: float, corners: Any, characters: Sequence[Any], *, flipped: bool) -> Line:
    """Return a line. The engine counts characters from its left end, also where it had to turn it on its head."""
    box = _bounds(corners)
    left, top, right, bottom = box
    each = (_bounds(quad) for _, _, quad in characters)
    if flipped:
        each = ((left + right - x, top + bottom - y, left + right - x0, top + bottom - y0) for x0, y0, x, y in each)
    return Line(
        text=text,
        boxes=tuple(None if character.isspace() else next(each, None) for character in text),
        confidence=score,
        box=box,
        tall=bottom - top >= 1.5 * (right - left),  # as the engine has it
        flipped=flipped,
    )


def _bounds(corners: Any) -> Box:
    across, down = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return min(across), min(down), max(across), max(down)


def _around(together: Sequence[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*together, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _moved(line: Line, scale: float, left: float, top: float) -> Line:
    """Return a line with its boxes in pixels of the whole image."""

    def move(box: Box) -> Box:
        return (box[0] - left) / scale, (box[1] - top) / scale, (box[2] - left) / scale, (box[3] - top) / scale

    return replace(line, boxes=tuple(box and move(box) for box in line.boxes), box=move(line.box))


# ---------------------------------------------------------------------------------------- reading order


def _upright(lines: Iterable[Line]) -> list[Lying]:
    """Return the lines with their boxes as they would lie if the page were turned so that most writing is upright."""
    lines = list(lines)
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


def _in_order(lines: Sequence[Lying]) -> list[list[Lying]]:
    """Return the rows of lines as they are read: what crosses the gutter parts the page into bands of two columns."""
    gutter = _gutter([box for box, _ in lines])
    if gutter is None:
        return _rows(lines)
    rows: list[list[Lying]] = []
    columns: tuple[list[Lying], list[Lying]] = [], []
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
    left, _, right, _ = _around(boxes)
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
    left, _, right, _ = _around(boxes)
    width = median(box[2] - box[0] for box in boxes)
    height = median(box[3] - box[1] for box in boxes)
    return width >= _COLUMN_ASPECT * height and width >= _COLUMN_FILL * (right - left)


def _rows(lines: Sequence[Lying]) -> list[list[Lying]]:
    """Return lines from top to bottom, those beside each other in one row from left to right."""
    rows: list[list[Lying]] = []
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


def _composed(rows: Sequence[Sequence[Lying]]) -> Recognised:
    """Return the text of rows: a tab between lines of a row, a blank line where the gap is higher than a line."""
    if not rows:
        return Recognised()
    text = ""
    boxes: list[Box | None] = []
    height = median(box[3] - box[1] for row in rows for box, _ in row)
    bottom = 0.0
    for row in rows:
        around = _around([box for box, _ in row])
        gap = "" if not text else "\n\n" if around[1] - bottom > height else "\n"
        bottom = around[3]
        for at, (_, line) in enumerate(row):
            between = "\t" if at else gap
            text += between + line.text
            boxes += [*(None for _ in between), *line.boxes]
    lines = tuple(line for row in rows for _, line in row)
    weight = sum(len(line.text) for line in lines)
    confidence = sum(line.confidence * len(line.text) for line in lines) / weight
    return Recognised(text=text, boxes=tuple(boxes), confidence=confidence, lines=lines)
