"""A block of an answer -> what it quotes and cites, its own words without that, and its sentences."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from yuanwen.answer.citations import Bracket
from yuanwen.answer.pairing import CUES, Item
from yuanwen.answer.quotation_marks import Quoted, quoted
from yuanwen.needle import Span
from yuanwen.sentences import sentences

ASIDE = 24  # letters in a parenthesis beside a citation that are no words of the sentence: (see [id], p. 3)
LOOK_BACK = 24
ASIDE_QUOTE = 8  # a quotation shorter than this does not end a sentence: the “U.S.” Army

letter = re.compile(r"[^\W_]")
_seen = re.compile(r"\S")
_parenthesis = re.compile(r"[（(][^（）()]*+[）)]")
lead = re.compile(
    rf"(?:(?:^|(?<=[\W_]))(?:(?:{CUES})[^\S\n]?){{1,2}}[*_]{{0,3}}[^\S\n]*[:：]?[*_]{{0,3}})?"
    r"[^\S\n]*[:：—–―\-→=>]*[^\S\n]*\Z",
    re.I,
)
_tag = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,9}(?:\s[^<>\n=]{0,40}=[^<>\n]*+)?\s?/?>")
_tie = "*_`~[]【】［］〔〕"
_stopped = re.compile(r"[。！？!?.…][”’」』\"')）]*\Z")
_continues = re.compile(r"[a-z，,、是的]")


class Prose:
    """The text of a block, and its `items`: quotations and brackets that cite, in order.

    `bare` is the text with spaces for these, and for the words that only lead there.
    """

    def __init__(
        self, text: str, find_brackets: Callable[[str], Iterable[Bracket]], parts: Sequence[Span] | None = None
    ) -> None:
        """`parts` are the spans that no quotation crosses, the whole text if None."""
        self.text = text
        quotes = quoted(text) if parts is None else list(_quoted_in(text, parts))
        found: list[Quoted | Bracket] = [*quotes, *find_brackets(_without(text, quotes))]
        self.found = sorted(found, key=lambda one: one[0])
        self.items = [Item(one.start, one.end, isinstance(one, Quoted)) for one in self.found]
        self.bare = blanked(text, self.items)
        self._item_starts = [one.start for one in self.found]

    def within(self, span: Span) -> range:
        """Return the places of the items that start in `span`."""
        return range(bisect_left(self._item_starts, span[0]), bisect_left(self._item_starts, span[1]))

    def sentences(self) -> list[Span]:
        """Return the spans of the sentences, each with what it quotes and cites, also after its full stop."""
        spans: list[Span] = []
        for start, end in sentences(self._ending()):
            if spans and not letter.search(self.bare, start, end):
                spans[-1] = spans[-1][0], end
            else:
                spans.append((start, end))
        if not self.items or not spans:
            return spans
        if border := self._border:
            if letter.search(self.bare, *spans[0]):
                spans[:1] = [(0, border), (border, spans[0][1])]
        elif len(spans) > 1 and self._is_leading and not letter.search(self.bare, *spans[0]):
            spans[:2] = [(spans[0][0], spans[1][1])]
        return list(self._settled(spans))

    def _ending(self) -> str:
        """Return the bare text, with a full stop for each quotation that ends a sentence within its marks."""
        ends: list[int] = []
        follows = ""
        before = len(self.text)
        for place in reversed(range(len(self.found))):
            one = self.found[place]
            seen = _seen.search(self.bare, one.end, max(one.end, before))
            follows = seen[0] if seen else follows
            before = one.start
            if isinstance(one, Quoted) and self._ends(place, one, follows):
                ends.append(one.end)
        if not ends:
            return self.bare
        characters = list(self.bare)
        for end in ends:
            characters[end - 1] = "。"
        return "".join(characters)

    def _ends(self, place: int, quote: Quoted, follows: str) -> bool:
        """Return whether a sentence ends with this quotation, before `follows`."""
        if quote.last - quote.first < ASIDE_QUOTE or not _stopped.search(
            self.text, max(quote.first, quote.last - 4), quote.last
        ):
            return False
        if follows.isupper():
            return True
        cited = any(not item.is_quote for item in self.items[max(0, place - 1) : place + 2])
        led = self.text[max(0, quote.start - 3) : quote.start].rstrip()[-1:] in ("：", ":")
        return (cited or led) and follows.isalpha() and not follows.isascii() and not _continues.match(follows)

    def _settled(self, spans: list[Span]) -> Iterator[Span]:
        """Yield the spans, where what stands between two sentences goes to the right one.

        It goes to the one before, unless the other goes on with it, or the block as a whole gives its evidence first.
        """
        first = 0
        for start, end in spans:
            if end == len(self.text):
                yield first, end
                return
            words = start + len(self.bare[start:end].rstrip())
            between = self.within((words, end))
            goes_on = any(self.items[place].is_quote for place in between) and _continues.match(self.bare, end)
            border = words if between and (self._is_leading or goes_on) and words > first else end
            yield first, border
            first = border

    @cached_property
    def _opening(self) -> int:
        """Where the block's own words begin, if it begins with evidence, else 0."""
        own = letter.search(self.bare)
        if own is None or own.start() < self.items[0].start:
            return 0
        before = self.within((0, own.start()))
        return own.start() if any(not self.items[place].is_quote for place in before) else 0

    @cached_property
    def _border(self) -> int:
        """Where a full stop ends the evidence that the block begins with, 0 if none does: what follows has none."""
        if not self._opening:
            return 0
        _, end = next(sentences(_without(self.text, self.items)))
        return end if end <= self._opening and self.within((0, end)) else 0

    @cached_property
    def _is_leading(self) -> bool:
        """Whether the block begins with evidence, and does not end with any."""
        return self._opening > 0 and not self._border and bool(letter.search(self.bare, self.items[-1].end))


