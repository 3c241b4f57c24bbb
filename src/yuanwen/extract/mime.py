"""MIME: the parts that a mail is made of, their header fields, and the text of both in any charset.

It works on bytes and offsets rather than on `email.message`: a mail within a mail stays as it was sent, and no
mail makes it take more than a fixed number of passes over its bytes.
"""

import re
from binascii import a2b_base64, a2b_qp
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from urllib.parse import unquote_to_bytes

from yuanwen.extract.decode import Decoded, codec, decode

_HEAD = re.compile(rb"(?:(?:[!-9;-~]++[ \t]*+:|[ \t]|>?From )[^\n]*+\n?)*+")
_FIELD = re.compile(rb"^([!-9;-~]++)[ \t]*+:[ \t]*+([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.MULTILINE)
_FOLD = re.compile(rb"\r?\n(?=[ \t])")
_MEDIA_TYPE = re.compile(rb"\s*([\w.+-]+/[\w.+-]+)")
_PARAMETER = re.compile(rb';\s*+([^\s=;*"]++)(?:\*(\d{1,4}))?(\*)?\s*+=\s*+("(?:[^"\\]++|\\.)*+"?|[^;]*+)', re.DOTALL)
_ESCAPED = re.compile(rb'\\([\\"])')
_MAX_BOUNDARY = 1000  # RFC 2046 allows 70

# RFC 2047; some programs write spaces into an encoded word.
_WORD = re.compile(rb"=\?([^?*\s]++)(?:\*[^?\s]*+)?\?([bBqQ])\?([^?]*+)\?=")
_LINE_END = re.compile(r"[\r\n]+")
_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="))
_TO_PADDING = re.compile(rb"[^=]++")

_SEVEN_BIT = re.compile(r"iso2022_\w+|hz|utf-7")  # what the decoder takes for ASCII


@dataclass(frozen=True, kw_only=True)
class Part:
    """A mail, or a part of one: its header fields, and `data[start:end]` as its body.

    `charset` is the likely one of header fields that do not say theirs.
    """

    data: bytes
    start: int
    end: int
    fields: tuple[tuple[str, bytes], ...]
    charset: str = ""
    default: str = "text/plain"

    @property
    def kind(self) -> str:
        """The media type, in lower case."""
        found = _MEDIA_TYPE.match(self.field("content-type"))
        return found[1].decode("ascii").lower() if found else self.default

    @property
    def disposition(self) -> str:
        """`inline`, `attachment`, or what else it says, in lower case."""
        return self.field("content-disposition").partition(b";")[0].strip().lower().decode("ascii", "replace")

    @property
    def name(self) -> str:
        """The file name that its sender gave it, or an empty string."""
        return self.parameter("filename", "content-disposition") or self.parameter("name")

    def field(self, name: str) -> bytes:
        """Return a header field as it stands, the first of its name, or nothing."""
        return next((value for found, value in self.fields if found.lower() == name), b"")

    def text(self, name: str) -> str:
        """Return a header field as its reader sees it."""
        return field_text(self.field(name), self.charset)

    def parameter(self, name: str, field: str = "content-type") -> str:
        """Return a parameter of a header field, decoded."""
        value, charset = _parameter(self.field(field), name.encode())
        return decoded(value, charset).text if charset else field_text(value, self.charset)

    def content(self) -> bytes:
        """Return the body without its transfer encoding; what is broken in that is passed over."""
        encoding = self.field("content-transfer-encoding").strip().lower()
        body = self.data[self.start : self.end]
        if encoding == b"base64":
            return _base64(body)
        return a2b_qp(body) if encoding == b"quoted-printable" else body

    def parts(self) -> Iterator["Part"]:
        """Yield the parts of a multipart, also where its last line is missing."""
        boundary, _ = _parameter(self.field("content-type"), b"boundary")
        if not 0 < len(boundary) <= _MAX_BOUNDARY:
            return
        border = re.compile(rb"^--" + re.escape(boundary.rstrip()) + rb"(--)?[ \t]*\r?$", re.MULTILINE)
        start = None
        for found in border.finditer(self.data, self.start, self.end):
            if start is not None:
                yield self._inner(start, found.start() - len(_line_end(self.data, found.start())))
            start = None if found[1] else min(found.end() + 1, self.end)
        if start is not None:
            yield self._inner(start, self.end)

    def _inner(self, start: int, end: int) -> "Part":
        default = "message/rfc822" if self.kind == "multipart/digest" else "text/plain"
        return read(self.data, start, max(start, end), charset=self.charset, default=default)


def read(data: bytes, start: int, end: int, *, charset: str = "", default: str = "text/plain") -> Part:
    """Return the part that lies at `data[start:end]`, header first. `charset` is that of what it lies in."""
    found = _HEAD.match(data, start, end)
    body = found.end() if found else start
    head = data[start:body]
    body += 2 if data.startswith(b"\r\n", body, end) else data.startswith(b"\n", body, end)
    fields = tuple((name.decode("ascii"), _FOLD.sub(b"", value).rstrip()) for name, value in _FIELD.findall(head))
    part = Part(data=data, start=body, end=end, fields=fields, default=default)
    return replace(part, charset=part.parameter("charset") or charset or _charset(head))


def _charset(head: bytes) -> str:
    """Return the likely charset of header fields that are not ASCII, though they ought to be."""
    return "" if head.isascii() else decode(head).encoding


def _line_end(data: bytes, end: int) -> bytes:
    """Return the line end before `end`, which belongs to the border that follows."""
    return next((mark for mark in (b"\r\n", b"\n") if data.endswith(mark, 0, end)), b"")


def _parameter(field: bytes, name: bytes) -> tuple[bytes, str]:
    """Return the value of a parameter, and its charset if it says one (RFC 2231)."""
    plain = b""
    pieces: list[tuple[int, bytes, bytes]] = []
    for found, number, encoded, value in _PARAMETER.findall(field):
        if found.lower() != name:
            continue
        value = _ESCAPED.sub(rb"\1", value[1:].removesuffix(b'"')) if value.startswith(b'"') else value.strip()
        if number or encoded:
            pieces.append((int(number or 0), encoded, value))
        else:
            plain = plain or value
    if not pieces:
        return plain, ""
    pieces.sort(key=lambda piece: piece[0])
    charset, *language = pieces[0][2].split(b"'", 2) if pieces[0][1] else [b""]
    if len(language) == 2:
        pieces[0] = (0, pieces[0][1], language[1])
    value = b"".join(unquote_to_bytes(value) if encoded else value for _, encoded, value in pieces)
    return value, charset.decode("ascii", "replace") if len(language) == 2 else ""


def _base64(data: bytes) -> bytes:
    """Return what base64 says: other characters are passed over, and padding may stand in the middle."""
    pieces = (piece[0] for piece in _TO_PADDING.finditer(data.translate(None, _NOT_BASE64)))
    return b"".join(a2b_base64(piece[: len(piece) - (len(piece) % 4 == 1)] + b"==") for piece in pieces)


# ----------------------------------------------------------------------------------------------- text


def field_text(value: bytes, charset: str = "") -> str:
    """Return the text of a header field: its encoded words decoded, the rest by `charset`, on one line."""
    pieces: list[tuple[str, bytes]] = []
    at = 0
    for found in _WORD.finditer(value):
        between = value[at : found.start()]
        if between.strip() or not at:  # white space between two encoded words is none
            pieces.append((charset, between))
        octets = a2b_qp(found[3], header=True) if found[2] in b"qQ" else _base64(found[3])
        pieces.append((found[1].decode("ascii", "replace").lower(), octets))
        at = found.end()
    pieces.append((charset, value[at:]))
    # Words of one charset are joined before they are decoded: a character may be cut between two of them.
    runs = groupby(pieces, key=lambda piece: piece[0])
    text = "".join(decoded(b"".join(octets for _, octets in run), label).text for label, run in runs)
    return _LINE_END.sub(" ", text)


def decoded(data: bytes, label: str) -> Decoded:
    """Return the text of bytes that say they are in a charset; one that is unknown, or lies, is not believed."""
    name = codec(label)
    if _SEVEN_BIT.fullmatch(name) and data.isascii():
        text = data.decode(name, "replace").replace("\0", "\ufffd")
        return Decoded(text=text, encoding=name, replaced=text.count("\ufffd"))
    return decode(data, declared=label)
