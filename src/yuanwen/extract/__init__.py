"""Bytes -> text. One module a format family; this one says which file goes to which.

An extractor is a pure function from the bytes of a file to the documents in it. Those in EXTRACTORS come
first; other packages add theirs under the entry point group `yuanwen.extractors`, named by media type.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract.decode import is_utf16
from yuanwen.extract.formats import LATER, MAGIC, MAGIC_FAMILIES, MEDIA_TYPES

__all__ = ["EXTRACTORS", "MEDIA_TYPES", "VERSION", "Extractor", "extract", "extractor", "media_type"]

VERSION = "1"  # of the rules here: offsets into an extracted text hold for one version only
GROUP = "yuanwen.extractors"

Extractor = Callable[[Raw], tuple[Extracted, ...]]

EXTRACTORS: dict[str, str] = {
    "text/plain": "yuanwen.extract.text:extract",
    "text/markdown": "yuanwen.extract.markdown:extract",
    "text/html": "yuanwen.extract.html:extract",
    "text/csv": "yuanwen.extract.table:extract",
    "text/tab-separated-values": "yuanwen.extract.table:extract",
    "application/json": "yuanwen.extract.records:extract",
    "application/jsonl": "yuanwen.extract.records:extract",
}

_HTML = re.compile(rb"\s*(?:<!doctype html|<html)", re.IGNORECASE)
_CONTROLS = bytes(set(range(0x20)) - set(b"\b\t\n\f\r\x1b"))

HEAD_BYTES = 8192  # what `media_type` wants to see of a file


def media_type(name: str, head: bytes) -> str | None:
    """Return the media type of a file by its name and its first bytes; None for data of no kind we know."""
    named = MEDIA_TYPES.get(_suffix(name))
    for magic, found in MAGIC:
        if head.startswith(magic):
            return named if named in MAGIC_FAMILIES.get(found, ()) else found
    if (named is None or named in LATER) and _HTML.match(head):
        return "text/html"
    if named in LATER:
        return named
    return None if _is_binary(head, 0.01 if named else 0.0) else named or "text/plain"


def extractor(media_type: str | None) -> Extractor:
    """Return the extractor for a media type. Raises Unreadable where there is none (yet)."""
    if media_type is None:
        raise Unreadable("binary file", hint="Only files that hold text can be searched.")
    found = _load(media_type)
    if found is None:
        kind = LATER.get(media_type, media_type)
        raise Unreadable("{kind} is not supported yet", hint="Save it as text, Markdown or HTML.", kind=kind)
    return found


def extract(raw: Raw) -> tuple[Extracted, ...]:
    """Return the documents in a file. Raises Unreadable, and nothing else, whatever the file holds."""
    try:
        documents = extractor(raw.media_type)(raw)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(
            "its reader failed ({kind})",
            hint="The file may be damaged; if it opens elsewhere, please report this.",
            kind=type(error).__name__,
        ) from error
    if not any(document.text.strip() for document in documents):
        raise Unreadable("there is no text in it", hint="Nothing can be found in this file.")
    return documents


def _is_binary(head: bytes, nul_share: float) -> bool:
    """Return whether bytes are no text: NULs beyond a share, or many control bytes, unless it is UTF-16."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    suspect = head.count(0) > nul_share * len(head) or controls > 0.05 * len(head)
    return suspect and not is_utf16(head)


def _suffix(name: str) -> str:
    stem, dot, suffix = name.rpartition(".")
    return dot + suffix.lower() if stem else ""


@cache
def _load(media_type: str) -> Extractor | None:
    """Return the extractor from our table, from another package, or the one for text of any kind."""
    target = EXTRACTORS.get(media_type)
    if target is None:
        for found in entry_points(group=GROUP, name=media_type):
            return cast(Extractor, found.load())
        target = EXTRACTORS["text/plain"] if media_type.startswith("text/") else None
    if target is None:
        return None
    module, _, function = target.partition(":")
    return cast(Extractor, getattr(import_module(module), function))
