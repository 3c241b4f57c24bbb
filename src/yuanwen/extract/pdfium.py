"""What PDFium says about a PDF: its pages by character with their boxes, pictures of them, outline, properties.

The home of pypdfium2_raw. PDFium sees one font, ours, so that a page gives the same text and picture on every machine.
It serves one thread at a time.
"""

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import compress, repeat
from operator import eq
from typing import Any, cast

import pypdfium2_raw as pdfium

from yuanwen.errors import Unreadable
from yuanwen.extract import font
from yuanwen.extract.image import Box, Picture, drawn

MAX_SIDE = 4000  # pixels of a picture of a page
MAX_PIXELS = 16_000_000
MAX_DPI = 600

_AGAIN = "Save it again, or get another copy."
_MAX_BOOKMARKS = 50_000
_MAX_LEVELS = 32
_MAX_NOTES = 10_000  # annotations of a page that are looked at
_MAX_OBJECTS = 200_000  # of a page that are looked at
_MAX_TRIES = 16  # pictures of a page that are drawn to find what is switched off
_SMALL = 36  # dots per inch of them
_MAX_FORMS = 8  # form XObjects within each other that are looked into
_SCALE = 1 << 20  # pixels that positions are asked for in

_DIGITS = 4
_UPRIGHT = 0.1  # radians that writing may lean
_POINTS = 72
_NORMAL = 0  # the appearance of an annotation that nobody touches
_EMPTY = 2  # bytes of a string without characters
_NO_TEXT = -1
_OPTIONAL = "OC\0".encode("utf-16-le")
_INVISIBLE = frozenset((pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP))
_WHITE = 0xFFFFFFFF


def _quick(function: Any, result: type | None, *arguments: type) -> Callable[..., int]:
    """Return a function of PDFium that is called many times for a page: no checks, and the lock of Python is kept."""
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return cast(Callable[..., int], ctypes.PYFUNCTYPE(result, *arguments)(address))


_INT, _HANDLE = ctypes.c_int, ctypes.c_void_p
_unicode = _quick(pdfium.FPDFText_GetUnicode, ctypes.c_uint, _HANDLE, _INT)
_all_text = _quick(pdfium.FPDFText_GetText, _INT, _HANDLE, _INT, _INT, _HANDLE)
_loose_box = _quick(pdfium.FPDFText_GetLooseCharBox, _INT, _HANDLE, _INT, _HANDLE)
_is_hyphen = _quick(pdfium.FPDFText_IsHyphen, _INT, _HANDLE, _INT)
_has_error = _quick(pdfium.FPDFText_HasUnicodeMapError, _INT, _HANDLE, _INT)
_angle = _quick(pdfium.FPDFText_GetCharAngle, ctypes.c_float, _HANDLE, _INT)
_text_object = _quick(pdfium.FPDFText_GetTextObject, _HANDLE, _HANDLE, _INT)
_object = _quick(pdfium.FPDFPage_GetObject, _HANDLE, _HANDLE, _INT)
_form_object = _quick(pdfium.FPDFFormObj_GetObject, _HANDLE, _HANDLE, ctypes.c_ulong)
_count_within = _quick(pdfium.FPDFFormObj_CountObjects, _INT, _HANDLE)
_render_mode = _quick(pdfium.FPDFTextObj_GetTextRenderMode, _INT, _HANDLE)
_count_notes = _quick(pdfium.FPDFPage_GetAnnotCount, _INT, _HANDLE)
_note = _quick(pdfium.FPDFPage_GetAnnot, _HANDLE, _HANDLE, _INT)
_subtype = _quick(pdfium.FPDFAnnot_GetSubtype, _INT, _HANDLE)
_appearance = _quick(pdfium.FPDFAnnot_GetAP, ctypes.c_ulong, _HANDLE, _INT, _HANDLE, ctypes.c_ulong)
_close_note = _quick(pdfium.FPDFPage_CloseAnnot, None, _HANDLE)
_count_marks = _quick(pdfium.FPDFPageObj_CountMarks, _INT, _HANDLE)
_mark = _quick(pdfium.FPDFPageObj_GetMark, _HANDLE, _HANDLE, ctypes.c_ulong)
_mark_name = _quick(pdfium.FPDFPageObjMark_GetName, _INT, _HANDLE, _HANDLE, ctypes.c_ulong, _HANDLE)
_set_active = _quick(pdfium.FPDFPageObj_SetIsActive, _INT, _HANDLE, _INT)
_kind = _quick(pdfium.FPDFPageObj_GetType, _INT, _HANDLE)


