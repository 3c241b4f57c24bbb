"""A picture of text -> the text that is recognised in it, with a box for each character. The home of RapidOCR."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yuanwen.allowance import Allowance
from yuanwen.documents import Extracted, Mark, Place, Raw
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract.image import ORANGE, Box, fitted, frames, highlight, png, strips, taken
from yuanwen.extract.ocr_layout import Line, Recognised, around, composed

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
    found: list[Sequence[Line]] = []
    for top, strip in strips(image):
        allowance.beat(_PATIENCE)
        found.append(_lines(strip, top, allowance))
    return composed(found)


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
            yield around(together)
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


def _moved(line: Line, scale: float, left: float, top: float) -> Line:
    """Return a line with its boxes in pixels of the whole image."""

    def move(box: Box) -> Box:
        return (box[0] - left) / scale, (box[1] - top) / scale, (box[2] - left) / scale, (box[3] - top) / scale

    return replace(line, boxes=tuple(box and move(box) for box in line.boxes), box=move(line.box))
