"""Mail as Outlook saves it (MSG), in the shape of any other mail; each attachment is a document of its own."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import inside
from yuanwen.extract.decode import Decoded
from yuanwen.extract.mail import attachment_name, best, compose, left_out, page, plain, seen_lines
from yuanwen.extract.mime import decoded, read
from yuanwen.extract.names import Names, within
from yuanwen.extract.refusals import UNPACK, damaged
from yuanwen.extract.rtf import unpacked

MAX_ATTACHMENTS = 2_000  # each is looked for among all

# MAPI property types and ids, as MS-OXPROPS has them.
_INTEGER, _TIME, _STRING_8, _STRING, _BINARY, _OBJECT = 0x0003, 0x0040, 0x001E, 0x001F, 0x0102, 0x000D
_SUBJECT, _HEADERS, _BODY, _RTF, _HTML = 0x0037, 0x007D, 0x1000, 0x1009, 0x1013
_TO, _CC, _BCC = 0x0E04, 0x0E03, 0x0E02
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP = 0x0C1A, 0x0C1F, 0x5D01
_SUBMITTED, _DELIVERED = 0x0039, 0x0E06
_CODE_PAGES = (0x3FFD, 0x3FDE)
_DATA, _LONG_NAME, _SHORT_NAME, _DISPLAY_NAME, _MIME_TYPE, _CONTENT_ID = 0x3701, 0x3707, 0x3704, 0x3001, 0x370E, 0x3712

_PROPERTIES = "__properties_version1.0"
_ATTACHMENT = "__attach_version1.0_#"
# Windows code pages that Python does not know by their number.
_CHARSETS = {
    20127: "ascii", 20932: "euc-jp", 28591: "latin-1", 50220: "iso-2022-jp", 50221: "iso-2022-jp", 50222: "iso-2022-jp",
    51932: "euc-jp", 51936: "gb18030", 51949: "euc-kr", 52936: "hz", 54936: "gb18030", 65000: "utf-7", 65001: "utf-8",
}  # fmt: skip


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the mail as a document, then what is attached to it. Raises Unreadable, also without olefile."""
    try:
        import olefile  # optional: yuanwen[msg]
    except ImportError as error:
        hint = 'Run: pip install "yuanwen[msg]"'
        raise Unreadable("Outlook mail needs one more package", hint=hint) from error
    try:
        file = olefile.OleFileIO(BytesIO(raw.data))
        storages = file.listdir(streams=False, storages=True)
    except (OSError, ValueError, IndexError, struct.error, RecursionError) as error:  # one may lie in itself
        raise damaged() from error
    with file:
        folders: dict[tuple[str, ...], list[str]] = {}
        for *above, name in storages:
            folders.setdefault(tuple(above), []).append(name)
        yield from _mail(raw, _Storage(file, folders, ()))


def _mail(raw: Raw, storage: "_Storage") -> Iterator[Extracted | Skip]:
    bodies, skips = _bodies(storage)
    headers = _headers(storage)
    letter = compose(
        raw.media_type,
        headers,
        bodies,
        subject=storage.string(_SUBJECT),
        author=_sender(storage),
        dated=_sent(storage),
    )
    if letter.text.strip():
        yield letter
    yield from skips
    if not bodies and (rtf := storage.binary(_RTF)):
        yield from inside(raw, "message.rtf", unpacked(rtf, raw.allowance), "application/rtf")
    names = Names()
    for number, name in enumerate(storage.attachments(), 1):
        raw.allowance.beat()
        yield from _attachment(raw, storage.inner(name), number, names)


def _bodies(storage: "_Storage") -> tuple[list[Extracted], list[Skip]]:
    """Return what the mail says as plain text or HTML, and what of it could not be read."""
    found: list[list[Extracted]] = []
    skips: list[Skip] = []
    if text := storage.text(_BODY):
        found.append([plain(text)])
    if text := storage.text(_HTML):
        try:
            found.append([page(text)])
        except Unreadable as error:
            skips.append(Skip.because("", error))
    return list(best(found)), skips


def _headers(storage: "_Storage") -> list[str]:
    """Return the header lines that a reader sees: as they came over the wire, else made from the properties."""
    sent = storage.string(_HEADERS).encode("utf-8", "replace")
    if lines := seen_lines(read(sent, 0, len(sent))):
        return lines
    said = {
        "From": _sender(storage),
        "To": storage.string(_TO),
        "Cc": storage.string(_CC),
        "Bcc": storage.string(_BCC),
        "Date": _sent(storage) or "",
        "Subject": storage.string(_SUBJECT),
    }
    return [f"{name}: {' '.join(value.split())}" for name, value in said.items() if value.strip()]


def _sender(storage: "_Storage") -> str:
    name = storage.string(_SENDER).strip()
    addresses = (storage.string(said).strip() for said in (_SENDER_SMTP, _SENDER_ADDRESS))
    address = next((address for address in addresses if "@" in address), "")  # within a firm it may be a path
    return f"{name} <{address}>" if name and address and name != address else name or address