@cache
def _library() -> object:
    """Start PDFium, once a process; return what it keeps a pointer to."""
    folder = ctypes.create_string_buffer(str(font.path().parent).encode())
    folders = (ctypes.POINTER(ctypes.c_char) * 2)(ctypes.cast(folder, ctypes.POINTER(ctypes.c_char)))
    config = pdfium.FPDF_LIBRARY_CONFIG(version=2)
    config.m_pUserFontPaths = ctypes.cast(folders, type(config.m_pUserFontPaths))
    pdfium.FPDF_InitLibraryWithConfig(config)
    return folder, folders, config


@dataclass(frozen=True, kw_only=True)
class Bookmark:
    """An entry of the outline. `level` is 1 for the highest, `page` counts from 0."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a page is made of: where its images are, and how many paths there are.

    `optional` are the text objects that a reader can switch on and off.
    """

    has_invisible: bool
    optional: tuple[int, ...]
    images: tuple[Box, ...]
    paths: int


class Document:
    """An open PDF, to be used in a `with`. Raises Unreadable for one that is damaged, or needs another password."""

    def __init__(self, data: bytes, passwords: Sequence[str] = ()) -> None:
        self._library = _library()
        self._data = data  # PDFium reads from it as long as the document is open
        for password in ("", *passwords):
            self._handle = pdfium.FPDF_LoadMemDocument64(data, len(data), password.encode() or None)
            if self._handle:
                break
            error = pdfium.FPDF_GetLastError()
            if error == pdfium.FPDF_ERR_SECURITY:
                raise Unreadable("its encryption is of an unknown kind", hint="Save a copy of it without encryption.")
            if error != pdfium.FPDF_ERR_PASSWORD:
                raise Unreadable("it is damaged", hint=_AGAIN)
        else:
            raise Unreadable("it needs a password", hint="Give it with: --password")
        self.pages: int = pdfium.FPDF_GetPageCount(self._handle)
        if self.pages < 1:
            pdfium.FPDF_CloseDocument(self._handle)
            raise Unreadable("it is damaged", hint=_AGAIN)

    def __enter__(self) -> "Document":
        return self

    def __exit__(self, *_: object) -> None:
        pdfium.FPDF_CloseDocument(self._handle)

    @contextmanager
    def page(self, index: int) -> Iterator["Page | None"]:
        """Give a page with its form values and notes drawn into it; None for one that is damaged."""
        handle = pdfium.FPDF_LoadPage(self._handle, index)
        if handle and _has_notes(_address(handle)) and _flatten(handle):
            pdfium.FPDF_ClosePage(handle)
            handle = pdfium.FPDF_LoadPage(self._handle, index)
        text = pdfium.FPDFText_LoadPage(handle) if handle else None
        try:
            yield Page(handle, text) if text else None
        finally:
            if text:
                pdfium.FPDFText_ClosePage(text)
            if handle:
                pdfium.FPDF_ClosePage(handle)

    def label(self, index: int) -> str:
        """Return what the document calls a page (`iv`), empty if it does not say."""
        return _string(pdfium.FPDF_GetPageLabel, self._handle, index)

    def property(self, name: str) -> str:
        """Return an entry of the document information, such as `Title`."""
        return _string(pdfium.FPDF_GetMetaText, self._handle, name.encode())

    def outline(self) -> Iterator[Bookmark]:
        """Yield the bookmarks that lead to a page, in their order."""
        seen: set[int] = set()
        waiting = [(pdfium.FPDFBookmark_GetFirstChild(self._handle, None), 1)]
        while waiting and len(seen) < _MAX_BOOKMARKS:
            bookmark, level = waiting.pop()
            if not bookmark or _address(bookmark) in seen:  # an outline can run in a circle
                continue
            seen.add(_address(bookmark))
            goal = pdfium.FPDFBookmark_GetDest(self._handle, bookmark)
            page = pdfium.FPDFDest_GetDestPageIndex(self._handle, goal) if goal else -1
            title = " ".join(_string(pdfium.FPDFBookmark_GetTitle, bookmark).split())
            if title and 0 <= page < self.pages:
                yield Bookmark(level=level, title=title, page=page)
            waiting.append((pdfium.FPDFBookmark_GetNextSibling(self._handle, bookmark), level))
            if level < _MAX_LEVELS:
                waiting.append((pdfium.FPDFBookmark_GetFirstChild(self._handle, bookmark), level + 1))

    def attachments(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files within the document by name, empty if they cannot be read."""
        for number in range(pdfium.FPDFDoc_GetAttachmentCount(self._handle)):
            attachment = pdfium.FPDFDoc_GetAttachment(self._handle, number)
            size = ctypes.c_ulong()
            pdfium.FPDFAttachment_GetFile(attachment, None, 0, size)
            buffer = ctypes.create_string_buffer(size.value)
            pdfium.FPDFAttachment_GetFile(attachment, buffer, size.value, size)
            yield _string(pdfium.FPDFAttachment_GetName, attachment), buffer.raw


class Page:
    """A page that is open. A slot is the place of a character in PDFium's list; boxes are points from the top left.

    `width` and `height` are those of the page as it is shown, turned and cropped, in points.
    """

    def __init__(self, handle: Any, text: Any) -> None:
        self._handle = handle
        self._page = _address(handle)
        self._text = _address(text)
        self.count: int = max(0, pdfium.FPDFText_CountChars(text))
        self.width: float = pdfium.FPDF_GetPageWidthF(handle) or 1.0
        self.height: float = pdfium.FPDF_GetPageHeightF(handle) or 1.0
        self._rectangle = pdfium.FS_RECTF()
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
            pdfium.FPDF_PageToDevice(self._handle, 0, 0, _SCALE, _SCALE, 0, right, up, x, y)
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
            count = min(pdfium.FPDFPage_CountObjects(self._handle), _MAX_OBJECTS)
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
        count = min(pdfium.FPDFPage_CountObjects(self._handle), _MAX_OBJECTS)
        waiting = [(found, found[0], 0) for found in _objects(_object, self._page, count, modes, optional)]
        while waiting:
            (handle, kind), outermost, depth = waiting.pop()
            paths += kind == pdfium.FPDF_PAGEOBJ_PATH
            if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                images.append(self._bounds(outermost))
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_FORMS and count < _MAX_OBJECTS:
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
        pdfium.FPDFPageObj_GetBounds(ctypes.cast(handle, pdfium.FPDF_PAGEOBJECT), left, bottom, right, top)
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
        bitmap = pdfium.FPDFBitmap_CreateEx(*size, pdfium.FPDFBitmap_BGRx, None, 0)
        try:
            pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, *size, _WHITE)
            pdfium.FPDF_RenderPageBitmap(bitmap, self._handle, 0, 0, *size, 0, pdfium.FPDF_ANNOT)
            stride = pdfium.FPDFBitmap_GetStride(bitmap)
            return size, stride, ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * size[1])
        finally:
            pdfium.FPDFBitmap_Destroy(bitmap)


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


def _has_notes(page: int) -> bool:
    """Return whether a page has annotations that show something. Links seldom do, and flattening takes time."""
    for number in range(min(_count_notes(page), _MAX_NOTES)):
        note = _note(page, number)
        kind = _subtype(note)
        bare = kind == pdfium.FPDF_ANNOT_LINK and _appearance(note, _NORMAL, None, 0) <= _EMPTY
        _close_note(note)
        if not bare and kind != pdfium.FPDF_ANNOT_POPUP:
            return True
    return False


def _flatten(page: object) -> bool:
    """Draw the annotations of a page into it; return whether it has to be loaded again."""
    if not pdfium.FPDFPage_GetMediaBox(page, *(ctypes.c_float() for _ in range(4))):
        box = pdfium.FS_RECTF()  # one that is inherited would be forgotten
        pdfium.FPDF_GetPageBoundingBox(page, box)
        pdfium.FPDFPage_SetMediaBox(page, box.left, box.bottom, box.right, box.top)
    return bool(pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS)


def _string(function: Callable[..., int], *arguments: object) -> str:
    """Return what a function of PDFium writes into a buffer as UTF-16."""
    size = function(*arguments, None, 0)
    if size <= _EMPTY:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    function(*arguments, buffer, size)
    return bytes(buffer)[: size - _EMPTY].decode("utf-16-le", "replace").rstrip("\0")


def _address(handle: Any) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
