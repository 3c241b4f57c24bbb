"""Where strings stand in a long text: many of them are found in one pass over it."""

import re
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, islice

GRAM = 4  # characters in a row that are a mark
LONG = 4 * GRAM - 1  # characters of a string that has two marks in a row at every eighth place
STRIDE = 2  # places of a text that are looked at for seeds: two texts with 5 characters in common have one in common
SEEDS = 24  # as many marks of what is sought are looked at, the rarest first
MANY = 10_000  # about as many places of them
SHORT = 12  # of what is looked for at first
SMALL = 4000  # a text up to this length is searched each time
_wide = re.compile("[\U00010000-\U0010ffff]")


class Places:
    """Where strings stand in `text`; those that are named at the start are looked for together, when the first is."""

    def __init__(self, text: str, soughts: Collection[str] = ()) -> None:
        self.text = text
        self._soughts = frozenset(soughts)
        self._middles = {sought: _middle(sought) for sought in soughts if len(sought) >= 2 * GRAM - 1}
        self._last: tuple[str, list[int]] = "", []  # what was looked for last, which is often looked for again

    def knows(self, sought: str) -> bool:
        """Return whether a string is found without a search of its own."""
        return sought in self._middles

    def find(self, sought: str, first: int, last: int) -> Iterator[int]:
        """Yield where a string stands in `text[first:last]`, also overlapping, from left to right."""
        if last - first <= SMALL or not self.knows(sought):
            yield from occurrences(sought, self.text, first, last)
            return
        asked, places = self._last
        if asked != sought:
            places = self._known(sought)
            self._last = sought, places
        yield from places[bisect_left(places, first) : bisect_right(places, last - len(sought))]

    def _known(self, sought: str) -> list[int]:
        """Return all places where a string stands that is known."""
        offset, own = self._middles[sought]
        noted = self._short if len(own) == GRAM else self._long
        rows = [[at - o for at in noted.get(mark, ())] for o, mark in enumerate(own, offset)]
        return [at for at in sorted(chain(*rows)) if at >= 0 and self.text.startswith(sought, at)]

    def seeds(self, sought: str, first: int, last: int) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield offsets of rare marks of a string, and where these stand in `text[first:last]`."""
        if last - first <= SMALL or sought not in self._soughts:
            offsets = range(max(1, len(sought) - GRAM + 1))
            for offset in offsets[:: 1 + len(offsets) // SEEDS]:
                mark = sought[offset : offset + GRAM]
                yield offset, list(islice(occurrences(mark, self.text, first, last), MANY))
            return
        found = [
            (offset, _within(self._seeds[mark], first, last, MANY))
            for offset, mark in enumerate(marks(sought))
            if mark in self._seeds
        ]
        seen = 0
        for offset, stands in sorted(found, key=lambda pair: len(pair[1]))[:SEEDS]:
            if seen < MANY and stands:
                yield offset, stands
            seen += len(stands)

    @cached_property
    def _long(self) -> Mapping[int, Sequence[int]]:
        """Where marks of the middles of long strings stand, of every eighth place of the text, and then another one."""
        text = self.text
        offsets = [(sought, offset) for sought, (offset, own) in self._middles.items() if len(own) > GRAM]
        further = {sought[at : at + GRAM] for sought, o in offsets for at in range(o + GRAM, o + 3 * GRAM)}
        noted = _noted(self._of_middles(2 * GRAM), text, range(0, 1), 2 * GRAM)
        return {
            mark: [at for at in places if text[at + GRAM : at + 2 * GRAM] in further] for mark, places in noted.items()
        }

    @cached_property
    def _short(self) -> Mapping[int, Sequence[int]]:
        """Where marks of the middles of short strings stand, of every fourth place of the text."""
        return _noted(self._of_middles(GRAM), self.text, range(0, 1), GRAM)

    @cached_property
    def _seeds(self) -> Mapping[int, Sequence[int]]:
        """Where any marks of the strings stand, of every other place of the text."""
        return _noted(set(chain.from_iterable(map(marks, self._soughts))), self.text, range(0, GRAM, STRIDE), GRAM)

    def _of_middles(self, number: int) -> set[int]:
        """Return the marks of all middles that have so many."""
        return {mark for _, own in self._middles.values() if len(own) == number for mark in own}


def marks(sought: str) -> list[int]:
    """Return the marks of a string, that of each offset, as numbers."""
    units = _units(sought)
    return [int.from_bytes(units[at : at + 2 * GRAM], sys.byteorder) for at in range(0, len(units) - 2 * GRAM + 1, 2)]


def _middle(sought: str) -> tuple[int, list[int]]:
    """Return marks in the middle of a string, 2 GRAM of a long one, else GRAM, and the offset of the first.

    Wherever the string stands, one of them is at one of the places that are noted.
    """
    if len(sought) >= LONG:
        offset = (len(sought) - LONG) // 2
        return offset, marks(sought[offset : offset + LONG - GRAM])
    offset = (len(sought) - 2 * GRAM + 1) // 2
    return offset, marks(sought[offset : offset + 2 * GRAM - 1])


def _units(text: str) -> bytes:
    """Return two bytes for each character; those for which that is not enough are all the same."""
    return _wide.sub("\ufffd", text).encode("utf-16-le", "surrogatepass")


def _noted(marks: set[int], text: str, starts: Iterable[int], step: int) -> Mapping[int, Sequence[int]]:
    """Return where marks stand in a text, of each `step`-th place from each of the `starts`."""
    at = defaultdict[int, list[int]](list)
    units = memoryview(_units(text))
    for first in starts:
        size = max(0, len(text) - first) // GRAM * GRAM
        numbers = units[2 * first : 2 * (first + size)].cast("Q")[:: step // GRAM]
        is_marked = list(map(marks.__contains__, numbers))
        places = compress(range(first, first + size, step), is_marked)
        for mark, place in zip(compress(numbers, is_marked), places, strict=True):
            at[mark].append(place)
    for found in at.values():
        found.sort()
    return at


def _within(places: Sequence[int], first: int, last: int, most: int) -> Sequence[int]:
    """Return those of sorted places from `first` to `last`, the first `most`."""
    start, end = bisect_left(places, first), bisect_left(places, last)
    return places[start : min(end, start + most)]


def occurrences(sought: str, text: str, first: int, last: int) -> Iterator[int]:
    """Yield where a string stands in `text[first:last]`, also overlapping.

    Python finds a string of a dozen characters five times as fast as a long one.
    """
    end = last - len(sought)
    at = text.find(sought[:SHORT], first, last)
    while 0 <= at <= end:
        if text.startswith(sought, at):
            yield at
        at = text.find(sought[:SHORT], at + 1, last)
