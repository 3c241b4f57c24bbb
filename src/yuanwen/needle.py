"""Words looked for in a text itself: the index finds candidates, this decides, and says where they stand.

Words stand in a text `verbatim` when it holds the very string. They stand there `folded` when the folded text holds
the folded words, where white space counts for nothing beside characters of cut script and as one space elsewhere.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import product

from yuanwen import analysis

Span = tuple[int, int]

_unit = re.compile(f"[{analysis.CUT}]|{analysis.WORD}+")
_inside_word = re.compile(analysis.WORD)


class Needle:
    """One string to be found wherever it stands, even inside of a word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = analysis.fold(text.strip())

    def spans(self, text: str) -> tuple[list[Span], bool]:
        """Return the spans of `text` where the needle stands, and whether it stands there verbatim."""
        found = list(_occurrences(self.text, text))
        if found or not self.folded:
            return found, True
        folding = analysis.Folding(text)
        spans = [folding.span(*match.span()) for match in self.pattern.finditer(folding.text) if match[0]]
        return [(start, end) for start, end in spans if end > start], False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of the folded needle in a folded text."""
        return re.compile(spaced(self.folded))


def _occurrences(needle: str, text: str) -> Iterator[Span]:
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
        parts.append(re.escape(character))
        previous, space = character, False
    return "".join(parts)


def whole_words(text: str, *, prefix: bool = False) -> re.Pattern[str]:
    """Return a pattern for `text` in a folded text that starts and ends where words do; a `prefix` only starts so."""
    folded = analysis.fold(text.strip())
    before = f"(?<!{analysis.WORD})" if folded and _inside_word.match(folded[0]) else ""
    after = f"(?!{analysis.WORD})" if folded and not prefix and _inside_word.match(folded[-1]) else ""
    return re.compile(before + spaced(folded) + after)


def near(patterns: list[re.Pattern[str]], distance: int, folded: str) -> bool:
    """Return whether all patterns match with at most `distance` words or characters of cut script between them."""
    starts = [match.start() for match in _unit.finditer(folded)]
    places: list[list[Span]] = []
    for pattern in patterns:
        found = [_units(match.span(), starts) for match in pattern.finditer(folded)]
        places.append([span for span in found if span[1] > span[0]][:50])
    return any(_spread(chosen) <= distance for chosen in product(*places))


def _units(span: Span, starts: list[int]) -> Span:
    from bisect import bisect_left

    return bisect_left(starts, span[0]), bisect_left(starts, span[1])


def _spread(spans: tuple[Span, ...]) -> int:
    whole = max(end for _, end in spans) - min(start for start, _ in spans)
    return whole - sum(end - start for start, end in spans)
