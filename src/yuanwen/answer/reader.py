"""The blocks of an answer -> its sentences, each with what belongs to it."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from yuanwen.answer.block_quotes import BlockQuote
from yuanwen.answer.blocks import Block, Blocks
from yuanwen.answer.citations import Bracket, Cited, brackets
from yuanwen.answer.pairing import pairs, taken
from yuanwen.answer.prose import ASIDE, Prose, letter
from yuanwen.answer.quotation_marks import Quoted
from yuanwen.answer.sentence import ReadQuote, ReadSentence, Sentence, states
from yuanwen.answer.simple import Simple, simple
from yuanwen.needle import Span

LONGEST = 1200  # characters of the brackets that end a quotation, or stand between it and its receipt
_footnote = re.compile(r"\s*\[\^[^\]\s]{1,40}\]:\s*\Z")
_column = re.compile(r"(?<!\\)\|")
_in_brackets = re.compile(r"[\[【［〔][^\[\]【】［］〔〕]*+[\]】］〕]")


class Reader:
    """Reads one answer."""

    def __init__(self, answer: str, is_known: Callable[[str], bool], receipts: Sequence[Span]) -> None:
        self._answer = answer
        self._receipts = sorted(receipts)
        self._sentences: list[ReadSentence] = []
        characters = list(answer)
        for start, end in self._receipts:
            characters[start:end] = " " * (end - start)
        self._text = "".join(characters)  # without receipts
        blocks = Blocks(self._text)
        self._blocks = list(blocks)
        self._links = blocks.definitions
        self._is_known = lru_cache(maxsize=None)(is_known)

    def read(self) -> tuple[Sentence, ...]:
        for is_quotation, blocks in groupby(self._blocks, key=lambda block: block.kind == "quotation"):
            if is_quotation:
                self._block_quotes(list(blocks))
            else:
                for block in blocks:
                    self._block(block)
        self._give_receipts()
        return tuple(sentence.done(self._answer) for sentence in self._sentences)

    def _brackets(self, text: str) -> Iterator[Bracket]:
        return brackets(text, self._is_known, self._links)

    # -------------------------------------------------------------------------------------------- prose

    def _block(self, block: Block) -> None:
        start, end = block.span
        text = self._text[start:end]
        if not text.strip():
            return
        if block.kind == "prose" and (one := simple(text)) and not self._is_footnote(start):
            self._simple(one, start, end)
            return
        prose = Prose(text, self._brackets, _cells(text) if block.kind in ("row", "head of a table") else None)
        spans = prose.sentences() if block.kind == "prose" else [(0, len(text))]
        read = [self._sentence(prose, span, block) for span in spans]
        if prose.items and not letter.search(prose.bare):
            self._evidence(read[0])
        else:
            self._sentences += (sentence for sentence in read if sentence.start < sentence.end)

    def _simple(self, one: Simple, start: int, end: int) -> None:
        """Take in a block that is one simple sentence."""
        sentence = ReadSentence(*self._trimmed(start, end, None), states=True)
        quote = self._quote(one.quoted, start)
        if one.cited:
            name, (first, last) = one.cited
            quote.citations = (Cited(id=name, span=(start + first, start + last)),)
        sentence.quotes.append(quote)
        self._sentences.append(sentence)

    def _sentence(self, prose: Prose, span: Span, block: Block) -> ReadSentence:
        """Return the sentence at `span` of a block."""
        offset = block.span[0]
        start, end = self._trimmed(offset + span[0], offset + span[1], None if block.kind == "prose" else "| \t")
        is_note = span[0] == 0 and self._is_note(prose, start)
        sentence = ReadSentence(
            start,
            end,
            block.kind in ("prose", "row")
            and not is_note
            and states(prose.bare[slice(*span)], prose.text[slice(*span)]),
        )
        places = prose.within(span)
        if places:
            self._take(prose, span, places, sentence, offset)
        return sentence

    def _take(self, prose: Prose, span: Span, places: range, sentence: ReadSentence, offset: int) -> None:
        """Give a sentence what it quotes and cites: the items at `places` of a block that starts at `offset`."""
        items = [prose.items[place] for place in places]
        given = pairs(items, prose.text)
        own = taken(given)
        cited = [self._cited(prose.found[place], offset) for place in places]
        shared: dict[int, tuple[Cited, ...]] = {}  # quotations side by side have the same list
        seen = span[0]
        for number, place in enumerate(places):
            one = prose.found[place]
            if isinstance(one, Quoted):
                quote = self._quote(one, offset)
                names = id(given[number])
                if names not in shared:
                    shared[names] = tuple(name for citation in given[number] for name in cited[citation])
                quote.citations = shared[names]
                sentence.quotes.append(quote)
            elif number not in own:
                if letter.search(prose.bare, seen, one.start):
                    sentence.last.clear()
                seen = one.end
                sentence.citations += cited[number]
                sentence.last += cited[number]
        if letter.search(prose.bare, seen, span[1]):
            sentence.last.clear()

    def _is_note(self, prose: Prose, start: int) -> bool:
        """Return whether a footnote says no more than where something is from: [^1]: Handbook, [id]."""
        return bool(prose.items) and self._is_footnote(start) and len(letter.findall(prose.bare)) <= ASIDE

    def _is_footnote(self, start: int) -> bool:
        """Return whether the mark of a footnote stands before an offset."""
        line = self._text.rfind("\n", 0, start) + 1
        return _footnote.match(self._text, line, start) is not None

    def _trimmed(self, start: int, end: int, marks: str | None) -> Span:
        """Return the span without the `marks` at its ends, white space if None."""
        text = self._answer[start:end]
        return end - len(text.lstrip(marks)), start + len(text.rstrip(marks))

    def _cited(self, one: Quoted | Bracket, offset: int) -> list[Cited]:
        ids = one.ids if isinstance(one, Bracket) else ()
        return [Cited(id=name, span=(offset + start, offset + end)) for name, (start, end) in ids]

    def _quote(self, one: Quoted, offset: int) -> ReadQuote:
        span = (offset + one.first, offset + one.last)
        return self._quotation(self._answer[slice(*span)], span, offset + one.end)

    def _quotation(self, text: str, span: Span, end: int) -> ReadQuote:
        """Return a quotation, with the citations at its very end."""
        words = text.rstrip(" \t\r\n。.,，")
        offset = max(0, len(text) - LONGEST)
        within: list[Cited] = []
        last = len(words)
        if words.endswith(("]", "】", "］", "〕", ")")):
            for bracket in reversed(list(self._brackets(text[offset:]))):
                if words[offset + bracket.end : last].strip():
                    break
                last = offset + bracket.start
                within[:0] = self._cited(bracket, span[0] + offset)
        bare = words[:last].rstrip() if within else text
        is_plain = span[1] - span[0] == len(text)  # not one of several lines of a block quote
        return ReadQuote(text, span, end, bare, (span[0], span[0] + len(bare)) if is_plain else span, within)

    def _evidence(self, read: ReadSentence) -> None:
        """Take in a block that has no words of its own: it belongs to the sentence before, if that lacks any."""
        last = self._sentences[-1] if self._sentences else None
        lacking = [quote for quote in last.quotes if not quote.citations] if last else []
        if last and lacking and not read.quotes:
            shared = tuple(read.citations)
            for quote in lacking:
                quote.citations = shared
            last.end = read.end
        elif last and last.states and not last.quotes and not last.citations:
            last.take(read)
        else:
            self._sentences.append(read)

    # ------------------------------------------------------------------------------------- block quotes

    def _block_quotes(self, blocks: Sequence[Block]) -> None:
        """Take in the paragraphs of a block quote, which belong to the sentence before it."""
        quotes: list[ReadQuote] = []
        loose: list[Cited] = []  # cited apart from any quotation, as on the line that says where it is from
        for block in blocks:
            read = BlockQuote(self._text, block.lines, self._brackets, first=not quotes)
            for part in read.parts:
                quote = self._quotation(part.text, part.span, part.end)
                quote.citations = part.cited
                quotes.append(quote)
            loose += read.cited
        if not self._sentences:
            self._sentences.append(ReadSentence(blocks[0].span[0], 0))
        last = self._sentences[-1]
        last.end = read.end
        if not loose and last.last and not any(quote.citations for quote in quotes):
            loose = last.last
            last.citations = last.citations[: -len(loose)]
        lacking = [quote for quote in quotes if not quote.citations]
        shared = tuple(loose)
        for quote in lacking:
            quote.citations = shared
        last.quotes += quotes
        last.citations += () if lacking else loose
        last.last = []

    # ----------------------------------------------------------------------------------------- receipts

    def _give_receipts(self) -> None:
        """Give each receipt to the quotation that it follows, else to its sentence."""
        starts = [sentence.start for sentence in self._sentences]
        first: ReadSentence | None = None
        for span in self._receipts:
            place = bisect_right(starts, span[0]) - 1
            sentence = self._sentences[place] if place >= 0 else first
            if sentence is None:
                sentence = first = ReadSentence(*span)
            sentence.end = max(sentence.end, span[1])
            before = bisect_right(sentence.quotes, span[0], key=lambda quote: quote.end) - 1
            quote = sentence.quotes[before] if before >= 0 else None
            if quote and quote.receipt is None and self._is_beside(quote.end, span[0]):
                quote.receipt = span
            else:
                sentence.receipts.append(span)
        if first:
            self._sentences.insert(0, first)

    def _is_beside(self, start: int, end: int) -> bool:
        """Return whether there are only citations and punctuation between."""
        between = self._text[start:end] if end - start < LONGEST else ""
        return end - start < LONGEST and not letter.search(_in_brackets.sub("", between))


def _cells(text: str) -> list[Span]:
    """Return the spans of the cells of a row."""
    borders = [-1, *(found.start() for found in _column.finditer(text)), len(text)]
    return [(start + 1, end) for start, end in pairwise(borders)]
