"""Stretches of a long text that are like a short one: found by what they have in common, then fitted to it."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

Places = Mapping[str, Sequence[int]]  # a mark -> where it stands in a text

GRAM, STRIDE = 4, 2  # of marks: two texts with 5 characters in common have a mark in common
SEEDS = 24  # as many marks of the sought are looked at, the rarest first
WINDOWS = 3  # as many places are looked at closely
SHORT = 12  # of what is looked for at first
LONG = 24  # what is sought has two marks in common with a place that is looked at
ALIKE = 45  # percent: what is less so is not looked at closely
SMALL = 4000  # a text up to this length is looked through where no mark is found


def noted(sought: Iterable[str], text: str) -> Places:
    """Return where the marks of all that is sought stand in a text."""
    places = {mark: array("I") for words in sought for mark, _ in _marks(words)}
    for at in range(0, len(text), STRIDE):
        if (mark := text[at : at + GRAM]) in places:
            places[mark].append(at)
    return places


def like(sought: str, text: str, first: int, last: int, places: Places) -> Iterator[tuple[int, int]]:
    """Yield stretches of `text[first:last]` with the fewest edits from what is sought, each the best of its place.

    Where marks are not in `places` the text is searched for them.
    """
    from rapidfuzz import fuzz  # here, since a search needs none

    if not sought or first >= last:
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
    marks = list(_marks(sought))
    if all(mark in places for mark, _ in marks):
        found = [(offset, places.get(mark, ())) for mark, offset in marks]
        found = sorted((pair for pair in found if pair[1]), key=lambda pair: len(pair[1]))[:SEEDS]
    else:
        found = [
            (offset, list(occurrences(mark, text, first, last))) for mark, offset in marks[:: 1 + len(marks) // SEEDS]
        ]
    for offset, stands in found:
        for at in stands:
            if first <= at < last:
                votes[(at - offset) // width] += 1
    if votes and (len(sought) < LONG or max(votes.values()) > 1):
        return [number * width + width // 2 for number in _apart(votes)]
    return _looked_through(sought, text, first, last) if last - first <= SMALL else []


def _apart(votes: Counter[int]) -> list[int]:
    """Return the numbers with the most votes, without neighbours and without those that have far fewer."""
    found: list[int] = []
    most = max(votes.values())
    for number, count in votes.most_common(4 * WINDOWS):
        if len(found) < WINDOWS and 4 * count >= most and all(abs(number - other) > 1 for other in found):
            found.append(number)
    return found


def _marks(sought: str) -> Iterator[tuple[str, int]]:
    for at in range(max(1, len(sought) - GRAM + 1)):
        yield sought[at : at + GRAM], at


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
    heads = (sought[at : at + GRAM] for at in range(STRIDE))
    return len(sought) >= GRAM + STRIDE - 1 and all(mark in places for mark in heads)


def standing(sought: str, text: str, first: int, last: int, places: Places) -> Iterator[int]:
    """Yield what `occurrences` does, at once if the marks of what is sought are in `places`."""
    if not is_noted(sought, places):
        yield from occurrences(sought, text, first, last)
        return
    noted = [places.get(mark) for mark, _ in _marks(sought[:LONG])]
    _, start = min(
        (sum(len(at or ()) for at in noted[offset : offset + STRIDE]), offset)
        for offset in range(len(noted) - STRIDE + 1)
        if None not in noted[offset : offset + STRIDE]
    )
    for at in sorted(at - offset for offset in range(start, start + STRIDE) for at in noted[offset] or ()):
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
