"""Text -> what stands between quotation marks, of every kind."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple


class Quoted(NamedTuple):
    """`[start, end)` with its marks, and `[first, last)` without them."""

    start: int
    first: int
    last: int
    end: int


class _Mark(NamedTuple):
    text: str
    start: int
    end: int


# kinds of marks that do not mix: those that open, those that close
_kinds = (
    ("「", "」"),
    ("『", "』"),
    ("｢", "｣"),
    ("﹁", "﹂"),
    ("﹃", "﹄"),
    ("〝", "〞〟"),
    ("“„‟", "”"),
    ("«", "»"),
    ("‹", "›"),
)
_either_way = "“«‹"  # of these kinds the marks are also written the wrong way round: ”text“, »text«
_kind = {mark: number for number, (opening, closing) in enumerate(_kinds) for mark in opening + closing}
_marks = re.compile(f"[{''.join(_kind)}]|[\"＂]+|['＇‘’‚]")
_not_prose = re.compile(r"<[A-Za-z/][^<>\n]*+>|(?<=\])\([^()\s]*+[^\S\n]++[\"'][^()\n]*+\)")  # tags; titles of links
_han = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_character = re.compile(f"[{_han}]")
_word = re.compile(rf"[^\W_{_han}]+")
_openers = "".join(opening for opening, _ in _kinds)
MIXED = 400  # characters between marks of two kinds: what is longer is no quotation with a wrong mark
HAN, WORDS = 6, 4  # what is at least between single quotation marks: shorter, they may be apostrophes


def quoted(text: str) -> list[Quoted]:
    """Return what stands between quotation marks in `text`, in order; of nested ones the outermost.

    A mark that is not closed quotes nothing, nor do marks with nothing between them. 《》 are titles.
    """
    if not _marks.search(text):
        return []
    prose = _not_prose.sub(lambda found: " " * len(found[0]), text) if "<" in text or "](" in text else text
    marks: dict[int, list[_Mark]] = {}  # by kind
    straight: list[_Mark] = []
    single: list[_Mark] = []
    for found in _marks.finditer(prose):
        mark = _Mark(found[0], found.start(), found.end())
        number = _kind.get(mark.text)
        if number is not None:
            marks.setdefault(number, []).append(mark)
        else:
            (straight if mark.text[0] in '"＂' else single).append(mark)
    pairs = [pair for number, of_kind in marks.items() for pair in _directed(of_kind, _kinds[number][0])]
    pairs += _straight(prose, straight)
    if len(pairs) * 2 < sum(map(len, marks.values())) + len(straight):
        pairs += _mixed([mark for of_kind in (*marks.values(), straight) for mark in of_kind], pairs)
    outermost = _outermost(prose, pairs)
    if single:
        within = [pair.start for pair in outermost]
        free = [
            mark
            for mark in single
            if not (place := bisect_right(within, mark.start)) or outermost[place - 1].end <= mark.start
        ]
        outermost = _outermost(prose, [*outermost, *_single(prose, free)])
    return outermost


def _outermost(text: str, pairs: Iterable[Quoted]) -> list[Quoted]:
    kept: list[Quoted] = []
    for pair in sorted(pairs):
        if (not kept or pair.start >= kept[-1].end) and text[pair.first : pair.last].strip():
            kept.append(pair)
    return kept


def _pair(opened: _Mark, closed: _Mark) -> Quoted:
    return Quoted(opened.start, opened.end, closed.start, closed.end)


def _directed(marks: list[_Mark], opening: str) -> list[Quoted]:
    """Return the pairs of marks that differ at both ends; where they do not match up, one after the other."""
    pairs: list[Quoted] = []
    opened: list[_Mark] = []
    stray = False
    for mark in marks:
        if mark.text in opening and not (mark.text == "“" and opened and opened[-1].text == "„"):
            opened.append(mark)
        elif opened:
            pairs.append(_pair(opened.pop(), mark))
        else:
            stray = True
    if (stray or opened) and opening[0] in _either_way and len(marks) % 2 == 0:
        return [_pair(*two) for two in zip(marks[::2], marks[1::2], strict=True)]
    return pairs


def _straight(text: str, marks: list[_Mark]) -> list[Quoted]:
    """Return the pairs of marks that are the same at both ends; what is beside them tells the ends apart.

    Beside Han, where no spaces stand, they take turns. After a digit a mark opens nothing: 5" pipe.
    """
    pairs: list[Quoted] = []
    opened: list[_Mark] = []
    for mark in marks:
        before, after = text[mark.start - 1 : mark.start], text[mark.end : mark.end + 1]
        double = len(mark.text) == 2
        closes = before and (not before.isspace() or not after or after.isspace() or after in "，。；：！？、）,.;:!?)")
        opens = after and (not after.isspace() or not before or before.isspace()) and not before.isdecimal()
        if opened and closes and (len(opened[-1].text) == 2) == double:
            pairs.append(_pair(opened.pop(), mark))
        elif opened and closes and double:  # "one""two"
            pairs.append(_pair(opened.pop(), _Mark(mark.text[0], mark.start, mark.start + 1)))
            opened.append(_Mark(mark.text[0], mark.start + 1, mark.end))
        elif opens and len(mark.text) < 3:
            opened.append(mark)
    return pairs


def _mixed(marks: list[_Mark], pairs: Iterable[Quoted]) -> Iterator[Quoted]:
    """Yield the pairs of marks of two kinds, “so」, that are left over one beside the other."""
    paired = {at for pair in pairs for at in (pair.start, pair.last)}
    loose = sorted((mark for mark in marks if mark.start not in paired), key=lambda mark: mark.start)
    for one, other in pairwise(loose):
        if one.text in _openers and other.text not in _openers and other.start - one.end <= MIXED:
            yield _pair(one, other)


def _single(text: str, marks: list[_Mark]) -> list[Quoted]:
    """Return the pairs of single marks that cannot be apostrophes."""
    characters = [found.start() for found in _character.finditer(text)]
    words = [found.end() for found in _word.finditer(text)]
    closing = [mark for mark in marks if mark.text != "‚" and _closes(text, mark)]
    ends = [mark.start for mark in closing]
    opening = [mark for mark in marks if mark.text != "’" and _opens(text, mark)]
    starts = [mark.start for mark in opening]
    pairs: list[Quoted] = []
    for mark in opening:
        if pairs and mark.start < pairs[-1].end:
            continue
        enough = [
            places[place]
            for places, place in (
                (characters, bisect_left(characters, mark.end) + HAN - 1),
                (words, bisect_left(words, mark.end + 1) + WORDS - 1),
            )
            if place < len(places)
        ]
        close = bisect_left(ends, min(enough)) if enough else len(ends)
        nearest = bisect_left(ends, mark.end)
        if close < len(ends) and bisect_left(starts, ends[nearest] + 1) >= bisect_left(starts, ends[close]):
            pairs.append(_pair(mark, closing[close]))  # and no other opens after one that closes
    return pairs


def _is_letter(character: str) -> bool:
    """Return whether an apostrophe may stand beside it: a letter or a digit, not Han."""
    return bool(_word.match(character))


def _opens(text: str, mark: _Mark) -> bool:
    after = text[mark.end : mark.end + 1]
    return bool(after) and not after.isspace() and not _is_letter(text[mark.start - 1 : mark.start])


def _closes(text: str, mark: _Mark) -> bool:
    before = text[mark.start - 1 : mark.start]
    return bool(before) and not before.isspace() and not _is_letter(text[mark.end : mark.end + 1])
