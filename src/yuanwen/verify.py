"""An answer -> a verdict on each quotation, citation and sentence of it, by what a witness says.

Only words that stand at the place cited support anything there: words that are like them never do, nor do the same
words elsewhere. What differs in width, case, script, punctuation or white space alone is said to be normalised.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from yuanwen import analysis, comparison, evidence
from yuanwen.answer import Quote, Sentence, parse, stripped
from yuanwen.comparison import Match, Original, Quotation
from yuanwen.comparison.kinds import torn
from yuanwen.garbage import uncollected
from yuanwen.needle import Span
from yuanwen.receipt import Receipt, digest
from yuanwen.receipt import parse as parsed_receipt
from yuanwen.receipt import spans as receipts_in
from yuanwen.store.reading import Row
from yuanwen.verification import SUPPORTED, Claim, Found, Status, Verification
from yuanwen.witness import Stretch, Witness

KEPT = 10_000  # citations whose passages are kept at hand
PLACES = 5  # other places that are named for one quotation
TRIED = 2**22  # characters of which hashes are made, to find the words of one receipt in a text that is not as it was
AROUND = 20  # characters of a quotation, and of the original on each side of its edge, that a note shows
SHORTEST = 16  # characters of which a hash takes no less time


class Reading:
    """Answers taken apart, also before it is known against what they will be checked."""

    def __init__(self) -> None:
        self.apart = lru_cache(KEPT)(Quotation)
        self._ahead: dict[str, tuple[Sequence[Sentence], frozenset[str]]] = {}

    def ahead(self, answers: Iterable[str]) -> None:
        """Take answers apart for `sentences`, as if no passage had a label."""
        for text in map(analysis.whole, answers):
            asked: set[str] = set()
            sentences = parse(text, partial(_is_unlabelled, asked), receipts_in(text))
            self._ahead[text] = sentences, frozenset(asked)
            for quotation in (self.apart(quote.text) for sentence in sentences for quote in sentence.quotes):
                _ = quotation.ways, quotation.is_short

    def sentences(self, text: str, is_known: Callable[[str], bool]) -> Sequence[Sentence]:
        """Return the sentences of an answer; it is taken apart anew if it asked for what is a label indeed."""
        sentences, asked = self._ahead.pop(text, (None, frozenset[str]()))
        if sentences is None or any(map(is_known, asked)):
            return parse(text, is_known, receipts_in(text))
        return sentences


def _is_unlabelled(asked: set[str], name: str) -> bool:
    """Return that no passage has this label, and keep it among those that were asked for."""
    asked.add(name)
    return False


class Verifier:
    """Checks answers against one witness."""

    def __init__(self, witness: Witness, reading: Reading | None = None) -> None:
        self._witness = witness
        self._named = lru_cache(KEPT)(witness.named)
        self._reading = reading or Reading()
        self._apart = self._reading.apart

    # ------------------------------------------------------------------------------------------- answers

    def answer(
        self,
        text: str,
        *,
        quotes_only: bool = False,
        notes: Sequence[str] = (),
        progress: Callable[[int, int, str], None] | None = None,
    ) -> Verification:
        """Return the verdict on an answer. With `quotes_only` sentences without a quotation are left alone, and so
        is what is too short to prove anything and cites nothing.

        `progress` is told how many sentences are done, of how many. Raises UsageError for a damaged receipt.
        """
        text = analysis.whole(text)
        with uncollected():
            sentences = self._reading.sentences(text, self._is_known)
            self._witness.prepare(self._sought(sentences))
            claims: list[Claim] = []
            for number, sentence in enumerate(sentences, 1):
                claims += self._sentence(sentence, text, quotes_only)
                if progress is not None:
                    progress(number, len(sentences), "")
            return verification(claims, [*notes, *self._torn(claims)])

    def quotation(self, quote: str, citation: str | None = None) -> Claim:
        """Return what comes of one quotation, cited or not."""
        return self._claim(analysis.whole(quote), (0, len(quote)), [analysis.whole(citation)] if citation else [])

    def _torn(self, claims: Sequence[Claim]) -> list[str]:
        """Return a note on each quotation that stands there, but is cut off where that turns what it says."""
        notes: list[str] = []
        for claim in claims:
            found = claim.found
            if found is None or claim.status not in SUPPORTED:
                continue
            for row in self._named(found.id)[:1]:
                at = torn(row.text, found.start - row.start, found.end - row.start)
                if at is not None:
                    quote, original = _shown(claim.quote[:AROUND]), _shown(row.text[max(0, at - AROUND) : at + AROUND])
                    notes.append(f"“{quote}” is cut off inside a number or right after a negation: “{original}”")
        return notes

    def _sought(self, sentences: Sequence[Sentence]) -> Iterator[Quotation]:
        """Yield the quotations that do not stand to the letter in a passage that they cite."""
        for quote in (quote for sentence in sentences for quote in sentence.quotes):
            cited = (row for cited in quote.citations for row in self._named(cited.id))
            if not any(quote.text in row.text for row in cited):
                yield self._apart(quote.text)
                if quote.within:
                    yield self._apart(quote.bare)

    def _is_known(self, name: str) -> bool:
        return bool(self._named(name))

    def _sentence(self, sentence: Sentence, text: str, quotes_only: bool) -> Iterator[Claim]:
        """Yield the claims of a sentence in the order of the answer."""
        claims = [self._quote(quote, text) for quote in sentence.quotes]
        if quotes_only:  # a word or two between quotation marks, which often means something else
            claims = [claim for claim in claims if claim.citation or claim.status != "too_short"]
        claims += [
            self._receipt(parsed_receipt(text[start:end]), _unfound(text[start:end], (start, end), None))
            for start, end in sentence.receipts
        ]
        said = {claim.citation for claim in claims if claim.status == "unknown_citation"}
        beside = (cited for quote in sentence.quotes if len(quote.citations) > 1 for cited in quote.citations)
        claims += [
            Claim(quote=sentence.text, citation=cited.id, status="unknown_citation", in_answer=cited.span)
            for cited in dict.fromkeys((*sentence.citations, *beside))
            if cited.id not in said and not self._is_known(cited.id)
        ]
        if sentence.states and not claims and not quotes_only:
            claims.append(self._unquoted(sentence))
        yield from sorted(claims, key=lambda claim: claim.in_answer)

    def _unquoted(self, sentence: Sentence) -> Claim:
        """Return what comes of a sentence that quotes nothing: its own words may be those of the passage it cites."""
        words = sentence.text
        for cited in sentence.citations:
            start, end = cited.span[0] - sentence.span[0], cited.span[1] - sentence.span[0]
            words = words[:start] + " " * (end - start) + words[end:]
        names = [cited.id for cited in sentence.citations]
        if names:
            said = stripped(words)
            at = sentence.text.find(said)
            span = (sentence.span[0] + at, sentence.span[0] + at + len(said)) if at >= 0 else sentence.span
            claim = self._claim(said, span, names)
            if claim.status in SUPPORTED:
                return claim
        return Claim(
            quote=sentence.text, citation=names[0] if names else None, status="uncited", in_answer=sentence.span
        )

    def _quote(self, quote: Quote, text: str) -> Claim:
        if quote.receipt is not None:
            return self._receipted(quote, text[quote.receipt[0] : quote.receipt[1]])
        names = [cited.id for cited in quote.citations]
        claim = self._claim(quote.text, quote.span, names)
        if quote.within and claim.status not in SUPPORTED:
            return self._claim(quote.bare, quote.bare_span, names + [cited.id for cited in quote.within])
        return claim

    # ---------------------------------------------------------------------------------------- quotations

    def _claim(self, quote: str, at: Span, names: Sequence[str]) -> Claim:
        """Return what comes of a quotation: of several passages that it cites, one has to have it."""
        quotation = self._apart(quote)
        claims = [self._cited(quotation, at, name) for name in names] or [self._anywhere(quotation, at)]
        return min(claims, key=lambda claim: _PREFERENCE.index(claim.status))

    def _cited(self, quotation: Quotation, at: Span, name: str) -> Claim:
        """Return what comes of a quotation at the passage that it cites."""
        rows = self._named(name)
        blank = _unfound(quotation.text, at, name)
        if not rows:
            return replace(blank, status="unknown_citation", elsewhere=self._places(quotation))
        best: Claim | None = None
        for row in rows:
            claim = self._at(blank, quotation, row)
            if claim is not None and claim.status in SUPPORTED:
                return claim
            best = best or claim
        if best is not None or quotation.is_short:
            return best or replace(blank, status="too_short")
        if places := self._places(quotation):
            return replace(blank, status="elsewhere", elsewhere=places)
        return self._altered(blank, quotation, rows) or self._alike(blank, quotation) or blank

    def _anywhere(self, quotation: Quotation, at: Span) -> Claim:
        """Return what comes of a quotation that cites nothing: it may stand anywhere."""
        blank = _unfound(quotation.text, at, None)
        best: Claim | None = None
        for match, stretch in self._matches(quotation, self._witness.holding):
            claim = self._standing(blank, quotation, match, stretch)
            if claim.status in SUPPORTED:
                return claim
            best = best or claim
        if best is None and not quotation.is_short:
            for match, stretch in self._matches(quotation, self._witness.held):
                return self._standing(blank, quotation, match, stretch)
            best = self._alike(blank, quotation)
        return best or replace(blank, status="too_short" if quotation.is_short else "not_found")

    def _alike(self, blank: Claim, quotation: Quotation) -> Claim | None:
        """Return the claim for the passage whose words are nearest, None if none is near."""
        nearest: tuple[Match, Stretch] | None = None
        for stretch in self._witness.like(quotation, comparison.reach(quotation)):
            match = comparison.nearest(quotation, stretch.original)
            if match is None:
                continue
            if match.status != "altered" and not blank.citation:
                return self._standing(blank, quotation, match, stretch)
            if match.status != "altered":
                return replace(blank, status="elsewhere", elsewhere=(self._found(stretch, match),))
            if nearest is None or match.similarity > nearest[0].similarity:
                nearest = match, stretch
        if nearest is None:
            return None
        match, stretch = nearest
        return replace(blank, status="altered", found=self._found(stretch, match), changes=match.changes)

    def _at(self, blank: Claim, quotation: Quotation, row: Row) -> Claim | None:
        """Return the claim for a quotation that stands in a passage, or over its border."""
        if quotation.text and (start := row.text.find(quotation.text)) >= 0:
            match = Match("verbatim", start, start + len(quotation.text))
            return self._standing(blank, quotation, match, Stretch((row,)))
        stretch, touching = self._around(quotation, row)
        found = comparison.standing(quotation, stretch.original, touching)
        return self._standing(blank, quotation, found, stretch) if found is not None else None

    def _altered(self, blank: Claim, quotation: Quotation, rows: Sequence[Row]) -> Claim | None:
        """Return the claim for a quotation that nearly stands in one of the passages that it cites."""
        for row in rows:
            stretch, touching = self._around(quotation, row)
            match = comparison.altered(quotation, stretch.original, touching)
            if match is not None:
                return replace(blank, status="altered", found=self._found(stretch, match), changes=match.changes)
        return None

    def _around(self, quotation: Quotation, row: Row) -> tuple[Stretch, Span]:
        """Return a passage with what is around it, and where in it the passage is."""
        stretch = self._witness.around(row, comparison.reach(quotation))
        base = stretch.rows[0].start
        return stretch, (row.start - base, row.end - base)

    def _standing(self, blank: Claim, quotation: Quotation, match: Match, stretch: Stretch) -> Claim:
        """Return the claim for words that stand in a version of a document, which need not be the current one."""
        row = stretch.part(match.start, match.end)[0]
        if quotation.is_short and not _is_whole(match, stretch):
            return replace(blank, status="too_short")
        found = self._found(stretch, match)
        status: Status = "verbatim" if match.status == "verbatim" else "normalised"
        if row.current:
            stale = found.state != "current"
            return replace(blank, status="stale" if stale else status, found=found, folding=match.folding)
        successor = self._witness.successor(row, (found.start, found.end))
        now, unchanged = None, False
        if successor is not None and successor.span is not None:
            base = successor.rows[0].start
            now = self._found(Stretch(successor.rows), (successor.span[0] - base, successor.span[1] - base))
            unchanged = successor.unchanged and now.state == "current"
        return replace(blank, status=status if unchanged else "stale", found=found, folding=match.folding, now=now)

    def _places(self, quotation: Quotation) -> tuple[Found, ...]:
        """Return where a quotation stands, wherever that is."""
        if quotation.is_short:
            return ()
        return tuple(self._found(stretch, match) for match, stretch in self._matches(quotation, self._witness.holding))

    def _matches(
        self, quotation: Quotation, holding: Callable[[Quotation, int], Iterator[Stretch]]
    ) -> Iterator[tuple[Match, Stretch]]:
        number = 0
        for stretch in holding(quotation, comparison.reach(quotation)):
            match = comparison.standing(quotation, stretch.original)
            if match is not None:
                yield match, stretch
                number += 1
            if number == PLACES:
                return

    # ------------------------------------------------------------------------------------------ receipts

    def _receipted(self, quote: Quote, token: str) -> Claim:
        """Return what comes of a quotation with a receipt, which says by itself where the words stand."""
        quotation = Quotation(quote.text)
        blank = _unfound(quote.text, quote.span, quote.citations[0].id if quote.citations else None)
        claim = self._receipt(parsed_receipt(token), blank, quotation)
        if claim.found is None or claim.status not in SUPPORTED:
            return claim
        match = comparison.nearest(quotation, Original(claim.found.text))
        if match is None:
            return replace(blank, found=claim.found)
        return replace(claim, status=match.status, folding=match.folding, changes=match.changes)

    def _receipt(self, receipt: Receipt, blank: Claim, quotation: Quotation | None = None) -> Claim:
        """Return whether the words of a receipt, which are perhaps those of a quotation, stand in the file it names."""
        documents = list(self._witness.documents(receipt.sha256))
        if not documents:
            return replace(blank, status="stale" if self._witness.has_source(receipt.source) else "unknown_citation")
        same = [document for document in documents if document.rows[0].text_sha256 == receipt.text_sha256]
        tries = 0 if same else TRIED // (max(receipt.end - receipt.start, SHORTEST) * len(documents))
        for document in same[:1] or documents:
            start = _place_of(receipt, document.original, quotation, tries)
            if start is not None:
                found = self._found(document, (start, start + receipt.end - receipt.start))
                return replace(blank, status="verbatim", found=found)
        return blank

    # --------------------------------------------------------------------------------------------- found

    def _found(self, stretch: Stretch, match: Match | Span) -> Found:
        """Return a span of a stretch as it is shown."""
        start, end = (match.start, match.end) if isinstance(match, Match) else match
        rows = stretch.part(start, end)
        shift = rows[0].start - stretch.rows[0].start
        return evidence.found(rows, start - shift, end - shift, self._witness.state(rows[0]))


# What counts most of several passages that one quotation cites.
_PREFERENCE: tuple[Status, ...] = (
    *("verbatim", "normalised", "stale", "altered", "elsewhere", "too_short", "not_found", "unknown_citation"),
    "uncited",
)


def _unfound(quote: str, at: Span, citation: str | None) -> Claim:
    """Return the claim for a quotation that stands nowhere, from which all others are made."""
    return Claim(quote=quote, citation=citation, status="not_found", in_answer=at)


def verification(claims: Sequence[Claim], notes: Sequence[str] = ()) -> Verification:
    """Return the verdict on claims."""
    counts = Counter(claim.status for claim in claims)
    supported = all(status in SUPPORTED for status in counts)
    return Verification(
        verdict="nothing_to_verify" if not claims else "supported" if supported else "unsupported",
        counts={status: counts[status] for status in _PREFERENCE if counts[status]},
        claims=tuple(claims),
        notes=tuple(notes),
    )


def _shown(words: str) -> str:
    """Return words on one line."""
    return " ".join(words.split())


def _is_whole(match: Match, stretch: Stretch) -> bool:
    """Return whether a match is all that a passage says, white space and marks at its edges apart."""
    row = stretch.part(match.start, match.end)[0]
    text, base = stretch.original.text, stretch.rows[0].start
    before = text[row.start - base : match.start]
    after = text[match.end : row.end - base]
    return not any(map(str.isalnum, before + after))


def _place_of(receipt: Receipt, original: Original, quotation: Quotation | None, tries: int) -> int | None:
    """Return the offset of the words of a receipt in a text, None if they are not in it.

    Another version of the extractor may have made another text of the same file: then they are where the quotation
    stands, or else one of as many stretches as `tries` says, about where they were, has their hash.
    """
    text = original.text
    length = receipt.end - receipt.start

    def fits(start: int) -> bool:
        return digest(text[start : start + length]) == receipt.quote_sha256

    if receipt.end <= len(text) and fits(receipt.start):
        return receipt.start
    if not tries:
        return None
    match = comparison.standing(quotation, original) if quotation is not None else None
    if match is not None and fits(match.start):
        return match.start
    starts = range(max(0, receipt.start - tries // 2), min(len(text) - length, receipt.start + tries // 2) + 1)
    return next((start for start in starts if fits(start)), None)
