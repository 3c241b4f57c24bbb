"""What PDFium says about a page of a PDF: its characters with their boxes, what else is on it, a picture of it."""

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from operator import eq
from typing import Any

from yuanwen.extract.image import Box, Picture, drawn
from yuanwen.extract.pdfium import HANDLE, INT, ULONG, address, api, quick

MAX_SIDE = 4000  # pixels of a picture of a page
MAX_PIXELS = 16_000_000
MAX_DPI = 600

_MAX_OBJECTS = 200_000  # of a page that are looked at
_MAX_TRIES = 16  # pictures of a page that are drawn to find what is switched off
_SMALL = 36  # dots per inch of them
_MAX_FORMS = 8  # form XObjects within each other that are looked into
_SCALE = 1 << 20  # pixels that positions are asked for in

_DIGITS = 4
_UPRIGHT = 0.1  # radians that writing may lean
_POINTS = 72
_NO_TEXT = -1
_OPTIONAL = "OC\0".encode("utf-16-le")
_INVISIBLE = frozenset((api.FPDF_TEXTRENDERMODE_INVISIBLE, api.FPDF_TEXTRENDERMODE_CLIP))
_WHITE = 0xFFFFFFFF

_unicode = quick(api.FPDFText_GetUnicode, ctypes.c_uint, HANDLE, INT)
_all_text = quick(api.FPDFText_GetText, INT, HANDLE, INT, INT, HANDLE)
_loose_box = quick(api.FPDFText_GetLooseCharBox, INT, HANDLE, INT, HANDLE)
_is_hyphen = quick(api.FPDFText_IsHyphen, INT, HANDLE, INT)
_has_error = quick(api.FPDFText_HasUnicodeMapError, INT, HANDLE, INT)
_angle = quick(api.FPDFText_GetCharAngle, ctypes.c_float, HANDLE, INT)
_text_object = quick(api.FPDFText_GetTextObject, HANDLE, HANDLE, INT)
_object = quick(api.FPDFPage_GetObject, HANDLE, HANDLE, INT)
_form_object = quick(api.FPDFFormObj_GetObject, HANDLE, HANDLE, ULONG)
_count_within = quick(api.FPDFFormObj_CountObjects, INT, HANDLE)
_render_mode = quick(api.FPDFTextObj_GetTextRenderMode, INT, HANDLE)
_count_marks = quick(api.FPDFPageObj_CountMarks, INT, HANDLE)
_mark = quick(api.FPDFPageObj_GetMark, HANDLE, HANDLE, ULONG)
_mark_name = quick(api.FPDFPageObjMark_GetName, INT, HANDLE, HANDLE, ULONG, HANDLE)
_set_active = quick(api.FPDFPageObj_SetIsActive, INT, HANDLE, INT)
_kind = quick(api.FPDFPageObj_GetType, INT, HANDLE)


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a page is made of: where its images are, and how many paths there are.

    `optional` are the text objects that a reader can switch on and off.
    """

    has_invisible: bool
    optional: tuple[int, ...]
    images: tuple[Box, ...]
    paths: int


class Page:
    """A page that is open. A slot is the place of a character in PDFium's list; boxes are points from the top left.

    `width` and `height` are those of the page as it is shown, turned and cropped, in points.
    """

    def __init__(self, handle: Any, text: Any) -> None:
        self._handle = handle
        self._page = address(handle)
        self._text = address(text)
        self.count: int = max(0, api.FPDFText_CountChars(text))
        self.width: float = api.FPDF_GetPageWidthF(handle) or 1.0
        self.height: float = api.FPDF_GetPageHeightF(handle) or 1.0
        self._rectangle = api.FS_RECTF()
        self._at = ctypes.addressof(self._rectangle)
        self._switched_off: set[int] = set()
        self._order: dict[int, int] | None = None
        self._origin, self._across, self._along = self._frame()
        self._is_straight = self._across == (1.0, 0.0) and self._along == (0.0, -1.0)

    def _frame(self) -> tuple[tuple[float, float], ...]:
        """Return where the origin of the page stands, and where a step along each of its axes leads."""
        x, y = ctypes.c_int(), ctypes.c_int()
        points = []
        for right, up in ((0.0, 0.0), (self.width, 0.0), (0.0, self.height)):
            api.FPDF_PageToDevice(self._handle, 0, 0, _SCALE, _SCALE, 0, right, up, x, y)
            points.append((x.value * self.width / _SCALE, y.value * self.height / _SCALE))
        (x0, y0), (x1, y1), (x2, y2) = points
        steps = ((x1 - x0) / self.width, (y1 - y0) / self.width), ((x2 - x0) / self.height, (y2 - y0) / self.height)
        across, along = ((round(x, _DIGITS), round(y, _DIGITS)) for x, y in steps)  # multiples of a right angle
        return (x0, y0), across, along

    def characters(self) -> str | None:
        """Return the character in each slot, halves of surrogate pairs apart; None where that takes `codes`.

        PDFium gives the text of a page at once ten times faster, without what cannot be said in 16 bits and without
        its slots. So it counts only if it is as long, and one slot of each character has that character.
        """
        buffer = (ctypes.c_ushort * (self.count + 1))()
        if not self.count or _all_text(self._text, 0, self.count, ctypes.addressof(buffer)) != self.count + 1:
            return None
        text = bytes(buffer)[:-2].decode("utf-16-le", "surrogatepass")
        if len(text) != self.count:
            text = "".join(map(chr, buffer[:-1]))
        text = text.replace("\ufffe", "\x02")  # a hyphen at the end of a line
        slots = dict(zip(text, range(self.count), strict=True))
        found = map(_unicode, repeat(self._text), slots.values())
        return text if all(map(eq, found, map(ord, slots))) else None

    def codes(self) -> list[int]:
        """Return the code in each slot: a code point, or half of a surrogate pair, or anything."""
        return list(map(_unicode, repeat(self._text), range(self.count)))

    def box(self, slot: int) -> Box:
        """Return the loose box of a character on the page as it is shown. A tight one needs the very font."""
        _loose_box(self._text, slot, self._at)
        r = self._rectangle
        if self._is_straight:  # nearly always, and this is called for each line
            x, y = self._origin
            return x + r.left, y - r.top, x + r.right, y - r.bottom
        return self._shown(r.left, r.bottom, r.right, r.top)

    def _shown(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return a rectangle in the coordinates of the file as one on the page as it is shown."""
        (x0, y0), (xx, xy), (yx, yy) = self._origin, self._across, self._along
        x1, y1 = x0 + left * xx + bottom * yx, y0 + left * xy + bottom * yy
        x2, y2 = x0 + right * xx + top * yx, y0 + right * xy + top * yy
        return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)

    def is_hyphen(self, slot: int) -> bool:
        """Return whether the character is a hyphen at the end of a line, with the line break swallowed."""
        return _is_hyphen(self._text, slot) == 1

    def has_error(self, slot: int) -> bool:
        """Return whether the file does not properly say what character this is."""
        return _has_error(self._text, slot) == 1

    def errors(self) -> frozenset[int]:
        """Return the slots that have an error."""
        return frozenset(compress(range(self.count), map(_has_error, repeat(self._text), range(self.count))))

    def is_upright(self, slot: int) -> bool:
        """Return whether the character stands upright on the page as it is shown."""
        turned = math.atan2(-self._across[1], self._across[0])
        return abs(math.remainder(_angle(self._text, slot) + turned, math.tau)) < _UPRIGHT

    def order(self, slot: int) -> int:
        """Return how many objects stand in the file before the text of the character; -1 for text within a form."""
        if self._order is None:
            count = min(api.FPDFPage_CountObjects(self._handle), _MAX_OBJECTS)
            handles = map(_object, repeat(self._page), range(count))
            self._order = {handle: place for place, handle in enumerate(handles)}
        return self._order.get(_text_object(self._text, slot), -1)

    def is_invisible(self, slot: int) -> bool:
        """Return whether the character is written without being painted, or switched off."""
        handle = _text_object(self._text, slot)
        return bool(handle) and (_render_mode(handle) in _INVISIBLE or handle in self._switched_off)

    def contents(self) -> Contents:
        """Return what is on the page, with what lies within forms."""
        modes: set[int] = set()
        images: list[Box] = []
        optional: list[int] = []
        paths = 0
        count = min(api.FPDFPage_CountObjects(self._handle), _MAX_OBJECTS)
        waiting = [(found, found[0], 0) for found in _objects(_object, self._page, count, modes, optional)]
        while waiting:
            (handle, kind), outermost, depth = waiting.pop()
            paths += kind == api.FPDF_PAGEOBJ_PATH
            if kind == api.FPDF_PAGEOBJ_IMAGE:
                images.append(self._bounds(outermost))
            elif kind == api.FPDF_PAGEOBJ_FORM and depth < _MAX_FORMS and count < _MAX_OBJECTS:
                within = min(max(0, _count_within(handle)), _MAX_OBJECTS - count)
                count += within
                inner = _objects(_form_object, handle, within, modes, optional)
                waiting += [(found, outermost, depth + 1) for found in inner]
        return Contents(
            has_invisible=not _INVISIBLE.isdisjoint(modes),
            optional=tuple(optional),
            images=tuple(images),
            paths=paths,
        )

    def switch_off(self, optional: Sequence[int]) -> None:
        """Find out which of these objects are switched off: the page looks the same without them."""
        shown = self._pixels(_SMALL)
        waiting = [list(optional)]
        for _ in range(_MAX_TRIES):
            if not waiting:
                break
            some = waiting.pop()
            for handle in some:
                _set_active(handle, 0)
            if self._pixels(_SMALL) == shown:
                self._switched_off.update(some)
            elif len(some) > 1:
                waiting += [some[: len(some) // 2], some[len(some) // 2 :]]
            for handle in some:
                _set_active(handle, 1)

    def _bounds(self, handle: int) -> Box:
        """Return where an object of the page is."""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        api.FPDFPageObj_GetBounds(ctypes.cast(handle, api.FPDF_PAGEOBJECT), left, bottom, right, top)
        return self._shown(left.value, bottom.value, right.value, top.value)

    def render(self, dpi: float) -> Picture:
        """Return a picture of the page, with fewer dots per inch if it would be too large."""
        size, stride, pixels = self._pixels(dpi)
        return drawn(size, stride, pixels)

    def _pixels(self, dpi: float) -> tuple[tuple[int, int], int, bytes]:
        """Return the size of a picture of the page, the bytes of a row, and the rows."""
        width, height = max(1.0, self.width), max(1.0, self.height)
        largest = min(MAX_SIDE / max(width, height), math.sqrt(MAX_PIXELS / (width * height)))
        scale = min(min(dpi, MAX_DPI) / _POINTS, largest)
        size = max(1, int(width * scale)), max(1, int(height * scale))
        bitmap = api.FPDFBitmap_CreateEx(*size, api.FPDFBitmap_BGRx, None, 0)
        try:
            api.FPDFBitmap_FillRect(bitmap, 0, 0, *size, _WHITE)
            api.FPDF_RenderPageBitmap(bitmap, self._handle, 0, 0, *size, 0, api.FPDF_ANNOT)
            stride = api.FPDFBitmap_GetStride(bitmap)
            return size, stride, ctypes.string_at(api.FPDFBitmap_GetBuffer(bitmap), stride * size[1])
        finally:
            api.FPDFBitmap_Destroy(bitmap)


def _objects(
    function: Callable[[int, int], int], parent: int, count: int, modes: set[int], optional: list[int]
) -> list[tuple[int, int]]:
    """Return what is no text on a page or in a form, with its kind.

    Of the text, the render modes go to `modes`, and what can be switched off to `optional`.
    """
    handles = list(map(function, repeat(parent), range(count)))
    found = list(map(_render_mode, handles))
    modes.update(found)
    text = [handle for handle, mode in zip(handles, found, strict=True) if mode != _NO_TEXT]
    optional += filter(_is_optional, compress(text, map(_count_marks, text)))
    others = [handle for handle, mode in zip(handles, found, strict=True) if mode == _NO_TEXT]
    return list(zip(others, map(_kind, others), strict=True))


def _is_optional(handle: int) -> bool:
    """Return whether an object is marked as optional content."""
    name = ctypes.create_string_buffer(2 * len("OC\0"))
    size = ctypes.c_ulong()
    for number in range(_count_marks(handle)):
        mark = _mark(handle, number)
        if _mark_name(mark, ctypes.addressof(name), len(name), ctypes.addressof(size)) and name.raw == _OPTIONAL:
            return True
    return False
