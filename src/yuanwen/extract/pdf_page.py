"""A page of a PDF as it is read: its lines in reading order, and which characters are not what they seem."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from yuanwen.documents import Mark
from yuanwen.extract.image import Box
from yuanwen.extract.pdfium_page import Contents, Page

MAX_CHARACTERS = 5_000_000  # of a page
NO_SLOT = -1

GARBLED = ("garbled", "")

Slots = Sequence[int]
Flags = Mapping[tuple[str, str], frozenset[int]]  # slots by the kind and the note of the mark that they deserve

_SCAN_CHARACTERS = 5  # a page with fewer, and with pictures, is a scan: some have a page number as text
_SCAN_PATHS = 200  # text that was turned into outlines has at least one for each character
_COLUMNS = 3  # of vertical writing; two may be read either way (the corpus has one from left to right)
_OCR_SHARE = 0.5  # of a page that images cover: invisible text then says what is in them

_LAST = 0x10FFFF
_REPLACEMENT = "\ufffd"
# What can be in a slot besides a character: the CR of a CRLF, halves of surrogate pairs, a hyphen with its line break.
_SPECIAL = re.compile("\r(?=\n)|[\ud800-\udbff][\udc00-\udfff]|[\0\x02\ud800-\udfff\ufffe\uffff]")

# Characters of everyday Chinese, Japanese, Korean, Western and mathematical text; others are looked at twice.
_UNCOMMON = re.compile(
    "[^\t\n\r -~\u00a0-\u017f\u01cd-\u01dc\u0370-\u03ff\u0400-\u045f\u2000-\u2bff"
    "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001d400-\U0001d7ff\U00020000-\U0003ffff]"
)
_SPACES = frozenset("\t\n\r")
_UNSEEN = frozenset(("Cc", "Cn", "Co", "Cs"))  # controls, unassigned, private use, halves: nobody reads these
_AT_HOME = frozenset(("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "FULLWIDTH", "GREEK", "CYRILLIC", "MATHEMATICAL"))
_WRONG_SHARE = 0.3  # of the characters of a stretch
_WRONG_LEAST = 2


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a page, without its line break. `slots` are those of its characters, or NO_SLOT.

    `box` is around its first character, whose slot is `first`, and its last, in points from the top left of the page.
    A line is `sideways` that runs down or up: vertical writing, or text that was turned.
    """

    text: str
    slots: Slots
    box: Box
    first: int
    sideways: bool = False


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A page as it was read. `number` counts from 1. `problem` is why nothing was read: `damaged` or `huge`."""

    number: int
    width: float = 0.0
    height: float = 0.0
    lines: tuple[Line, ...] = ()
    flags: Flags = field(default_factory=dict)
    is_scan: bool = False
    problem: str = ""


def read(page: Page | None, number: int) -> Reading:
    """Return a page as it reads."""
    if page is None:
        return Reading(number=number, problem="damaged")
    if page.count > MAX_CHARACTERS:
        return Reading(number=number, problem="huge")
    text, slots, repaired = _text(page)
    contents = page.contents()
    lines = tuple(_in_order(page, list(_lines(page, text, slots))))
    flags: dict[tuple[str, str], frozenset[int]] = {}
    odd = (slots[found.start()] for found in _UNCOMMON.finditer(text))
    if repaired or any(map(page.has_error, odd)) or any(map(_is_unseen, set(text) - _SPACES)):
        flags[GARBLED] = _garbled(page, lines, repaired)
    if contents.optional:
        page.switch_off(contents.optional)
    if contents.has_invisible or contents.optional:
        invisible = (slot for line in lines for slot in line.slots if slot != NO_SLOT and page.is_invisible(slot))
        flags[_unpainted(page, contents), ""] = frozenset(invisible)
    return Reading(
        number=number,
        width=page.width,
        height=page.height,
        lines=lines,
        flags={kind: flagged for kind, flagged in flags.items() if flagged},
        is_scan=_is_scan(text, contents),
    )


def marks(text: str, slots: Slots, flags: Flags) -> list[Mark]:
    """Return the marks of a text, each as long as nothing but white space interrupts it."""
    found = []
    for (kind, note), flagged in flags.items():
        spans: list[list[int]] = []
        for at, slot in enumerate(slots):
            if slot in flagged:
                if spans and not text[spans[-1][1] : at].strip():
                    spans[-1][1] = at + 1
                else:
                    spans.append([at, at + 1])
        found += [Mark(start=start, end=end, kind=kind, note=note) for start, end in spans]
    return sorted(found, key=lambda mark: mark.start)


def _is_scan(text: str, contents: Contents) -> bool:
    """Return whether a page shows something and has no text to speak of."""
    characters = len(text) if len(text) > 10 * _SCAN_CHARACTERS else len("".join(text.split()))
    return characters < _SCAN_CHARACTERS and (bool(contents.images) or contents.paths >= _SCAN_PATHS)


# --------------------------------------------------------------------------------------- characters and lines


def _text(page: Page) -> tuple[str, list[int], frozenset[int]]:
    """Return the text of a page, the slot of each of its code points, and the slots whose code had to be repaired."""
    raw = page.characters()
    repaired: frozenset[int] = frozenset()
    if raw is None:
        codes = page.codes()
        repaired = frozenset(slot for slot, code in enumerate(codes) if code > _LAST)
        raw = "".join(chr(code if code <= _LAST else _unpacked(code)) for code in codes)
    pieces: list[str] = []
    slots: list[int] = []
    end = 0
    for special in _SPECIAL.finditer(raw):
        pieces.append(raw[end : special.start()])
        slots += range(end, special.start())
        end = special.end()
        meant = _meant(page, special[0], special.start())
        pieces.append(meant)
        slots += [special.start(), NO_SLOT][: len(meant)]
    pieces.append(raw[end:])
    slots += range(end, len(raw))
    return "".join(pieces), slots, repaired


def _unpacked(code: int) -> int:
    """Return the code point whose UTF-8 bytes a faulty ToUnicode table gives as one number."""
    try:
        return ord(code.to_bytes(4, "big").lstrip(b"\0").decode("utf-8"))
    except (UnicodeDecodeError, TypeError):
        return ord(_REPLACEMENT)


def _meant(page: Page, special: str, slot: int) -> str:
    """Return what stands for a special character."""
    if special == "\r":
        return ""
    if len(special) == 2:
        return chr(0x10000 + ((ord(special[0]) & 0x3FF) << 10) + (ord(special[1]) & 0x3FF))
    if special in "\x02\ufffe" and page.is_hyphen(slot):
        return "-\n"
    return special if special == "\x02" else _REPLACEMENT


def _lines(page: Page, text: str, slots: list[int]) -> Iterator[Line]:
    """Yield the lines that are not blank, in the order of the file."""
    end = -1
    for line in text.split("\n"):
        start, end = end + 1, end + 1 + len(line)
        seen = line.strip()
        if not seen:
            continue
        at = start + len(line) - len(line.lstrip())
        first = page.box(slots[at])
        last = page.box(slots[at + len(seen) - 1])
        across, down = last[0] + last[2] - first[0] - first[2], last[1] + last[3] - first[1] - first[3]
        yield Line(
            text=line,
            slots=slots[start:end],
            box=(min(first[0], last[0]), min(first[1], last[1]), max(first[2], last[2]), max(first[3], last[3])),
            first=slots[at],
            sideways=abs(down) > 2 * abs(across),
        )


def _in_order(page: Page, lines: list[Line]) -> Iterator[Line]:
    """Yield lines as they are read: PDFium sorts those that run down or up the page from left to right."""
    run: list[Line] = []
    for line in lines:
        if not (run and _is_beside(run[-1], line)):
            yield from _as_written(page, run)
            run = []
        run.append(line)
    yield from _as_written(page, run)


def _is_beside(before: Line, line: Line) -> bool:
    """Return whether two lines run down or up the page next to each other, the second to the right."""
    (left, top, right, bottom), (other_left, other_top, _, other_bottom) = before.box, line.box
    overlap = min(bottom, other_bottom) > max(top, other_top)
    return before.sideways and line.sideways and overlap and other_left >= (left + right) / 2


def _as_written(page: Page, run: list[Line]) -> list[Line]:
    """Return lines next to each other in the order of the file."""
    if len(run) < 2 or (len(run) < _COLUMNS and page.is_upright(run[0].first)):
        return run
    order = {line.first: page.order(line.first) for line in run}
    return run if min(order.values()) < 0 else sorted(run, key=lambda line: order[line.first])


# -------------------------------------------------------------------------------- what is not what it seems


def _unpainted(page: Page, contents: Contents) -> str:
    """Return the kind of mark for text that is not painted: over a scan it says what was recognised there."""
    covered = sum((right - left) * (bottom - top) for left, top, right, bottom in contents.images)
    return "recognised" if covered >= _OCR_SHARE * page.width * page.height else "invisible"


def _garbled(page: Page, lines: Sequence[Line], repaired: frozenset[int]) -> frozenset[int]:
    """Return the slots of characters that are others than a reader sees.

    The file does not say what they are, and they look wrong. Neither alone is proof: fonts without a table that
    PDFium knows by other means are common, and so are names in foreign scripts.
    """
    found = set(repaired)
    errors = page.errors()
    unseen = set(filter(_is_unseen, set("".join(line.text for line in lines))))
    for line in lines:
        if errors.isdisjoint(line.slots) and unseen.isdisjoint(line.text):
            continue
        seen = [(character, slot) for character, slot in zip(line.text, line.slots, strict=True) if character.strip()]
        for is_doubtful, group in groupby(seen, lambda pair: pair[0] in unseen or pair[1] in errors):
            stretch = list(group)
            if is_doubtful and _looks_wrong("".join(character for character, _ in stretch)):
                found.update(slot for _, slot in stretch)
    return frozenset(found)


def _is_unseen(character: str) -> bool:
    return character == _REPLACEMENT or unicodedata.category(character) in _UNSEEN


def _looks_wrong(text: str) -> bool:
    """Return whether a stretch has many characters that nobody reads, or scripts that do not go together."""
    least = max(_WRONG_LEAST, _WRONG_SHARE * len(text))
    if sum(map(_is_unseen, text)) >= least:
        return True
    foreign = [character for character in text if character > "\x7f" and unicodedata.category(character)[0] in "LM"]
    scripts = [unicodedata.name(character, "?").split(maxsplit=1)[0] for character in foreign]
    strange = [script for script in scripts if script not in _AT_HOME]
    return len(strange) >= least and bool(set(strange) - {"LATIN", "COMBINING"}) and len(set(strange)) > 1
