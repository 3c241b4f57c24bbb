"""A paragraph of a block quote -> the quotations in it, and the citations at their edges."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from yuanwen.answer.citations import Bracket, Cited
from yuanwen.answer.pairing import Item, pairs, taken
from yuanwen.answer.prose import Prose, blanked, letter
from yuanwen.answer.quotation_marks import Quoted, quoted
from yuanwen.needle import Span

Find = Callable[[str], Iterable[Bracket]]

_attribution = re.compile(r"\s*(?:—+|–|―+|--+|(?:来源|出处|引自|摘自|source|from)\s*[:：])[^\n]{0,100}", re.I)
_attributed = re.compile(r"(?<=[。！？.!?”」』\"'’])\s*(?:—+|–|―+|--+)[^—–―\n]{0,60}\Z")
_dashes = " \t\r\n\u3000—–―-"


class Part(NamedTuple):
    """A quotation: its words without `>`, their span, where they end with their marks, its citations."""

    text: str
    span: Span
    end: int
    cited: tuple[Cited, ...]


class BlockQuote:
    """A paragraph of a block quote: `parts` are what it quotes, `cited` are the citations apart from them.

    `end` is where it ends. A paragraph whose lines have citations of their own is quoted line by line.
    """

    def __init__(self, text: str, lines: Sequence[Span], find: Find, *, first: bool) -> None:
        """`lines` are spans of `text` without `>`. The `first` line of a block quote is never an attribution."""
        self._lines = list(lines)
        self._starts = [0]
        for start, end in lines:
            self._starts.append(self._starts[-1] + end - start + 1)
        self.text = "\n".join(text[start:end] for start, end in lines)
        self.cited: list[Cited] = []
        self.end = lines[-1][1]
        body = len(self.text)
        last = self._starts[-2]
        if (last or not first) and _attribution.fullmatch(self.text, last):
            self.cited = [one for bracket in find(self.text[last:]) for one in self._cited(bracket, last)]
            body = max(0, last - 1)
        self.parts = list(self._read(body, find))

    def _at(self, offset: int) -> int:
        """Return where a character of the text stands in the answer."""
        line = bisect_right(self._starts, offset, 0, len(self._lines)) - 1
        return self._lines[line][0] + offset - self._starts[line]

    def _cited(self, bracket: Bracket, offset: int = 0) -> Iterator[Cited]:
        for name, (start, end) in bracket.ids:
            yield Cited(id=name, span=(self._at(offset + start), self._at(offset + end - 1) + 1))

    def _part(self, start: int, end: int, last: int, cited: Iterable[Cited]) -> Part:
        return Part(
            self.text[start:end], (self._at(start), self._at(end - 1) + 1), self._at(last - 1) + 1, tuple(cited)
        )

    def _read(self, body: int, find: Find) -> Iterator[Part]:
        prose = Prose(self.text[:body], find)
        if letter.search(prose.bare) or not any(item.is_quote for item in prose.items):
            cited = list(find(self.text[:body]))
            bare = blanked(self.text[:body], [Item(one.start, one.end, False) for one in cited])
            starts = [one.start for one in cited]
            for start, end in self._chunks(bare, body):
                edges = slice(bisect_left(starts, start), bisect_left(starts, end))
                yield from self._chunk(bare, start, end, cited[edges])
            return
        given = pairs(prose.items, prose.text)
        own = taken(given)
        shared: dict[int, tuple[Cited, ...]] = {}  # quotations side by side have the same list
        for place, one in enumerate(prose.found):
            if isinstance(one, Quoted):
                names = id(given[place])
                if names not in shared:
                    found = (prose.found[number] for number in given[place])
                    citing = (self._cited(bracket) for bracket in found if isinstance(bracket, Bracket))
                    shared[names] = tuple(chain.from_iterable(citing))
                yield self._part(one.first, one.last, one.end, shared[names])
            elif place not in own:
                self.cited += self._cited(one)

    def _chunks(self, bare: str, body: int) -> Iterator[Span]:
        """Yield the spans that are quoted each for itself: they part after, or before, lines with citations."""
        first = 0
        has_words = cited = leading = False
        for start, following in zip(self._starts, self._starts[1:], strict=False):
            end = min(following - 1, body)
            if start >= end:
                continue
            line, rest = self.text[start:end], bare[start:end]
            words = bool(letter.search(rest))
            begins = words and len(rest) - len(rest.lstrip()) > len(line) - len(line.lstrip())
            leading = leading or not (first or has_words or words)
            if has_words and ((words and (cited or begins)) or (leading and not words)):
                yield first, start
                first, has_words, cited = start, False, False
            has_words = has_words or words
            cited = has_words and not begins and len(rest.rstrip()) < len(line.rstrip())
        yield first, body

    def _chunk(self, bare: str, start: int, end: int, cited: list[Bracket]) -> Iterator[Part]:
        """Yield what is left of a span without the citations at its edges; those of none belong to all."""
        before: list[Cited] = []
        first, last = start, end
        after: list[Cited] = []
        while cited and not letter.search(bare, cited[-1].end, last):
            bracket = cited.pop()
            after[:0] = self._cited(bracket)
            last = bracket.start
        while cited and not letter.search(bare, first, cited[0].start):
            bracket = cited.pop(0)
            before += self._cited(bracket)
            first = bracket.end
        words = bare[first:last]
        first += len(words) - len(words.lstrip(_dashes if first > start else None))
        last -= len(words) - len(words.rstrip(_dashes if after else None))
        tail = _attributed.search(self.text, first, last)
        if tail and (after or self.text[tail.start() - 1] in "”」』\"'’"):
            last = tail.start()
        if first >= last or not letter.search(self.text, first, last):
            self.cited += before + after
            return
        marks = quoted(self.text[first:last])
        if len(marks) == 1 and marks[0].start == 0 and marks[0].end == last - first:
            yield self._part(first + marks[0].first, first + marks[0].last, last, before + after)
        else:
            yield self._part(first, last, last, before + after)