def _sent(storage: "_Storage") -> str | None:
    """Return when the mail was sent, in ISO 8601."""
    for said in (_SUBMITTED, _DELIVERED):
        ticks = storage.fixed(said, _TIME)  # of 100 ns since 1601
        try:
            if ticks:
                moment = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10)
                return moment.isoformat(timespec="seconds")
        except OverflowError:
            continue
    return None


def _attachment(raw: Raw, storage: "_Storage", number: int, names: Names) -> Iterator[Extracted | Skip]:
    """Yield what is in an attachment: a file, a mail, or something that another program left there."""
    kind = storage.string(_MIME_TYPE).strip().lower()
    said = next(filter(None, map(storage.string, (_LONG_NAME, _SHORT_NAME, _DISPLAY_NAME))), "")
    message = storage.inner(f"__substg1.0_{_DATA:04X}{_OBJECT:04X}")
    if message.has(_PROPERTIES):
        name = names.give(attachment_name(said, number, "message/rfc822"))
        yield from _message(raw, message, name)
        return
    name = names.give(attachment_name(said, number, kind))
    data = storage.binary(_DATA)
    if data is None:
        yield Skip(source=name, reason="the mail has only a link to it", hint="Add the file that it leads to.")
    elif skip := left_out(kind, len(data), beside_page=bool(storage.string(_CONTENT_ID))):
        yield replace(skip, source=name)
    else:
        yield from inside(raw, name, data, "message/rfc822" if kind.startswith("multipart/") else None)


def _message(raw: Raw, storage: "_Storage", name: str) -> Iterator[Extracted | Skip]:
    """Yield what is in a mail within a mail, which is no file that could be cut out."""
    inner = replace(raw, inside=within(raw.inside, name), depth=raw.depth + 1)
    try:
        raw.allowance.enter(inner.depth)
        for item in _mail(inner, storage):
            if isinstance(item, Extracted):
                if not item.inside:
                    raw.allowance.write(len(item.text))
                yield replace(item, inside=within(name, item.inside), title=item.title or name)
            else:
                yield replace(item, source=within(name, item.source))
    except Unreadable as error:
        yield Skip.because(name, error)


@dataclass(frozen=True)
class _Storage:
    """The MAPI properties of a mail or an attachment: a folder in the OLE2 file."""

    file: Any
    folders: dict[tuple[str, ...], list[str]]
    path: tuple[str, ...]

    def inner(self, name: str) -> "_Storage":
        """Return what lies in a folder of this one."""
        return replace(self, path=(*self.path, name))

    def has(self, name: str) -> bool:
        """Return whether there is such a stream."""
        return bool(self.file.get_type([*self.path, name]) == 2)

    def stream(self, name: str) -> bytes | None:
        """Return the bytes of a stream, or None. Raises Unreadable."""
        if not self.has(name):
            return None
        try:
            with self.file.openstream([*self.path, name]) as stream:
                return bytes(stream.read())
        except (OSError, ValueError, IndexError) as error:
            raise damaged() from error

    def attachments(self) -> list[str]:
        """Return the names of the folders that hold attachments, in order. Raises Unreadable for too many."""
        found = sorted(name for name in self.folders.get(self.path, ()) if name.startswith(_ATTACHMENT))
        if len(found) > MAX_ATTACHMENTS:
            raise Unreadable("it has more than {n} members", hint=UNPACK, n=MAX_ATTACHMENTS)
        return found

    def fixed(self, said: int, kind: int) -> int:
        """Return a number or a time, 0 where there is none."""
        entries = self.stream(_PROPERTIES) or b""
        start = 32 if not self.path else 24 if not self.path[-1].startswith(_ATTACHMENT) else 8
        for at in range(start, len(entries) - 15, 16):
            tag, _, value = struct.unpack_from("<IIQ", entries, at)
            if tag == said << 16 | kind:
                return int(value)
        return 0

    def binary(self, said: int) -> bytes | None:
        """Return the bytes of a property, or None."""
        return self.stream(f"__substg1.0_{said:04X}{_BINARY:04X}")

    def text(self, said: int) -> Decoded | None:
        """Return a property that holds text, whichever way it is written."""
        data = self.stream(f"__substg1.0_{said:04X}{_STRING:04X}")
        if data is not None:
            text = data.decode("utf-16-le", "replace").replace("\0", "")
            return Decoded(text=text, encoding="utf-16-le", replaced=text.count("\ufffd"))
        data = self.stream(f"__substg1.0_{said:04X}{_STRING_8:04X}") or self.binary(said)
        return decoded(data.replace(b"\0", b""), self._charset()) if data else None

    def string(self, said: int) -> str:
        """Return a property that holds text, empty where there is none."""
        found = self.text(said)
        return found.text if found else ""

    def _charset(self) -> str:
        """Return the charset of strings that are not Unicode; an attachment has that of its mail."""
        mail = replace(self, path=self.path[:-1]) if self.path and self.path[-1].startswith(_ATTACHMENT) else self
        pages = (mail.fixed(said, _INTEGER) & 0xFFFFFFFF for said in _CODE_PAGES)
        page = next((page for page in pages if page), 0)
        return _CHARSETS.get(page, f"cp{page}")
