"""A passage -> the drawn page that it stands on, with its words marked; drawn anew from the file each time."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from yuanwen import walk
from yuanwen.documents import File
from yuanwen.errors import NotFound, UsageError
from yuanwen.needle import Needle, Span
from yuanwen.store import places, reading
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Row
from yuanwen.workers import Workers


def image(db: Connection, workers: Workers, row: Row, *, quote: str, dpi: int, passwords: Sequence[str]) -> bytes:
    """Return the page of a passage as PNG, the passage marked, and within it the quotation.

    Raises UsageError for a passage that has no page or does not hold the quotation, NotFound where its file is not as
    it was, Unreadable where it cannot be drawn.
    """
    place = places.place(row.place)
    if place is None or place.page is None:
        raise UsageError("{id} has no page", hint="PDF files and pictures have pages.", id=row.id)
    quotes = _quoted(row, quote) if quote else []
    heads = _is_head(row)
    start = row.start if heads else _page_start(db, row, place.page)
    shift = row.start - start
    return workers.picture(
        Path(os.fsdecode(row.path)).name,
        _as_it_was(row),
        tuple(passwords),
        inside=row.name,
        page=place.page,
        spans=[(shift, shift + len(row.text))],
        quotes=[(shift + first, shift + last) for first, last in quotes],
        heads=heads,
        dpi=dpi,
    )


def _quoted(row: Row, quote: str) -> list[Span]:
    spans, _ = Needle(quote).spans(row.text)
    if not spans:
        raise UsageError("{id} does not hold the quotation", hint="Look for it with: --mode exact", id=row.id)
    return spans


def _is_head(row: Row) -> bool:
    """Return whether a passage is made of running heads, which stand at the end of a text, after its last page."""
    return any(mark.kind == "running head" for mark in places.marks(row.marks))


def _page_start(db: Connection, row: Row, number: int) -> int:
    """Return the offset at which the text of the page of a passage starts."""
    start, ordinal = row.start, row.ordinal - 1
    while ordinal:
        before = reading.around(db, row.version, ordinal, ordinal)[0]
        place = places.place(before.place)
        if place is None or place.number != number or _is_head(before):
            break
        start, ordinal = before.start, ordinal - 1
    return start


def _as_it_was(row: Row) -> bytes:
    """Return the bytes of the file from which a passage came."""
    path = Path(os.fsdecode(row.path))
    again = "Bring the library up to date with yuanwen sync, and search again."
    try:
        info = path.stat()
    except OSError as error:
        raise NotFound("{path} is not there", hint=again, path=path) from error
    data = walk.read(File(path=path, size=info.st_size, mtime_ns=info.st_mtime_ns))
    if hashlib.sha256(data).hexdigest() != row.sha256:
        raise NotFound("{path} is no longer as it was", hint=again, path=path)
    return data
