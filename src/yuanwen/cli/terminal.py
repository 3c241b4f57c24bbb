"""Text on a terminal: how wide it is, where its lines break, and what must not reach it raw."""

import errno
import os
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, TextIO

Span = tuple[int, int]
Role = Literal["rank", "title", "match", "evidence", "quiet", "good", "changed", "missing"]
Styled = tuple[int, int, Role]

WIDEST = 100  # longer lines are hard to read
TAB = "    "

# Escape codes of ECMA-48: 1 bold, 2 faint, 31 red, 32 green, 33 yellow, 36 cyan, 0 back to normal.
_ROLES: dict[Role, str] = {
    "rank": "36;1",
    "title": "1",
    "match": "31;1",
    "evidence": "1",
    "quiet": "2",
    "good": "32",
    "changed": "33",
    "missing": "31",
}

# Control characters could move the cursor, ring, recolour or hide; two more turn text around.
_CONTROLS: dict[int, int] = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_CONTROLS |= {0x7F: 0x2421, 0x2028: 0x20, 0x2029: 0x20, 0x202D: 0xFFFD, 0x202E: 0xFFFD}
_CONTROLS |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_LINE_CONTROLS = _CONTROLS | {0x09: 0x20, 0x0A: 0x240A}

_OPENING = "“‘（《〈「『【〔［｛("
_CLOSING = "”’）》〉」』】〕］｝)，。、；：？！…—～%％"


class Screen:
    """Where text goes: in how many columns (0: as many as it needs), and whether in colour."""

    def __init__(self, stream: TextIO | None) -> None:
        self.terminal = stream is not None and stream.isatty()
        self.width = min(_columns(stream), WIDEST) if stream is not None and self.terminal else 0
        self.colour = self.terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def style(self, text: str, role: Role | None) -> str:
        """Return the text in the colours of its role."""
        return f"\x1b[{_ROLES[role]}m{text}\x1b[0m" if self.colour and role and text else text

    def paragraph(self, text: str, *, indent: str = "", role: Role | None = None) -> list[str]:
        """Return text as indented lines that fit."""
        return self.passage(text, indent=indent, role=role)

    def passage(
        self, text: str, styled: Sequence[Styled] = (), *, indent: str = "", role: Role | None = None
    ) -> list[str]:
        """Return a text as indented lines that fit; the stretches of `styled`, in order, in colours of their own."""
        width = max(self.width - cells(indent), 20) if self.width else 0
        lines = []
        for start, end in wrap(text, width):
            pieces = _pieces((start, end), styled)
            line = "".join(self.style(self._safe(text[a:b]), own or role) for a, b, own in pieces)
            lines.append((indent + line) if line else "")
        return lines

    def clip(self, text: str, width: int) -> str:
        """Return text cut to a width, if there is a width to keep to."""
        return clip(text, width) if self.width else text

    def _safe(self, text: str) -> str:
        text = clean(text.removesuffix("\r"))
        return text.replace("\t", TAB) if self.width else text


def _columns(stream: TextIO) -> int:
    try:
        return int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _pieces(line: Span, styled: Sequence[Styled]) -> Iterable[tuple[int, int, Role | None]]:
    """Yield the stretches of a line with the role of each."""
    at, stop = line
    for start, end, role in styled:
        start, end = max(start, at), min(end, stop)
        if start < end:
            if at < start:
                yield at, start, None
            yield start, end, role
            at = end
    if at < stop:
        yield at, stop, None


# ------------------------------------------------------------------------------------------ characters


def clean(text: str) -> str:
    """Return text with a sign for each control character but tabs and line feeds, of the same length."""
    return text if text.isascii() and text.isprintable() else text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """Return text with a visible sign for each control character, on one line."""
    return text if text.isascii() and text.isprintable() else text.translate(_LINE_CONTROLS)


def flat(text: str) -> str:
    """Return text on one line, with single spaces, safe to print."""
    return one_line(" ".join(text.split()))


