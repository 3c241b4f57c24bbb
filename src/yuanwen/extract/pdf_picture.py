"""A page of a PDF -> where words of its text stand on it, and a picture of it with them marked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from yuanwen.documents import Raw
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract.image import ORANGE, YELLOW, Box, highlight, png
from yuanwen.extract.pdf_body import Pages, Part
from yuanwen.extract.pdfium_document import Document
from yuanwen.extract.pdfium_page import Page
from yuanwen.extract.refusals import AGAIN


def picture(
    raw: Raw,
    page: int,
    spans: Sequence[tuple[int, int]],
    *,
    quotes: Sequence[tuple[int, int]] = (),
    dpi: float = 150,
    heads: bool = False,
) -> bytes:
    """Return a PNG of a page with `spans` of its text in yellow, and `quotes` of it in orange.

    Pages count from 1, spans from where the text of the page begins: its body, or with `heads` its running heads.
    """
    with Document(raw.data, raw.passwords) as document:
        part = _part(document, raw, page, heads=heads)
        with _opened(document, page) as opened:
            image = opened.render(dpi)
            width, height = image.size
            for wanted, colour in ((spans, YELLOW), (quotes, ORANGE)):
                found = [box for span in wanted for box in located(opened, part, span)]
                scaled = [(box[0] * width, box[1] * height, box[2] * width, box[3] * height) for box in found]
                image = highlight(image, scaled, colour)
    return png(image)


def boxes(raw: Raw, page: int, span: tuple[int, int], *, heads: bool = False) -> tuple[Box, ...]:
    """Return where a span of the text of a page stands: a box for each line, in fractions of the picture."""
    with Document(raw.data, raw.passwords) as document:
        part = _part(document, raw, page, heads=heads)
        with _opened(document, page) as opened:
            return tuple(located(opened, part, span))


def _part(document: Document, raw: Raw, page: int, *, heads: bool) -> Part:
    if not 0 < page <= document.pages:
        raise NotFound("there is no page {n}", n=page)
    return Pages(document, raw).parts(page - 1)[heads]


@contextmanager
def _opened(document: Document, page: int) -> Iterator[Page]:
    with document.page(page - 1) as opened:
        if opened is None:
            raise Unreadable("page {n} is damaged", hint=AGAIN, n=page)
        yield opened


def located(page: Page, part: Part, span: tuple[int, int]) -> Iterator[Box]:
    """Yield the boxes of a span of a part, in fractions of the page: a line together unless it is torn."""
    around: Box | None = None
    for at in range(max(0, span[0]), min(len(part.text), span[1])):
        character = part.text[at]
        box = None if character.isspace() else _box(page, part, at)
        if around and (character == "\n" or (box and not _touch(around, box))):
            yield around
            around = None
        if box:
            around = _union(around, box) if around else box
    if around:
        yield around


def _box(page: Page, part: Part, at: int) -> Box | None:
    """Return the box of a character, in fractions of the page; None for what is outside of it, or has none."""
    if part.boxes:
        return part.boxes[at]
    left, top, right, bottom = page.box(part.slots[at])
    width, height = page.width, page.height
    box = (max(0.0, left / width), max(0.0, top / height), min(1.0, right / width), min(1.0, bottom / height))
    return box if box[0] < box[2] and box[1] < box[3] else None


def _touch(one: Box, other: Box) -> bool:
    """Return whether two boxes share a row or a column."""
    across = min(one[2], other[2]) > max(one[0], other[0])
    along = min(one[3], other[3]) > max(one[1], other[1])
    return across or along


def _union(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
