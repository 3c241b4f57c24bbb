"""A citation as one line that can be checked with nothing but the original file, and that line read back.

Like `yuanwen:1;source=采购合同.pdf;sha256=…;extractor=…;text=…;passage=17;start=412;end=498;page=3;quote=…;check=…`: in
letters, digits, Han characters and `:;=.%+` alone, since these survive mail, chat, Word, Markdown and HTML. What is put
between them on the way (line breaks, `>`, invisible characters) counts for nothing; `check` tells any other change.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote_to_bytes

from yuanwen.errors import UsageError
from yuanwen.place import BODY, Place

VERSION = 1
CHECK_LENGTH = 16  # hex digits of `check`

FIELDS = (
    *("source", "sha256", "extractor", "text", "passage", "start", "end", "page", "place", "quote"),
    "check",
)
_OPTIONAL = {"source", "extractor", "page", "place"}  # left out where they are empty
_HASHES = {"sha256", "text", "quote"}
_NUMBERS = {"passage", "start", "end", "page"}

_AGAIN = "Copy it again, whole."


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """Which words of which file are cited: `[start, end)` of the text that `extractor` makes of it, in code points.

    `source` is the name of the file without its folder, with the path within it for what lies in an archive or a mail
    (`b.eml/c.csv`). `sha256` is that of the bytes of the file, `text_sha256` and `quote_sha256` are those of the whole
    text and of the words cited, in UTF-8. `ordinal` is the number of the passage in which they start; `place` is where
    they stand in the terms of the format, unless on a page.
    """

    source: str
    sha256: str
    extractor: str
    text_sha256: str
    ordinal: int
    start: int
    end: int
    page: int | None = None
    place: str = ""
    quote_sha256: str

    def line(self) -> str:
        """Return the receipt as one line without spaces."""
        values = {
            "source": self.source,
            "sha256": self.sha256,
            "extractor": self.extractor,
            "text": self.text_sha256,
            "passage": str(self.ordinal),
            "start": str(self.start),
            "end": str(self.end),
            "page": "" if self.page is None else str(self.page),
            "place": self.place,
            "quote": self.quote_sha256,
        }
        fields = (f"{name}={_encoded(value)}" for name, value in values.items() if value)
        body = ";".join([f"yuanwen:{VERSION}", *fields])
        return f"{body};check={digest(body)[:CHECK_LENGTH]}"


def digest(words: str) -> str:
    """Return the SHA-256 of words in UTF-8, as 64 hex digits."""
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def place_name(place: Place | None) -> str:
    """Return a place as a receipt names it (`sheet 价目表 A2:B4`, `slide 3`); empty for a page, or for none."""
    if place is None or place.unit in ("page", *BODY):
        return ""
    last = f"to {place.last}" if place.last else ""
    which = place.name if place.unit == "sheet" else place.number
    return " ".join(str(part) for part in (place.unit, which, last, place.cells) if part)


# ----------------------------------------------------------------------------------------------- in a text

# What mail, Markdown and programs put between the characters of a line: white space, marks of quoted lines, of tables
# and of emphasis, hyphens at a line's end, characters without width. `=` is among it: it also ends a line in mail.
_NOISE = (
    r"[\s=>|*_~`\\#<\-\u2010\u2011\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_BETWEEN = f"{_NOISE}*+"
_HEX = "[0-9A-Fa-f０-９Ａ-Ｆａ-ｆ]"
_OF_VALUE = r"[0-9A-Za-z０-９Ａ-Ｚａ-ｚ\u4e00-\u9fff%+.=％＋．＝]"


def _spelled(word: str) -> str:
    """Return a pattern for a word in either case and width, with noise between its characters."""
    return _BETWEEN.join(f"[{c.lower()}{c.upper()}{_wide(c.lower())}{_wide(c.upper())}]" for c in word)


def _wide(character: str) -> str:
    return chr(ord(character) + 0xFEE0)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return how a receipt starts, how it ends, and what a field of a damaged one looks like.

    Each takes time in step with the text: nothing in them can match the same character in two ways. `3D` is how `=` is
    written in quoted-printable mail (RFC 2045).
    """
    start = f"{_spelled('yuanwen:')}{_BETWEEN}(?:[0-9０-９]{_BETWEEN})++{_spelled(';')}(?={_BETWEEN}[A-Za-zＡ-Ｚａ-ｚ])"
    end = (
        f"{_spelled(';check')}{_BETWEEN}(?:{_spelled('3D')}{_BETWEEN})?(?:{_HEX}{_BETWEEN}){{{CHECK_LENGTH - 1}}}{_HEX}"
    )
    field = f"{_spelled(';')}{_BETWEEN}(?:{'|'.join(map(_spelled, FIELDS))}){_OF_VALUE}*+"
    return re.compile(start), re.compile(end), re.compile(field)


def spans(text: str) -> list[tuple[int, int]]:
    """Return where receipts stand in a text, also damaged ones and such as run over several lines."""
    begins, ends, _ = _patterns()
    starts = [match.span() for match in begins.finditer(text)]
    found = []
    stops = [start for start, _ in starts[1:]] + [len(text)]
    for (start, after), stop in zip(starts, stops, strict=False):
        whole = ends.search(text, after - 1, stop)
        found.append((start, whole.end() if whole else _damaged_end(text, after, stop)))
    return found