def cells(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    if text.isascii():
        return len(text) + text.count("\t") * (len(TAB) - 1)
    return sum(map(_cells, text))


@cache
def _cells(character: str) -> int:
    import unicodedata

    if character == "\t":
        return len(TAB)
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return text filled up with spaces to a width; text to the `right` gets them in front."""
    spaces = " " * max(width - cells(text), 0)
    return spaces + text if right else text + spaces


def clip(text: str, width: int, *, keep_end: bool = False) -> str:
    """Return text cut to a width, with an ellipsis where something is missing."""
    if cells(text) <= width:
        return text
    kept = ""
    used = 1
    for character in reversed(text) if keep_end else text:
        used += _cells(character)
        if used > width:
            break
        kept += character
    return "…" + kept[::-1] if keep_end else kept + "…"


# ------------------------------------------------------------------------------------------------ lines


@cache
def _atoms() -> re.Pattern[str]:
    """Return the pattern of what stays on one line; it is costly to make, and only a terminal needs it."""
    word = r"[^\s\u2e80-\U0010ffff]+"
    return re.compile(rf"\n|[^\S\n]+|[{_OPENING}]{{0,4}}(?:{word}|\S)[{_CLOSING}]{{0,4}}")


def wrap(text: str, width: int) -> list[Span]:
    """Return the lines of a text as spans: broken at line feeds, and before `width` columns are exceeded.

    Words stay whole, and Chinese punctuation stays with what it belongs to.
    """
    lines: list[Span] = []
    start = used = 0
    if not width:
        for line in text.split("\n"):
            lines.append((start, start + len(line)))
            start += len(line) + 1
        return lines
    for match in _atoms().finditer(text):
        at, end = match.span()
        if match[0] == "\n":
            lines.append((start, at))
            start, used = end, 0
            continue
        wide = cells(match[0])
        if used and used + wide > width:
            lines.append((start, at))
            start, used = (end, 0) if match[0].isspace() else (at, 0)
            if match[0].isspace():
                continue
        if wide > width:
            cut = _cut(text, start, end, width)
            lines += cut[:-1]
            start, wide = cut[-1][0], cells(text[cut[-1][0] : end])
        used += wide
    lines.append((start, len(text)))
    return lines


def _cut(text: str, start: int, end: int, width: int) -> list[Span]:
    """Return a word that is too long for a line in pieces that are not."""
    lines: list[Span] = []
    used = 0
    for at in range(start, end):
        wide = _cells(text[at])
        if used and used + wide > width:
            lines.append((start, at))
            start, used = at, 0
        used += wide
    return [*lines, (start, end)]


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), gap: str = "  ") -> list[str]:
    """Return rows as lines with aligned columns; the columns `right` have their text at the right."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [pad(text, widths[i], right=i in right) for i, text in enumerate(row)]
        lines.append(gap.join(padded).rstrip())
    return lines


# --------------------------------------------------------------------------------------------- streams


def short_path(source: str) -> str:
    """Return a path as seen from the working folder where it is inside of it, safe to print."""
    try:
        folder = os.path.join(os.getcwd(), "")
    except OSError:
        folder = ""
    inside = folder and os.path.normcase(source).startswith(os.path.normcase(folder)) and len(source) > len(folder)
    return one_line(source[len(folder) :] if inside else source)


def speak_unicode(stream: TextIO | None, *, always_utf8: bool = False) -> None:
    """Have a stream take every string: in UTF-8, unless it has an encoding that knows Chinese."""
    if stream is None or not hasattr(stream, "reconfigure"):
        return
    try:
        "原".encode(stream.encoding)
        knows = True
    except (LookupError, UnicodeEncodeError):
        knows = False
    encoding = "utf-8" if always_utf8 or not knows else stream.encoding
    stream.reconfigure(encoding=encoding, errors="backslashreplace")


def emit(text: str, stream: TextIO | None) -> None:
    """Print text. Raises BrokenPipeError when nobody reads it any more, on every system."""
    try:
        if stream is not None:
            if sys.platform == "win32" and stream.isatty():
                os.system("")  # has an older console understand escape codes
            stream.write(text + "\n")
            stream.flush()
    except OSError as error:
        if error.errno in (errno.EPIPE, errno.EINVAL):  # Windows says EINVAL
            raise BrokenPipeError from error
        raise
