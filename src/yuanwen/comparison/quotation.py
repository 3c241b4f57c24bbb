"""A quotation taken apart: its parts between ellipses, and its words without the marks of Markdown and HTML."""

import html
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from yuanwen import analysis
from yuanwen.comparison.sameness import core, key

HAN, WORDS = 6, 4  # a quotation that has less than so many characters or words shows nothing

_ellipsis = re.compile(r"\[\s*(?:…+|⋯+|\.{3,6})\s*\]|[（(]\s*(?:略|…+|⋯+|\.{3,6})\s*[）)]|…+|⋯+|\.(?: ?\.){2,}|。{3,}")
_markup = re.compile(
    r"(?P<line><br\s*/?>)"
    r"|(?<!\w)\[(?P<initial>[A-Za-z])\](?=[a-z])"  # [t]he, where the quoter changed the case
    r"|</?(?:a|abbr|b|blockquote|cite|code|em|font|i|mark|p|q|small|span|strong|u)(?:\s[^<>]*)?/?>"
    r"|(?P<escaped>\\(?P<mark>[!-/:-@\[-`{-~]))"
    r"|(?P<entity>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
    r"|(?m:^[^\S\n]*(?:>[^\S\n]?)+)"
)
_pairs = (  # no longer than that, so that marks which are not closed take no time
    re.compile(r"(?<!\\)(\*\*\*|\*\*|__)(?=\S)(.{1,1000}?)(?<=\S)\1", re.DOTALL),
    re.compile(r"(?<![0-9A-Za-z*\\])(\*)(?=[^\s*])([^*]{1,1000}?)(?<=\S)\1(?!\*)", re.DOTALL),
    re.compile(
        r"(?<![^\W\u0e00-\U0010ffff])(?<!\\)(_)(?=[^\s_])([^_]{1,1000}?)(?<=\S)\1(?![^\W\u0e00-\U0010ffff])", re.DOTALL
    ),
    re.compile(r"(?<![\\`])(`{1,8})(?!`)([^`]{1,1000})\1(?!`)", re.DOTALL),
)
_enough = re.compile(f"(?:[^\u4e00-\u9fff]*+[\u4e00-\u9fff]){{{HAN}}}")
_any_mark = re.compile(r"[*_`\\<&>\[]")
_edge = re.compile(r"\A[*_`]+|[*_`]+\Z")


class Written(NamedTuple):
    """Words of a quotation as they are compared: `text[i]` is what stands in it from `starts[i]` to `ends[i]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the quotation for `text[start:end]`."""
        if start < end:
            return self.starts[start], self.ends[end - 1]
        at = self.ends[start - 1] if start else self.starts[0] if self.text else 0
        return at, at

    def part(self, start: int, end: int) -> "Written":
        """Return a part of it."""
        return Written(self.text[start:end], self.starts[start:end], self.ends[start:end])


class Sought(NamedTuple):
    """What of a quotation is looked for: `key` of `[begin, finish)`, without the marks at its ends."""

    text: str
    begin: int
    finish: int
    key: str


def sought(text: str) -> Sought:
    """Return what is looked for of a text; of one that has nothing but marks, the marks."""
    begin, finish = core(text)
    found = key(text[begin:finish])
    return Sought(text, begin, finish, found) if found else Sought(text, 0, len(text), key(text))


class Way(NamedTuple):
    """A way to read a quotation: its words, and its parts between ellipses."""

    written: Written
    sought: Sought
    parts: list[Written]

    @property
    def soughts(self) -> list[Sought]:
        """What is looked for of each part."""
        return [sought(part.text) for part in self.parts] if self.parts != [self.written] else [self.sought]


class Quotation:
    """What stands between quotation marks in an answer."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """The quotation as it stands, and without the marks of Markdown and HTML if it has any."""
        plain = _plain(self.text)
        unmarked = _unmarked(plain)
        readings = [plain] if unmarked.text == plain.text else [plain, unmarked]
        return tuple(Way(written, sought(written.text), _parts(written)) for written in readings)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """What stands before, between and after ellipses."""
        return tuple(part.text for part in _parts(_plain(self.text)))

    @cached_property
    def is_short(self) -> bool:
        """Whether it is too short to show anything: under 6 characters of Han or 4 words, or half of that in a part."""
        weights = [_weight(part) for part in self.parts]
        return sum(weights) < 1 or min(weights) < 0.5


def _plain(text: str) -> Written:
    return Written(text, range(len(text)), range(1, len(text) + 1))


def _weight(text: str) -> float:
    """Return how much a part shows, where 1 is enough."""
    if _enough.match(text):
        return 1
    folded = analysis.fold(text)
    han = sum(map(analysis.is_cut, folded))
    return han / HAN + len(analysis.words(folded)) / WORDS


def _parts(written: Written) -> list[Written]:
    """Return what stands before, between and after ellipses, without white space around; never an empty list."""
    if not written.text[:1].isspace() and not written.text[-1:].isspace() and not _ellipsis.search(written.text):
        return [written]
    found, done = [], 0
    for match in [*_ellipsis.finditer(written.text), None]:
        end = match.start() if match else len(written.text)
        text = written.text[done:end]
        if text.strip():
            start = done + len(text) - len(text.lstrip())
            found.append(written.part(start, start + len(text.strip())))
        done = match.end() if match else end
    return found or [written]


def _unmarked(written: Written) -> Written:
    if not _any_mark.search(written.text):
        return written
    for pair in _pairs:
        written = _unpaired(pair, written)
    return _unescaped(_edges(written))


def has_ellipsis(text: str) -> bool:
    """Return whether an ellipsis stands in a text."""
    return _ellipsis.search(text) is not None


def is_open(text: str) -> bool:
    """Return whether a text begins or ends with an ellipsis."""
    found = [match.span() for match in _ellipsis.finditer(text)]
    return bool(found) and (not text[: found[0][0]].strip() or not text[found[-1][1] :].strip())


def _unescaped(written: Written) -> Written:
    def plain(match: re.Match[str]) -> Written:
        text = (
            match["mark"] or match["initial"] or ("\n" if match["line"] else "") or html.unescape(match["entity"] or "")
        )
        start, end = written.span(*match.span())
        return Written(text, [start] * len(text), [end] * len(text))

    return _replaced(_markup, written, plain)


def _unpaired(pair: re.Pattern[str], written: Written) -> Written:
    """Return what is left when the marks of each pair are gone."""
    return _replaced(pair, written, lambda match: written.part(*match.span(2)))


def _edges(written: Written) -> Written:
    start = match.end() if (match := _edge.match(written.text)) else 0
    text = written.text[start:]
    return written.part(start, start + len(text.rstrip("*_`")))


def _replaced(marks: re.Pattern[str], written: Written, by: Callable[[re.Match[str]], Written]) -> Written:
    pieces: list[Written] = []
    done = 0
    for match in marks.finditer(written.text):
        pieces += written.part(done, match.start()), by(match)
        done = match.end()
    pieces.append(written.part(done, len(written.text)))
    return Written(
        "".join(piece.text for piece in pieces),
        [at for piece in pieces for at in piece.starts],
        [at for piece in pieces for at in piece.ends],
    )