def masked(text: str) -> str:
    """Return a text of the same length in which what would be a receipt is words like any others."""
    for start, _ in spans(text):
        text = f"{text[:start]}_{text[start + 1 :]}"
    return text


def _damaged_end(text: str, after: int, stop: int) -> int:
    """Return where a receipt ends that has no end of its own: with its last field before an empty line."""
    *_, field = _patterns()
    empty = re.compile(r"\n[^\S\n]*\n").search(text, after, stop)
    end = re.compile(f"{_OF_VALUE}*+").match(text, after, stop).end()  # type: ignore[union-attr]
    for match in field.finditer(text, after - 1, empty.start() if empty else stop):
        end = max(end, match.end())
    return end


# ------------------------------------------------------------------------------------------------ read back


def parse(text: str) -> Receipt:
    """Return the first receipt in a text. Raises UsageError for a damaged one, naming it and what is wrong."""
    try:
        return _parsed(text)
    except UsageError:
        if "=3d" not in text.lower():
            raise
        import quopri
        from contextlib import suppress

        with suppress(UsageError):  # unless it is the source of a mail, the error is that of the text as it stands
            return _parsed(quopri.decodestring(text.encode("utf-8", "replace")).decode("utf-8", "replace"))
        raise


def _parsed(text: str) -> Receipt:
    plain = re.sub(_NOISE, "", unicodedata.normalize("NFKC", text))
    start = re.search(r"yuanwen:([0-9]+);", plain, re.IGNORECASE)
    if start is None:
        shown = f"{plain[:30]}…" if len(plain) > 30 else plain
        raise UsageError("there is no receipt in {text}", hint="yuanwen cite prints them.", text=shown)
    parts = plain[start.end() :].split(";")
    source = _source(parts[0])
    if int(start[1][:9]) != VERSION:
        raise UsageError(
            "the receipt for {source} is of version {number}, which this Yuanwen does not know",
            hint="Install a newer one: pip install -U yuanwen",
            source=source,
            number=start[1][:9],
        )
    values = dict(_values(parts, source))
    receipt = Receipt(
        source=str(values.get("source", "")),
        sha256=str(values["sha256"]),
        extractor=str(values.get("extractor", "")),
        text_sha256=str(values["text"]),
        ordinal=int(values["passage"]),
        start=int(values["start"]),
        end=int(values["end"]),
        page=int(values["page"]) if "page" in values else None,
        place=str(values.get("place", "")),
        quote_sha256=str(values["quote"]),
    )
    if receipt.line()[-CHECK_LENGTH:] != values["check"] or receipt.start > receipt.end:
        raise UsageError("the receipt for {source} is damaged: characters were changed", hint=_AGAIN, source=source)
    return receipt


def _values(parts: Sequence[str], source: str) -> Iterator[tuple[str, str | int]]:
    """Yield the name and value of each field. Raises UsageError for the first that is missing or cannot be read."""
    at = 0
    for name in FIELDS:
        part = parts[at] if at < len(parts) else ""
        if part[: len(name)].lower() != name:
            if name in _OPTIONAL:
                continue
            if part and not part.lower().startswith(FIELDS):
                raise _damaged_at(part, source)
            raise UsageError(
                "the receipt for {source} is damaged: {field} is missing", hint=_AGAIN, source=source, field=name
            )
        value = _value(name, part[len(name) :])
        if value is None:
            raise _damaged_at(f"{name}={part[len(name) :]}", source)
        yield name, value
        at += 1


def _damaged_at(part: str, source: str) -> UsageError:
    shown = f"{part[:80]}…" if len(part) > 80 else part
    return UsageError("the receipt for {source} is damaged at {part}", hint=_AGAIN, source=source, part=shown)


def _value(name: str, written: str) -> str | int | None:
    """Return the value of a field, None for what cannot be one. What follows `check` is not part of the receipt."""
    if name in _NUMBERS:
        return int(written) if re.fullmatch("[0-9]{1,12}", written) else None
    if name in _HASHES:
        return written.lower() if re.fullmatch("[0-9A-Fa-f]{64}", written) else None
    if name == "check":
        found = re.match(f"[0-9A-Fa-f]{{{CHECK_LENGTH}}}", written)
        return found[0].lower() if found else None
    return _decoded(written)


def _source(part: str) -> str:
    """Return what a receipt is called in messages: its source, or how it goes on where that cannot be read."""
    written = part[len("source") :] if part[: len("source")].lower() == "source" else part
    return _decoded(written) or written[:30]


def _encoded(value: str) -> str:
    """Return a value in the characters of a receipt: a space as `+`, all others percent-encoded (RFC 3986)."""

    def written(match: re.Match[str]) -> str:
        return "".join("+" if byte == 0x20 else f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))

    return re.sub(r"[^0-9A-Za-z.\u4e00-\u9fff]+", written, value)


def _decoded(written: str) -> str | None:
    if not re.fullmatch(r"(?:[0-9A-Za-z.+\u4e00-\u9fff]|%[0-9A-Fa-f]{2})+", written):
        return None
    try:
        return unquote_to_bytes(written.replace("+", " ")).decode("utf-8")
    except UnicodeDecodeError:
        return None