def _quoted_in(text: str, parts: Iterable[Span]) -> Iterator[Quoted]:
    for start, end in parts:
        for pair in quoted(text[start:end]):
            yield Quoted(*(start + offset for offset in pair))


def _without(text: str, spans: Iterable[Quoted | Item]) -> str:
    """Return a text with spaces for these spans, in order; one may stand within another."""
    pieces: list[str] = []
    done = 0
    for one in spans:
        pieces += text[done : one.start], " " * (one.end - max(done, one.start))
        done = max(done, one.end)
    return "".join((*pieces, text[done:])) if pieces else text


def blanked(text: str, items: Sequence[Item]) -> str:
    """Return a text with spaces for these items, which are in order, and for what only ties or leads to them.

    That are tags, brackets and marks around them, short parentheses with them, and words such as "see" before them.
    """
    rest = _without(text, items)
    if "<" in rest:
        rest = _tag.sub(lambda tag: " " * len(tag[0]), rest)
    if not items:
        return rest
    characters = list(rest)
    starts = [item.start for item in items]
    for found in _parenthesis.finditer(rest) if "(" in rest or "（" in rest else ():
        within = bisect_left(starts, found.start()) < bisect_left(starts, found.end())
        if within and len(letter.findall(found[0])) <= ASIDE:
            characters[found.start() : found.end()] = " " * len(found[0])
    for item in items:
        _untie(characters, item)
        start = max(0, item.start - LOOK_BACK)
        leading = lead.search("".join(characters[start : item.start]))
        if leading and leading[0]:
            characters[start + leading.start() : item.start] = " " * len(leading[0])
    return "".join(characters)


def _untie(characters: list[str], item: Item) -> None:
    """Blank what stands on both sides of an item: `**[id]**`, `[[id]]`."""
    start, end = item.start - 1, item.end
    while start >= 0 and end < len(characters) and characters[start] in _tie and characters[end] in _tie:
        characters[start] = characters[end] = " "
        start, end = start - 1, end + 1
