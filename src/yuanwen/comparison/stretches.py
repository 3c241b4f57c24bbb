"""Stretches of a long text that are like a short one: found by what they have in common, then fitted to it."""

import re
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import compress, islice
from typing import NamedTuple

GRAM, STRIDE = 4, 2  # of marks: two texts with 5 characters in common have a mark in common
SEEDS = 24  # as many marks of the sought are looked at, the rarest first
MANY = 10_000  # about as many places of marks
WINDOWS = 3  # as many places are looked at closely
SHORT = 12  # of what is looked for at first
LONG = 24  # what is sought has two marks in common with a place that is looked at
LONGEST = 5000  # characters: for what is longer no stretch is sought that is only like it
ALIKE = 45  # percent: what is less so is not looked at closely
_wide = re.compile("[\U00010000-\U0010ffff]")
SMALL = 4000  # a text up to this length is searched, however many marks are noted, and looked through if it has none


class Places(NamedTuple):
    """Where marks stand in a text: those of `marks` that it has, every STRIDE characters."""

    marks: frozenset[int] = frozenset()
    at: Mapping[int, Sequence[int]] = {}

    def within(self, mark: int, first: int, last: int, most: int | None = None) -> Sequence[int]:
        """Return where a mark stands from `first` to `last`, the first `most` places."""
        places = self.at.get(mark, ())
        start, end = bisect_left(places, first), bisect_left(places, last)
        return places[start : end if most is None else min(end, start + most)]


def marks(sought: str) -> list[int]:
    """Return the marks of what is sought, that of each offset, as numbers."""
    units = _units(sought)
    return [int.from_bytes(units[at : at + 2 * GRAM], sys.byteorder) for at in range(0, len(units) - 2 * GRAM + 1, 2)]


def _units(text: str) -> bytes:
    """Return two bytes for each character; those for which that is not enough are all the same."""
    return _wide.sub("\ufffd", text).encode("utf-16-le", "surrogatepass")


def noted(marks: frozenset[int], text: str) -> Places:
    """Return where marks stand in a text."""
    at = defaultdict[int, list[int]](list)
    units = memoryview(_units(text))
    for first in range(0, min(GRAM, len(text)), STRIDE):
        numbers = units[2 * first : 2 * (len(text) - (len(text) - first) % GRAM)].cast("Q")
        is_marked = list(map(marks.__contains__, numbers))
        stands = compress(range(first, len(text), GRAM), is_marked)
        for mark, place in zip(compress(numbers, is_marked), stands, strict=True):
            at[mark].append(place)
    for places in at.values():
        places.sort()
    return Places(marks, at)


