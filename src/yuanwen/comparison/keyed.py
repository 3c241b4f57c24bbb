"""The key of a long text, in which words are looked up, and the way back from it to the text."""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, chain, pairwise, repeat

from yuanwen.comparison.sameness import SIMPLIFIED, every, in_either_script, inner_hyphen, key

MANY = 200  # different characters that are replaced one after another sooner than each is looked up
_HAN = ("\u4e00", "\u9fff")  # of these, those that have a simplified form fold, and no other
_FREQUENT = "，。、；：（）"  # these fold, and most texts have them
_block = re.compile("(?s).{256}.*?[^\\W\\d_](?=[^\\W\\d_])|.+")  # nothing that folds reaches over its end
_dropped = re.compile(r"\s+|(?<=-)-+|(?<=\.\.\.)\.+")


class Keyed:
    """The key of a text, with the way back to the text by blocks, which are looked into when first needed."""

    def __init__(self, text: str) -> None:
        text = self._source = in_either_script(text)
        self._blocks = [match.span() for match in _block.finditer(text)]
        self._starts = [start for start, _ in self._blocks]
        text, odd = _evenly(text)
        self._odd = {bisect_right(self._starts, at) - 1 for at in odd}
        parts = ["".join(text[start:end].split()) for start, end in self._blocks]
        for number in self._odd:
            parts[number] = key(text[slice(*self._blocks[number])])
        self.text = "".join(parts)
        self._offsets = [0, *accumulate(map(len, parts))]  # in `text`, of each block and of the end
        self._maps: dict[int, Sequence[int]] = {}

    def source(self, at: int) -> int:
        """Return the offset in the source of the character that `text[at]` came from."""
        number = bisect_right(self._offsets, at) - 1
        start, rest = self._starts[number], at - self._offsets[number]
        if number in self._odd:
            return self._places(number)[rest]
        place = start + rest
        while (further := place + 1 + rest - self._words(start, place + 1)) > place:
            place = further
        return place

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the source of `text[start:end]`, which is not empty; None if that cuts a character in two."""
        first, last = self.source(start), self.source(end - 1)
        if start and self.source(start - 1) == first:
            return None
        if end < len(self.text) and (self.source(end) == last or _goes_on(self.text[end])):
            return None
        return first, last + 1

    def at(self, place: int) -> int:
        """Return the offset in `text` of what stands at or after an offset of the source."""
        number = bisect_right(self._starts, place) - 1
        if number < 0:
            return 0
        if number in self._odd:
            return self._offsets[number] + bisect_left(self._places(number), place)
        return self._offsets[number] + self._words(self._starts[number], place)

    def about(self, start: int, end: int) -> tuple[int, int]:
        """Return a span of `text` that holds what stands from `start` to `end` of the source, without looking there."""
        first, last = bisect_right(self._starts, start) - 1, bisect_left(self._starts, end)
        return self._offsets[max(0, first)], self._offsets[last]

    def _words(self, start: int, end: int) -> int:
        """Return how many characters that are not white space stand there in the source."""
        return len("".join(self._source[start:end].split()))

    def _places(self, number: int) -> Sequence[int]:
        """Return the offset in the source of each character that an odd block gave."""
        if number not in self._maps:
            start, end = self._blocks[number]
            self._maps[number] = _oddly(self._source[start:end], start)
        return self._maps[number]


def _evenly(text: str) -> tuple[str, list[int]]:
    """Return a text with each character folded that folds to one, and where something else than that has to be done.

    Few different characters of a text fold: these are replaced in the whole text one after another, which takes half
    the time.
    """
    for character in _FREQUENT:
        text = text.replace(character, every[ord(character)])
    folded = {character: every[ord(character)] for character in set(_unsteady().findall(text))}
    even = {character: to for character, to in folded.items() if len(to) == 1 and to != character}
    if len(even) > MANY:
        text = text.translate({ord(character): to for character, to in even.items()})
    else:
        for character, to in even.items():
            text = text.replace(character, to)
    others = [re.escape(character) for character, to in folded.items() if len(to) != 1]
    marks = [f"[{''.join(others)}]"] * bool(others) + ["-"] * ("-" in text) + [r"\.{4}"] * ("...." in text)
    return text, [found.start() for mark in marks for found in re.finditer(mark, text)]


@cache
def _unsteady() -> re.Pattern[str]:
    """Return what finds all characters that fold, and some that do not."""
    folding = [chr(ord(_HAN[0]) - 1), *sorted(c for c in SIMPLIFIED if _HAN[0] <= c <= _HAN[1]), chr(ord(_HAN[1]) + 1)]
    steady = [
        f"{chr(ord(one) + 1)}-{chr(ord(other) - 1)}" for one, other in pairwise(folding) if ord(one) + 1 < ord(other)
    ]
    return re.compile(f"[^a-z0-9 \n,.;:(){''.join(steady)}]")


def _oddly(block: str, start: int) -> Sequence[int]:
    """Return where each character of the key of a block, which starts at `start`, comes from."""
    lengths = map(len, map(every.__getitem__, map(ord, block)))
    places = array("I", chain.from_iterable(map(repeat, range(start, start + len(block)), lengths)))
    folded, places = _kept(block.translate(every), places, _dropped)
    return _kept(folded, places, inner_hyphen)[1]


def _kept(text: str, places: "array[int]", dropped: re.Pattern[str]) -> "tuple[str, array[int]]":
    """Return a text without what is dropped, and the places of what is kept."""
    kept, done = array("I"), 0
    for gap in dropped.finditer(text):
        kept += places[done : gap.start()]
        done = gap.end()
    return dropped.sub("", text), kept + places[done:]


def _goes_on(character: str) -> bool:
    return unicodedata.combining(character) > 0 or "\u1160" <= character <= "\u11ff"
