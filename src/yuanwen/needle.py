"""Words looked for in a text itself: the index finds candidates, this decides, and says where they stand.

Words stand in a text `verbatim` when it holds the very string. They stand there `folded` when the folded text holds
the folded words, where white space counts for nothing beside characters of cut script and as one space elsewhere, and
a word may go on in the next line after a hyphen.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from yuanwen import analysis

Span = tuple[int, int]


class Needle:
    """One string to be found wherever it stands, even inside of a word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = analysis.fold(text.strip())

    def spans(self, text: str) -> tuple[list[Span], bool]:
        """Return the spans of `text` where the needle stands, and whether it stands there verbatim."""
        found = list(occurrences(self.text, text))
        if found or not self.folded:
            return found, True
        folding = analysis.Folding(text)
        spans = [folding.span(*match.span()) for match in self.pattern.finditer(folding.text) if match[0]]
        return [(start, end) for start, end in spans if end > start], False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of the folded needle in a folded text."""
        return re.compile(spaced(self.folded))


def occurrences(needle: str, text: str) -> Iterator[Span]:
    """Yield where a string stands in a text, from left to right and not overlapping."""
    at = text.find(needle)
    while at >= 0:
        yield at, at + len(needle)
        at = text.find(needle, at + len(needle))


def spaced(folded: str) -> str:
    """Return a pattern for folded words in which white space may differ, as the module says."""
    parts: list[str] = []
    previous = ""
    space = False
    for character in folded:
        if character.isspace():
            space = True
            continue
        if previous and (analysis.is_cut(previous) or analysis.is_cut(character)):
            parts.append(r"\s*")
        elif previous and space:
            parts.append(r"\s+")
        elif previous.isalpha() and character.isalpha():
            parts.append(f"(?:{analysis.BROKEN})?")
        parts.append(re.escape(character))
        previous, space = character, False
    return "".join(parts)


class WholeWords:
    """Words to be found in a folded text where they start and end as words do; a `prefix` only starts so."""

    def __init__(self, text: str, *, prefix: bool = False) -> None:
        self._pattern = re.compile(spaced(analysis.fold(text.strip())))
        self._prefix = prefix

    def stand(self, folded: str) -> Iterator[Span]:
        """Yield where the words stand."""
        for match in self._pattern.finditer(folded):
            start, end = match.span()
            if end > start and self._starts(folded, start) and (self._prefix or self._ends(folded, end)):
                yield start, end

    @staticmethod
    def _starts(folded: str, at: int) -> bool:
        return at == 0 or not (analysis.in_word(folded[at - 1]) and analysis.in_word(folded[at]))

    @staticmethod
    def _ends(folded: str, at: int) -> bool:
        return at == len(folded) or not (analysis.in_word(folded[at - 1]) and analysis.in_word(folded[at]))


def near(sought: list[WholeWords], distance: int, folded: str) -> bool:
    """Return whether all stand with at most `distance` words or characters of cut script between them."""
    starts = analysis.units(folded)
    places: list[list[Span]] = []
    for words in sought:
        found = [(bisect_left(starts, start), bisect_left(starts, end)) for start, end in words.stand(folded)]
        places.append([span for span in found if span[1] > span[0]])
    last: dict[int, Span] = {}
    for span, which in sorted((span, which) for which, spans in enumerate(places) for span in spans):
        last[which] = span
        if len(last) == len(places) and _spread(tuple(last.values())) <= distance:
            return True
    return False


def _spread(spans: tuple[Span, ...]) -> int:
    whole = max(end for _, end in spans) - min(start for start, _ in spans)
    return whole - sum(end - start for start, end in spans)
