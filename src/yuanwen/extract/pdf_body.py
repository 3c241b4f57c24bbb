"""What belongs to the body of each page of a PDF, and what to its edges; the body of a scan is what is recognised."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from yuanwen.documents import Raw
from yuanwen.extract.image import Box
from yuanwen.extract.pdf_layout import NEIGHBOURS, Edge, edges, running_heads
from yuanwen.extract.pdf_page import NO_SLOT, Line, Reading, Slots, read
from yuanwen.extract.pdfium_document import Document

OCR_DPI = 200  # what recognition reads well, of the sizes that text has on paper


@dataclass(frozen=True, kw_only=True)
class Part:
    """The body of a page or its running heads, a line of text for each of `lines`.

    One that was recognised has no lines and no slots, but the box of each character, in fractions of the page.
    """

    text: str = ""
    lines: tuple[Line, ...] = ()
    slots: Slots = ()
    boxes: tuple[Box | None, ...] = ()
    confidence: float | None = None


class Pages:
    """The pages of a document as they are read, each once if asked for in order. Indexes count from 0."""

    def __init__(self, document: Document, raw: Raw) -> None:
        self._document = document
        self._raw = raw
        self._kept: dict[int, tuple[Reading, tuple[Edge, ...]]] = {}

    def reading(self, index: int) -> Reading:
        """Return a page as it was read."""
        return self._read(index)[0]

    def parts(self, index: int) -> tuple[Part, Part]:
        """Return the body of a page and its running heads, which depend on the pages next to it and on no others."""
        page = self.reading(index)
        if page.is_scan and (recognised := self._recognised(index)).text:
            return recognised, Part()
        around = range(max(0, index - NEIGHBOURS), min(self._document.pages, index + NEIGHBOURS + 1))
        heads = running_heads([self._read(near)[1] for near in around], around.index(index))
        for passed in [kept for kept in self._kept if kept < index - NEIGHBOURS]:
            del self._kept[passed]
        lines = list(enumerate(page.lines))
        return (
            _joined(line for place, line in lines if place not in heads),
            _joined(line for place, line in lines if place in heads),
        )

    def _read(self, index: int) -> tuple[Reading, tuple[Edge, ...]]:
        if index not in self._kept:
            self._raw.allowance.beat()
            with self._document.page(index) as opened:
                page = read(opened, index + 1)
            self._kept[index] = page, edges(page)
        return self._kept[index]

    def _recognised(self, index: int) -> Part:
        """Return the text in the picture of a page; empty if there is none, or nothing that reads it."""
        ocr = recogniser()
        if ocr is None:
            return Part()
        with self._document.page(index) as opened:
            if opened is None:
                return Part()
            image = opened.render(OCR_DPI)
        found = ocr.recognise(image, self._raw.allowance)
        width, height = image.size
        shown = tuple(box and (box[0] / width, box[1] / height, box[2] / width, box[3] / height) for box in found.boxes)
        return Part(text=found.text, boxes=shown, confidence=found.confidence)


def recogniser() -> ModuleType | None:
    """Return what reads pictures, or None where it is not installed. Most documents do without, and it loads slowly."""
    from yuanwen.extract import ocr

    return ocr if ocr.available() else None


def _joined(lines: Iterable[Line]) -> Part:
    """Return lines as a text with the slot of each of its characters."""
    kept = tuple(lines)
    slots: list[int] = []
    for line in kept:
        slots += (NO_SLOT,) if slots else ()
        slots += line.slots
    return Part(text="\n".join(line.text for line in kept), lines=kept, slots=slots)
