"""The name of a file and its bytes -> its media type. What a file holds counts more than what it is called."""

import re
from collections.abc import Callable
from io import BytesIO

from yuanwen.extract.decode import is_utf16
from yuanwen.extract.formats import DOCX, MAGIC, MEDIA_TYPES, MIMETYPES, NAMES, PPTX, STREAMS, XLSX, ZIPPED

_HTML = re.compile(rb"\s*(?:<!doctype html|<html)", re.IGNORECASE)
_MAIL = re.compile(rb"(?:[A-Za-z-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?(?:Message-ID|Received|MIME-Version):", re.IGNORECASE)
_CONTROLS = bytes(set(range(0x20)) - set(b"\b\t\n\f\r\x1b"))
_HEAD = 8192


def media_type_of(name: str, data: bytes) -> str | None:
    """Return the media type of a file by its name and its bytes; None for data of no kind we know."""
    named = MEDIA_TYPES.get(_suffix(name))
    head = data[:_HEAD]
    for magic, found in MAGIC:
        if head.startswith(magic):
            return _SNIFFED[found](data, named) if found in _SNIFFED else found
    if head[257:262] == b"ustar":
        return "application/x-tar"
    if b"%PDF-" in head[:1024] and named == "application/pdf":
        return named  # junk before the header is common, and harmless
    if (named is None or named in NAMES) and _HTML.match(head):
        return "text/html"
    if named in NAMES:
        return named
    if named in (None, "text/plain") and _MAIL.match(head):
        return "application/mbox" if head.startswith(b"From ") else "message/rfc822"
    return None if _is_binary(head, 0.01 if named else 0.0) else named or "text/plain"


def _zipped(data: bytes, named: str | None) -> str:
    """Return what a ZIP file is, by its parts."""
    import zipfile

    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if "mimetype" in archive.NameToInfo:
                with archive.open("mimetype") as part:
                    said = part.read(200).strip()
                return MIMETYPES.get(said.removesuffix(b"-template"), "application/zip")
            parts = archive.NameToInfo
            office = "[Content_Types].xml" in parts and named in (DOCX, PPTX, XLSX)  # its main part may have any name
            other = named if office and named else "application/zip"
            return next((found for part, found in ZIPPED if part in parts), other)
    except Exception:  # damaged: what it is called decides who says so
        return named or "application/zip"


def _ole(data: bytes, named: str | None) -> str:
    """Return what an OLE2 file is, by the names of its streams."""
    other = named if named in NAMES else "application/x-ole-storage"  # damaged: its reader will say so
    return next((found for stream, found in STREAMS if (stream + "\0").encode("utf-16-le") in data), other)


_SNIFFED: dict[str, Callable[[bytes, str | None], str]] = {
    "application/zip": _zipped,
    "application/x-ole-storage": _ole,
}


def _is_binary(head: bytes, nul_share: float) -> bool:
    """Return whether bytes are no text: NULs beyond a share, or many control bytes, unless it is UTF-16."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    suspect = head.count(0) > nul_share * len(head) or controls > 0.05 * len(head)
    return suspect and not is_utf16(head)


def _suffix(name: str) -> str:
    stem, dot, suffix = name.rpartition(".")
    return dot + suffix.lower() if stem else ""
