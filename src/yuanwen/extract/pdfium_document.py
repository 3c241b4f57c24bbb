"""What PDFium says about a PDF: its pages, what they are called, its outline, its properties, what is attached."""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from yuanwen.errors import Unreadable
from yuanwen.extract.pdfium import EMPTY, HANDLE, INT, ULONG, address, api, library, quick, string
from yuanwen.extract.pdfium_page import Page
from yuanwen.extract.refusals import damaged, locked

_MAX_BOOKMARKS = 50_000
_MAX_LEVELS = 32
_MAX_NOTES = 10_000  # annotations of a page that are looked at
_NORMAL = 0  # the appearance of an annotation that nobody touches

_count_notes = quick(api.FPDFPage_GetAnnotCount, INT, HANDLE)
_note = quick(api.FPDFPage_GetAnnot, HANDLE, HANDLE, INT)
_subtype = quick(api.FPDFAnnot_GetSubtype, INT, HANDLE)
_appearance = quick(api.FPDFAnnot_GetAP, ULONG, HANDLE, INT, HANDLE, ULONG)
_close_note = quick(api.FPDFPage_CloseAnnot, None, HANDLE)


@dataclass(frozen=True, kw_only=True)
class Bookmark:
    """An entry of the outline. `level` is 1 for the highest, `page` counts from 0."""

    level: int
    title: str
    page: int


class Document:
    """An open PDF, to be used in a `with`. Raises Unreadable for one that is damaged, or needs another password."""

    def __init__(self, data: bytes, passwords: Sequence[str] = ()) -> None:
        self._library = library()
        self._data = data  # PDFium reads from it as long as the document is open
        for password in ("", *passwords):
            self._handle = api.FPDF_LoadMemDocument64(data, len(data), password.encode() or None)
            if self._handle:
                break
            error = api.FPDF_GetLastError()
            if error == api.FPDF_ERR_SECURITY:
                raise Unreadable("its encryption is of an unknown kind", hint="Save a copy of it without encryption.")
            if error != api.FPDF_ERR_PASSWORD:
                raise damaged()
        else:
            raise locked()
        self.pages: int = api.FPDF_GetPageCount(self._handle)
        if self.pages < 1:
            api.FPDF_CloseDocument(self._handle)
            raise damaged()

    def __enter__(self) -> "Document":
        return self

    def __exit__(self, *_: object) -> None:
        api.FPDF_CloseDocument(self._handle)

    @contextmanager
    def page(self, index: int) -> Iterator["Page | None"]:
        """Give a page with its form values and notes drawn into it; None for one that is damaged."""
        handle = api.FPDF_LoadPage(self._handle, index)
        if handle and _has_notes(address(handle)) and _flatten(handle):
            api.FPDF_ClosePage(handle)
            handle = api.FPDF_LoadPage(self._handle, index)
        text = api.FPDFText_LoadPage(handle) if handle else None
        try:
            yield Page(handle, text) if text else None
        finally:
            if text:
                api.FPDFText_ClosePage(text)
            if handle:
                api.FPDF_ClosePage(handle)

    def label(self, index: int) -> str:
        """Return what the document calls a page (`iv`), empty if it does not say."""
        return string(api.FPDF_GetPageLabel, self._handle, index)

    def property(self, name: str) -> str:
        """Return an entry of the document information, such as `Title`."""
        return string(api.FPDF_GetMetaText, self._handle, name.encode())

    def outline(self) -> Iterator[Bookmark]:
        """Yield the bookmarks that lead to a page, in their order."""
        seen: set[int] = set()
        waiting = [(api.FPDFBookmark_GetFirstChild(self._handle, None), 1)]
        while waiting and len(seen) < _MAX_BOOKMARKS:
            bookmark, level = waiting.pop()
            if not bookmark or address(bookmark) in seen:  # an outline can run in a circle
                continue
            seen.add(address(bookmark))
            goal = api.FPDFBookmark_GetDest(self._handle, bookmark)
            page = api.FPDFDest_GetDestPageIndex(self._handle, goal) if goal else -1
            title = " ".join(string(api.FPDFBookmark_GetTitle, bookmark).split())
            if title and 0 <= page < self.pages:
                yield Bookmark(level=level, title=title, page=page)
            waiting.append((api.FPDFBookmark_GetNextSibling(self._handle, bookmark), level))
            if level < _MAX_LEVELS:
                waiting.append((api.FPDFBookmark_GetFirstChild(self._handle, bookmark), level + 1))

    def attachments(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files within the document by name, empty if they cannot be read."""
        for number in range(api.FPDFDoc_GetAttachmentCount(self._handle)):
            attachment = api.FPDFDoc_GetAttachment(self._handle, number)
            size = ctypes.c_ulong()
            api.FPDFAttachment_GetFile(attachment, None, 0, size)
            buffer = ctypes.create_string_buffer(size.value)
            api.FPDFAttachment_GetFile(attachment, buffer, size.value, size)
            yield string(api.FPDFAttachment_GetName, attachment), buffer.raw


def _has_notes(page: int) -> bool:
    """Return whether a page has annotations that show something. Links seldom do, and flattening takes time."""
    for number in range(min(_count_notes(page), _MAX_NOTES)):
        note = _note(page, number)
        kind = _subtype(note)
        bare = kind == api.FPDF_ANNOT_LINK and _appearance(note, _NORMAL, None, 0) <= EMPTY
        _close_note(note)
        if not bare and kind != api.FPDF_ANNOT_POPUP:
            return True
    return False


def _flatten(page: object) -> bool:
    """Draw the annotations of a page into it; return whether it has to be loaded again."""
    if not api.FPDFPage_GetMediaBox(page, *(ctypes.c_float() for _ in range(4))):
        box = api.FS_RECTF()  # one that is inherited would be forgotten
        api.FPDF_GetPageBoundingBox(page, box)
        api.FPDFPage_SetMediaBox(page, box.left, box.bottom, box.right, box.top)
    return bool(api.FPDFPage_Flatten(page, api.FLAT_NORMALDISPLAY) == api.FLATTEN_SUCCESS)