def like(sought: str, text: str, first: int, last: int, places: Places) -> Iterator[tuple[int, int]]:
    """Yield stretches of `text[first:last]` with the fewest edits from what is sought, each the best of its place.

    That takes time by the square of its length, so there is a limit. Where marks are not in `places` the text is
    searched for them.
    """
    from rapidfuzz import fuzz  # here, since a search needs none

    if not 0 < len(sought) <= LONGEST or first >= last:
        return
    margin = max(16, len(sought) // 2)
    for at in _windows(sought, text, first, last, places):
        start, end = max(first, at - margin), min(last, at + len(sought) + margin)
        window = text[start:end]
        if fuzz.partial_ratio(sought, window, score_cutoff=ALIKE) and (found := fitted(sought, window))[1]:
            yield start + found[0], start + found[1]


def _windows(sought: str, text: str, first: int, last: int, places: Places) -> list[int]:
    """Return where in the text what is sought may start, the likeliest first."""
    width = max(16, len(sought) // 4)
    votes: Counter[int] = Counter()
    for offset, stands in _seeds(sought, text, first, last, places):
        votes.update([(at - offset) // width for at in stands])
    if votes and (len(sought) < LONG or max(votes.values()) > 1):
        return [number * width + width // 2 for number in _apart(votes)]
    return _looked_through(sought, text, first, last) if last - first <= SMALL else []


def _seeds(sought: str, text: str, first: int, last: int, places: Places) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield offsets of rare marks of what is sought, and where these stand in `text[first:last]`."""
    if last - first <= SMALL or not places.marks.issuperset(own := marks(sought)):
        offsets = range(max(1, len(sought) - GRAM + 1))
        for offset in offsets[:: 1 + len(offsets) // SEEDS]:
            mark = sought[offset : offset + GRAM]
            yield offset, list(islice(occurrences(mark, text, first, last), MANY))
        return
    found = [(offset, places.within(mark, first, last, MANY)) for offset, mark in enumerate(own)]
    found = sorted((pair for pair in found if pair[1]), key=lambda pair: len(pair[1]))[:SEEDS]
    seen = 0
    for offset, stands in found:
        if seen < MANY:
            yield offset, stands
        seen += len(stands)


def _apart(votes: Counter[int]) -> list[int]:
    """Return the numbers with the most votes, without neighbours and without those that have far fewer."""
    found: list[int] = []
    most = max(votes.values())
    for number, count in votes.most_common(4 * WINDOWS):
        if len(found) < WINDOWS and 4 * count >= most and all(abs(number - other) > 1 for other in found):
            found.append(number)
    return found


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


def is_noted(sought: str, places: Places) -> bool:
    """Return whether every place where this stands has a mark in `places`."""
    return len(sought) >= GRAM + STRIDE - 1 and places.marks.issuperset(marks(sought[:LONG]))


def standing(sought: str, text: str, first: int, last: int, places: Places) -> Iterator[int]:
    """Yield what `occurrences` does, at once if the marks of what is sought are in `places`."""
    if last - first <= SMALL or not is_noted(sought, places):
        yield from occurrences(sought, text, first, last)
        return
    own = marks(sought[:LONG])
    sizes = [len(places.at.get(mark, ())) for mark in own]
    rare = [sum(sizes[offset : offset + STRIDE]) for offset in range(len(own) - STRIDE + 1)]
    start = rare.index(min(rare))
    rows = [[at - o for at in places.within(own[o], first, last)] for o in range(start, start + STRIDE)]
    for at in merge(*rows):
        if first <= at <= last - len(sought) and text.startswith(sought, at):
            yield at


def _looked_through(sought: str, text: str, first: int, last: int) -> list[int]:
    from rapidfuzz import fuzz

    found = fuzz.partial_ratio_alignment(sought, text[first:last], score_cutoff=ALIKE)
    return [first + found.dest_start - found.src_start] if found else []


def fitted(sought: str, text: str) -> tuple[int, int]:
    """Return the shortest span of a text with the fewest edits from what is sought (Myers, J. ACM 46, 1999)."""
    head, tail = sought[:GRAM], sought[-GRAM:]
    if text.count(head) == text.count(tail) == 1 and (start := text.find(head)) < (end := text.find(tail)):
        return start, end + len(tail)
    distance, end = _end(sought, text, anchored=False)
    _, length = _end(sought[::-1], text[:end][::-1][: len(sought) + distance + 1], anchored=True)
    return end - length, end


def _end(sought: str, text: str, *, anchored: bool) -> tuple[int, int]:
    """Return the least number of edits that make what is sought of a stretch of a text, and where that ends first.

    Anchored, the stretch starts where the text does. A column of the table of edits is two integers, whose bits say
    where it goes up and down.
    """
    top = 1 << (len(sought) - 1)
    every = (top << 1) - 1
    equal: dict[str, int] = {}
    for place, character in enumerate(sought):
        equal[character] = equal.get(character, 0) | 1 << place
    up, down, edits = every, 0, len(sought)
    best = edits, 0
    for at, character in enumerate(text, 1):
        here = equal.get(character, 0)
        vertical = here | down
        level = (((here & up) + up) ^ up) | here
        rise = down | (every & ~(level | up))
        fall = up & level
        edits += bool(rise & top) - bool(fall & top)
        rise = rise << 1 | anchored
        up = (fall << 1 | ~(vertical | rise)) & every
        down = rise & vertical & every
        if edits < best[0]:
            best = edits, at
    return best


# ----------------------------------------------------------------------------------------- likeness


def similarity(one: str, other: str) -> float:
    """Return how much of two texts is the same, from 0 to 1: twice the longest common subsequence by the lengths."""
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(one, other)


def edits(original: Sequence[str], quoted: Sequence[str]) -> Iterator[tuple[bool, tuple[int, int, int, int]]]:
    """Yield whether two rows are the same from `i` to `k` of the first and `j` to `m` of the second, `(i, k, j, m)`.

    These tile the rows, with the fewest edits (Levenshtein).
    """
    from rapidfuzz.distance import Levenshtein

    for code in Levenshtein.opcodes(original, quoted):
        yield code.tag == "equal", (code.src_start, code.src_end, code.dest_start, code.dest_end)
