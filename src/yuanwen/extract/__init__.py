"""Bytes -> text. One module a format family; this one says which file goes to which.

An extractor is a pure function from the bytes of a file to the documents in it, and a Skip for each part that cannot
be read. Those in EXTRACTORS come first; other packages add theirs under the entry point group `yuanwen.extractors`,
named by media type. What only some files need is imported where it is used: a worker for text starts in half the time.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import font
from yuanwen.extract.detect import media_type_of
from yuanwen.extract.formats import DOCX, ENCRYPTED, MEDIA_TYPES, NAMES, ODP, ODS, ODT, PPTX, XLSX
from yuanwen.extract.names import within
from yuanwen.secrecy import holds_key, is_secret_name

__all__ = [
    "EXTRACTORS",
    "MEDIA_TYPES",
    "Extractor",
    "abilities",
    "extract",
    "extractor",
    "inside",
    "media_type_of",
    "member",
    "picture",
    "served",
    "version",
    "versions",
]

RULES = "2"  # of the modules here: offsets into an extracted text hold for one version only
GROUP = "yuanwen.extractors"

_HALF = re.compile("[\ud800-\udfff]")

Extractor = Callable[[Raw], Iterable[Extracted | Skip]]
Spans = Sequence[tuple[int, int]]

_MODULES: dict[str, tuple[str, ...]] = {
    "archive:extract": ("application/zip", "application/x-tar"),
    "archive:extract_compressed": ("application/gzip", "application/x-bzip2", "application/x-xz"),
    "docx:extract": (DOCX,),
    "encrypted:extract": (ENCRYPTED,),
    "epub:extract": ("application/epub+zip",),
    "html:extract": ("text/html",),
    "legacy:extract": ("application/msword", "application/vnd.ms-powerpoint", "application/rtf"),
    "mail:extract": ("message/rfc822",),
    "mail:extract_mailbox": ("application/mbox",),
    "markdown:extract": ("text/markdown",),
    "ocr:extract": ("image/png", "image/jpeg", "image/gif", "image/webp", "image/tiff", "image/bmp"),
    "odf:extract": (ODT, ODP),
    "outlook:extract": ("application/vnd.ms-outlook",),
    "pdf:extract": ("application/pdf",),
    "pptx:extract": (PPTX,),
    "records:extract": ("application/json", "application/jsonl"),
    "sheet:extract": (XLSX, ODS, "application/vnd.ms-excel", "application/vnd.ms-excel.sheet.binary"),
    "table:extract": ("text/csv", "text/tab-separated-values"),
    "text:extract": ("text/plain",),
}
EXTRACTORS: dict[str, str] = {
    media_type: f"yuanwen.extract.{target}" for target, media_types in _MODULES.items() for media_type in media_types
}

# Packages whose version decides what text comes out, by the module that reads with them, also of files inside a file.
_OF_ANY = ("selectolax", "pypdfium2", "python-calamine")
_OF_OCR = ("rapidocr", "onnxruntime")
_PACKAGES = {
    "archive": _OF_ANY,
    "docx": _OF_ANY,
    "encrypted": _OF_ANY,
    "epub": _OF_ANY,
    "html": ("selectolax",),
    "mail": _OF_ANY,
    "outlook": _OF_ANY,
    "odf": _OF_ANY,
    "pdf": ("pypdfium2",),
    "pptx": _OF_ANY,
    "sheet": ("python-calamine",),
}
# What can be there or not -> how it is seen. A file that was skipped, or read in part, is tried again once it changes.
_OPTIONAL: dict[str, Callable[[], bool]] = {
    "catdoc": lambda: _is_command("catdoc"),
    "libreoffice": lambda: _is_command("soffice"),
    "msoffcrypto": lambda: find_spec("msoffcrypto") is not None,
    "olefile": lambda: find_spec("olefile") is not None,
    "rapidocr": lambda: find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None,
}


def extractor(media_type: str | None) -> Extractor:
    """Return the extractor for a media type. Raises Unreadable where there is none (yet)."""
    if media_type is None:
        raise Unreadable("binary file", hint="Only files that hold text can be searched.")
    found = _load(media_type)
    if found is None:
        kind = NAMES.get(media_type, media_type)
        raise Unreadable("{kind} is not supported yet", hint="Save it as text, PDF or DOCX.", kind=kind)
    return found


def extract(raw: Raw) -> tuple[Extracted | Skip, ...]:
    """Return the documents in a file, at least one with text, and a Skip for each part that could not be read.

    The `source` of a Skip is the path of the part within the file, empty for a part without a name. Raises
    Unreadable, and nothing else, whatever the file holds.
    """
    raw.allowance.enter(raw.depth)
    found: list[Extracted | Skip] = []
    try:
        for item in extractor(raw.media_type)(raw):
            if isinstance(item, Extracted) and not item.inside:  # what is inside was counted there
                raw.allowance.write(len(item.text))
            found.append(_whole(item) if isinstance(item, Extracted) else item)
    except Unreadable:
        raise
    except MemoryError as error:
        raise Unreadable("it asks for too much memory", hint="Split it.") from error
    except Exception as error:
        raise Unreadable(
            "its reader failed ({kind})",
            hint="The file may be damaged; if it opens elsewhere, please report this.",
            kind=type(error).__name__,
        ) from error
    if not any(isinstance(item, Extracted) and item.text.strip() for item in found):
        for item in found:
            if isinstance(item, Skip):
                raise Unreadable("{reason}", hint="{advice}", reason=_within(item), advice=item.hint)
        raise Unreadable("there is no text in it", hint="Nothing can be found in this file.")
    return tuple(found)


def _whole(document: Extracted) -> Extracted:
    """Return a document without halves of characters, which cannot be stored; an extractor of others may leave some."""
    if not any(map(_HALF.search, (document.text, document.title, document.author))):
        return document
    text, title, author = (_HALF.sub("\ufffd", part) for part in (document.text, document.title, document.author))
    return replace(document, text=text, title=title, author=author)


def _within(skip: Skip) -> str:
    return f"{skip.source}: {skip.reason}" if skip.source else skip.reason


def inside(raw: Raw, name: str, data: bytes, media_type: str | None = None) -> Iterator[Extracted | Skip]:
    """Yield what a file within another file holds, with its path there; never raises Unreadable."""
    if not data.strip():
        yield Skip(source=name, reason="empty file", hint="There is nothing to find in it.", by_rule=True)
        return
    if is_secret_name(name.rpartition("/")[2]) or holds_key(data):
        yield Skip(source=name, reason="it may hold secrets", hint="Keep secrets out of the library.", by_rule=True)
        return
    kind = media_type or media_type_of(name, data)
    member = replace(
        raw,
        name=name.rpartition("/")[2],
        data=data,
        media_type=kind or "",
        inside=within(raw.inside, name),
        depth=raw.depth + 1,
    )
    if member.inside == raw.allowance.wanted:
        raise _Reached(member)
    try:
        extractor(kind)
        for item in extract(member):
            if isinstance(item, Extracted):
                title = item.title or member.name.rpartition(".")[0] or member.name
                yield replace(item, inside=within(name, item.inside), title=title)
            else:
                yield replace(item, source=within(name, item.source))
    except Unreadable as error:
        yield Skip.because(name, error)


def picture(raw: Raw, page: int, spans: Spans, *, quotes: Spans = (), heads: bool = False, dpi: int = 150) -> bytes:
    """Return a page, counted from 1, as PNG with spans of its text in yellow and quotes in orange.

    With `heads` the spans are those of the running heads of the page. `dpi` is for what has no pixels of its own.
    Raises Unreadable, NotFound.
    """
    if raw.media_type == "application/pdf":
        from yuanwen.extract import pdf_picture

        return pdf_picture.picture(raw, page, spans, quotes=quotes, heads=heads, dpi=dpi)
    if raw.media_type in served("ocr"):
        from yuanwen.extract import ocr

        return ocr.picture(raw, page, spans, quotes=quotes)
    kind = NAMES.get(raw.media_type, raw.media_type)
    raise Unreadable("{kind} has no pages to draw", hint="Only PDF files and pictures have.", kind=kind)


class _Reached(BaseException):
    """The file inside another that was wanted; no extractor on the way may take it for an error of its own."""

    def __init__(self, member: Raw) -> None:
        self.member = member


def member(raw: Raw, path: str) -> Raw:
    """Return the file at a path inside another, the file itself for an empty path. Raises Unreadable."""
    if not path:
        return raw
    raw.allowance.wanted = path
    try:
        extract(raw)
    except _Reached as reached:
        return reached.member
    finally:
        raw.allowance.wanted = None
    raise Unreadable("there is no {part} in it", hint="Bring the library up to date: yuanwen sync", part=path)


# ------------------------------------------------------------------------------------------- versions


def version(media_type: str, found: Iterable[Extracted | Skip] | None = ()) -> str:
    """Return the version of what reads a media type, and read `found`: our rules, the packages below, the font.

    Where a part was not read, or (None) nothing at all, it also says what is installed: with more it is tried again.
    """
    items = tuple(found or ())
    marks = (mark for item in items if isinstance(item, Extracted) for mark in item.marks)
    recognised = any(mark.kind == "recognised" and mark.note for mark in marks)  # one without a note was in the file
    whole = found is not None and all(item.by_rule for item in items if isinstance(item, Skip))
    return _version(media_type, recognised=recognised, without="" if whole else _installed_beside())


def versions() -> frozenset[str]:
    """Return every version that a file can have been read by and need not be read again."""
    beside = _installed_beside()
    return frozenset(
        _version(media_type, recognised=recognised, without=without)
        for media_type in (*EXTRACTORS, "")
        for recognised in (True, False)
        for without in ("", beside)
    )


def _version(media_type: str, *, recognised: bool, without: str) -> str:
    module = EXTRACTORS.get(media_type, "").rpartition(":")[0].rpartition(".")[2]
    packages = [*_PACKAGES.get(module, ()), *(_OF_OCR if recognised else ())]
    parts = [RULES, *(f"{package} {_installed(package)}" for package in packages)]
    if "pypdfium2" in packages:
        parts.append(f"font {font.SHA256[:12]}")
    return " ".join([*parts, *(["beside", without] if without else [])])


def _installed_beside() -> str:
    """Return the names of what is installed of what can be there or not, and of the extractors of others."""
    return " ".join([*abilities(), *_others(tuple((place, _changed(place)) for place in sys.path))])


@lru_cache(maxsize=1)
def _others(places: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    """Return the extractors of other packages in these places, which take long to look through: once for each state."""
    from importlib import metadata

    return tuple(sorted(f"{found.name}={found.value}" for found in metadata.entry_points(group=GROUP)))


def _changed(place: str) -> int:
    """Return when something was last put into a folder or taken out, in nanoseconds; 0 if it is not there."""
    try:
        return os.stat(place or ".").st_mtime_ns
    except OSError:
        return 0


def served(module: str) -> tuple[str, ...]:
    """Return the media types that a module of this package reads."""
    return tuple(media_type for media_type, target in EXTRACTORS.items() if f".{module}:" in target)


def abilities() -> tuple[str, ...]:
    """Return what is installed of what can be there or not."""
    return tuple(name for name, is_there in _OPTIONAL.items() if is_there())


def _is_command(name: str) -> bool:
    from shutil import which

    return which(name) is not None


@cache
def _installed(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"


@cache
def _load(media_type: str) -> Extractor | None:
    """Return the extractor from our table, from another package, or the one for text of any kind."""
    target = EXTRACTORS.get(media_type)
    if target is None:
        for found in entry_points(media_type):
            return found
        target = EXTRACTORS["text/plain"] if media_type.startswith("text/") else None
    if target is None:
        return None
    return cast(Extractor, _named(target))


def _named(target: str) -> Callable[..., Any]:
    """Return what `module:function` names."""
    module, _, function = target.partition(":")
    return cast(Callable[..., Any], getattr(import_module(module), function))


def entry_points(media_type: str) -> Iterator[Extractor]:
    """Yield the extractors that other packages have for a media type."""
    from importlib import metadata

    for found in metadata.entry_points(group=GROUP, name=media_type):
        yield cast(Extractor, found.load())
