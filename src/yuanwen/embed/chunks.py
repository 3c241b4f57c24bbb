"""A passage -> the spans of it that are embedded, each by itself: what is long blurs into one vector."""

import re
from collections.abc import Iterator

from yuanwen.sentences import sentences

CHUNKING = 1  # raised when any text would be cut in another way: vectors of before are then of no use
SHORT, LONG = 200, 300  # characters of a chunk
_LEAST = 100  # of the last two: what is left is shared between them

# Where to cut where no sentence ends, the best kind first; each match ends where the next chunk starts.
_PAUSES = (re.compile(r"[；;\n]\s*"), re.compile(r"[，、：]\s*|[,:]\s+"), re.compile(r"\s+"))


def chunks(text: str) -> list[tuple[int, int]]:
    """Return the spans `[start, end)` that tile `text`, in code points; none for a text without letters.

    A text of up to 300 characters is one. Of a longer one each has 200 to 300, the last two 100 to 300. Each ends with
    a sentence if it can, else at a pause, at white space, anywhere: the last ones there, but the last two share alike.
    """
    if not any(map(str.isalpha, text)):
        return []
    return list(_tiles(text))


def _tiles(text: str) -> Iterator[tuple[int, int]]:
    ends = (end for _, end in sentences(text))
    ahead = next(ends) if len(text) > LONG else 0  # the end of a sentence that has not been passed
    start = 0
    while (left := len(text) - start) > LONG:
        is_last = left < 2 * SHORT
        least, most = (start + _LEAST, len(text) - _LEAST) if is_last else (start + SHORT, start + LONG)
        fit: list[int] = []
        while ahead <= most:
            if ahead >= least:
                fit.append(ahead)
            ahead = next(ends)
        fit = fit or _pauses(text, least, most)
        end = min(fit, key=lambda at: abs(at - (len(text) + start) / 2)) if is_last else fit[-1]
        yield start, end
        start = end
    yield start, len(text)


def _pauses(text: str, least: int, most: int) -> list[int]:
    """Return where the best kind of pause between `least` and `most` ends, else `most` alone."""
    for pause in _PAUSES:
        found = [match.end() for match in pause.finditer(text, least - 1, most) if match.end() >= least]
        if found:
            return found
    return [most]
