"""Stretches of a long text that are like a short one: found by what they have in common, then fitted to it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import ne

from yuanwen.comparison.places import GRAM, SMALL, Places

WINDOWS = 3  # as many places are looked at closely
LONG = 24  # what is sought has two marks in common with a place that is looked at
LONGEST = 5000  # characters: for what is longer no stretch is sought that is only like it
ALIKE = 0.45  # what is less so is not looked at closely
LESS = 0.2  # nor what is so much less alike than something else


def like(sought: str, places: Places, first: int, last: int) -> Iterator[tuple[int, int, float]]:
    """Yield stretches from `first` to `last` of a text with the fewest edits from what is sought, each the best of its
    place, and how alike they are; none that is far less alike than one before.

    That takes time by the square of its length, so there is a limit.
    """
    if not 0 < len(sought) <= LONGEST or first >= last:
        return
    if last - first <= SMALL and (at := _one_off(sought, places.text, first, last)) is not None:
        yield at, at + len(sought), 1 - 1 / len(sought)
        return
    margin = max(16, len(sought) // 2)
    best = 0.0
    for at in _windows(sought, places, first, last):
        start, end = max(first, at - margin), min(last, at + len(sought) + margin)
        if found := _nearest(sought, places.text, start, end, max(ALIKE, best - LESS)):
            likeness = similarity(sought, places.text[slice(*found)])
            best = max(best, likeness)
            yield *found, likeness


def distance(one: str, other: str, most: int) -> int | None:
    """Return the fewest edits that make one word another, None if they are more than `most`.

    An edit changes, adds or drops a character, or exchanges two neighbours (optimal string alignment).
    """
    from rapidfuzz.distance import OSA  # here, since a search needs none

    fewest = OSA.distance(one, other, score_cutoff=most)
    return fewest if fewest <= most else None


def _nearest(sought: str, text: str, first: int, last: int, least: float) -> tuple[int, int] | None:
    """Return the span in `text[first:last]` with the fewest edits, None if what is there is not alike enough."""
    from rapidfuzz import fuzz  # here, since a search needs none

    if (at := _one_off(sought, text, first, last)) is not None:
        return at, at + len(sought)
    if not fuzz.partial_ratio(sought, text[first:last], score_cutoff=100 * least):
        return None
    start, end = fitted(sought, text[first:last])
    return (first + start, first + end) if end else None


def _one_off(sought: str, text: str, first: int, last: int) -> int | None:
    """Return where a stretch begins of which one character is another one inside of what is sought, None if none does.

    That is the usual change, and the fewest edits of what does not stand there.
    """
    size, half = len(sought), len(sought) // 2
    for part, offset in ((sought[:half], 0), (sought[half:], half)):
        at = text.find(part, first, last) - offset
        stretch = text[at : at + size] if first <= at <= last - size else " "
        if stretch[0] == sought[0] and stretch[-1] == sought[-1] and sum(map(ne, sought, stretch)) == 1:
            return at
    return None


def _windows(sought: str, places: Places, first: int, last: int) -> list[int]:
    """Return where in the text what is sought may start, the likeliest first."""
    width = max(16, len(sought) // 4)
    votes: Counter[int] = Counter()
    for offset, stands in places.seeds(sought, first, last):
        votes.update([(at - offset) // width for at in stands])
    if votes and (len(sought) < LONG or max(votes.values()) > 1):
        return [number * width + width // 2 for number in _apart(votes)]
    return _looked_through(sought, places.text, first, last) if last - first <= SMALL else []


def _apart(votes: Counter[int]) -> list[int]:
    """Return the numbers with the most votes, without neighbours and without those that have far fewer."""
    found: list[int] = []
    most = max(votes.values())
    for number, count in votes.most_common(4 * WINDOWS):
        if len(found) < WINDOWS and 4 * count >= most and all(abs(number - other) > 1 for other in found):
            found.append(number)
    return found


def _looked_through(sought: str, text: str, first: int, last: int) -> list[int]:
    from rapidfuzz import fuzz

    found = fuzz.partial_ratio_alignment(sought, text[first:last], score_cutoff=100 * ALIKE)
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
