"""An answer -> a verdict on each quotation, citation and sentence of it, by what a witness says.

Only words that stand at the place cited support anything there: words that are like them never do, nor do the same
words elsewhere. What differs in width, case, script, punctuation or white space alone is said to be normalised.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from yuanwen import comparison, evidence
from yuanwen.answer import Quote, Sentence, parse, stripped
from yuanwen.comparison import Match, Original, Quotation
from yuanwen.needle import Span
from yuanwen.receipt import Receipt, digest
from yuanwen.receipt import parse as parsed_receipt
from yuanwen.receipt import spans as receipts_in
from yuanwen.store.reading import Row
from yuanwen.verification import SUPPORTED, Claim, Found, Status, Verification
from yuanwen.witness import Stretch, Witness

PLACES = 5  # other places that are named for one quotation


class Verifier:
    """Checks answers against one witness."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    # ------------------------------------------------------------------------------------------- answers

    def answer(self, text: str, *, quotes_only: bool = False, notes: Sequence[str] = ()) -> Verification:
        """Return the verdict on an answer. With `quotes_only` sentences without a quotation are left alone, and so
        is what is too short to prove anything and cites nothing.

        Raises UsageError for a damaged receipt.
        """
        sentences = parse(text, self._is_known, receipts_in(text))
        self._witness.prepare(self._sought(sentences))
        claims: list[Claim] = []
        for sentence in sentences:
            claims += self._sentence(sentence, text, quotes_only)
        return verification(claims, notes)

    def quotation(self, quote: str, citation: str | None = None) -> Claim:
        """Return what comes of one quotation, cited or not."""
        return self._claim(quote, (0, len(quote)), [citation] if citation else [])

    def _sought(self, sentences: Sequence[Sentence]) -> Iterator[Quotation]:
        """Yield the quotations that do not stand to the letter in a passage that they cite."""
        for quote in (quote for sentence in sentences for quote in sentence.quotes):
            cited = (row for cited in quote.citations for row in self._witness.named(cited.id))
            if not any(quote.text in row.text for row in cited):
                yield Quotation(quote.text)
                if quote.within:
                    yield Quotation(quote.bare)

    def _is_known(self, name: str) -> bool:
        return bool(self._witness.named(name))

    def _sentence(self, sentence: Sentence, text: str, quotes_only: bool) -> Iterator[Claim]:
        """Yield the claims of a sentence in the order of the answer."""
        claims = [self._quote(quote, text) for quote in sentence.quotes]
        if quotes_only:  # a word or two between quotation marks, which often means something else
            claims = [claim for claim in claims if claim.citation or claim.status != "too_short"]
        claims += [
            self._receipt(parsed_receipt(text[start:end]), _Maker(text[start:end], (start, end), None))
            for start, end in sentence.receipts
        ]
        unknown = [cited for cited in sentence.citations if not self._is_known(cited.id)]
        claims += [
            Claim(quote=sentence.text, citation=cited.id, status="unknown_citation", in_answer=cited.span)
            for cited in unknown
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
        quotation = Quotation(quote)
        claims = [self._cited(quotation, at, name) for name in names] or [self._anywhere(quotation, at)]
        return min(claims, key=lambda claim: _PREFERENCE.index(claim.status))

    def _cited(self, quotation: Quotation, at: Span, name: str) -> Claim:
        """Return what comes of a quotation at the passage that it cites."""
        rows = self._witness.named(name)
        make = _Maker(quotation.text, at, name)
        if not rows:
            return make("unknown_citation", elsewhere=self._places(quotation))
        best: Claim | None = None
        for row in rows:
            found = self._at(quotation, row)
            if found is not None and found[0].status != "altered":
                match, stretch = found
                claim = self._standing(make, quotation, match, stretch)
            elif quotation.is_short:
                claim = make("too_short")
            elif found is not None:
                claim = make("altered", found=self._found(found[1], found[0]), changes=found[0].changes)
            else:
                claim = make("not_found")
            if claim.status in SUPPORTED:
                return claim
            best = best or claim
        assert best is not None
        return self._elsewhere(best, quotation) if best.status in ("altered", "not_found") else best

    def _elsewhere(self, claim: Claim, quotation: Quotation) -> Claim:
        """Return a claim whose words do not stand where they should, with where they do stand, if anywhere."""
        make = _Maker(claim.quote, claim.in_answer, claim.citation)
        places = self._places(quotation)
        if places:
            return make("elsewhere", elsewhere=places)
        return claim if claim.status == "altered" else self._alike(make, quotation) or claim

    def _anywhere(self, quotation: Quotation, at: Span) -> Claim:
        """Return what comes of a quotation that cites nothing: it may stand anywhere."""
        make = _Maker(quotation.text, at, None)
        best: Claim | None = None
        for match, stretch in self._matches(quotation, self._witness.holding):
            claim = self._standing(make, quotation, match, stretch)
            if claim.status in SUPPORTED:
                return claim
            best = best or claim
        if best is None and not quotation.is_short:
            for match, stretch in self._matches(quotation, self._witness.held):
                return self._standing(make, quotation, match, stretch)
            best = self._alike(make, quotation)
        return best or make("too_short" if quotation.is_short else "not_found")

    def _alike(self, make: "_Maker", quotation: Quotation) -> Claim | None:
        """Return the claim for the passage whose words are nearest, None if none is near."""
        nearest: tuple[Match, Stretch] | None = None
        for stretch in self._witness.like(quotation, comparison.reach(quotation)):
            match = comparison.nearest(quotation, stretch.original)
            if match is None:
                continue
            if match.status != "altered" and not make.citation:
                return self._standing(make, quotation, match, stretch)
            if match.status != "altered":
                return make("elsewhere", elsewhere=(self._found(stretch, match),))
            if nearest is None or match.similarity > nearest[0].similarity:
                nearest = match, stretch
        if nearest is None:
            return None
        match, stretch = nearest
        return make("altered", found=self._found(stretch, match), changes=match.changes)

    def _at(self, quotation: Quotation, row: Row) -> tuple[Match, Stretch] | None:
        """Return where a quotation stands, or nearly so, in a passage or over its border."""
        if quotation.text and (start := row.text.find(quotation.text)) >= 0:
            return Match("verbatim", start, start + len(quotation.text)), Stretch((row,))
        stretch = self._witness.around(row, comparison.reach(quotation))
        base = stretch.rows[0].start
        touching = (row.start - base, row.end - base)
        match = comparison.nearest(quotation, stretch.original, touching)
        return (match, stretch) if match is not None else None

    def _standing(self, make: "_Maker", quotation: Quotation, match: Match, stretch: Stretch) -> Claim:
        """Return the claim for words that stand in a version of a document, which need not be the current one."""
        row = stretch.part(match.start, match.end)[0]
        if quotation.is_short and not _is_whole(match, stretch):
            return make("too_short")
        found = self._found(stretch, match)
        status: Status = "verbatim" if match.status == "verbatim" else "normalised"
        if row.current:
            stale = found.state != "current"
            return make("stale" if stale else status, found=found, folding=match.folding)
        successor = self._witness.successor(row, (found.start, found.end))
        now, unchanged = None, False
        if successor is not None and successor.span is not None:
            base = successor.rows[0].start
            now = self._found(Stretch(successor.rows), (successor.span[0] - base, successor.span[1] - base))
            unchanged = successor.unchanged and now.state == "current"
        return make(status if unchanged else "stale", found=found, folding=match.folding, now=now)

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
        make = _Maker(quote.text, quote.span, quote.citations[0].id if quote.citations else None)
        claim = self._receipt(parsed_receipt(token), make, quotation)
        if claim.found is None or claim.status not in SUPPORTED:
            return claim
        match = comparison.nearest(quotation, Original(claim.found.text))
        if match is None:
            return make("not_found", found=claim.found)
        return make(match.status, found=claim.found, folding=match.folding, changes=match.changes)

    def _receipt(self, receipt: Receipt, make: "_Maker", quotation: Quotation | None = None) -> Claim:
        """Return whether the words of a receipt, which are perhaps those of a quotation, stand in the file it names."""
        documents = list(self._witness.documents(receipt.sha256))
        documents.sort(key=lambda document: document.rows[0].text_sha256 != receipt.text_sha256)
        for document in documents:
            start = _place_of(receipt, document.original, quotation)
            if start is not None:
                return make("verbatim", found=self._found(document, (start, start + receipt.end - receipt.start)))
        if documents:
            return make("not_found")
        return make("stale" if self._witness.has_source(receipt.source) else "unknown_citation")

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


class _Maker:
    """Makes claims for one quotation."""

    def __init__(self, quote: str, at: Span, citation: str | None) -> None:
        self.quote, self.at, self.citation = quote, at, citation

    def __call__(self, status: Status, **rest: object) -> Claim:
        return Claim(quote=self.quote, citation=self.citation, status=status, in_answer=self.at, **rest)  # type: ignore[arg-type]


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


def _is_whole(match: Match, stretch: Stretch) -> bool:
    """Return whether a match is all that a passage says, white space and marks at its edges apart."""
    row = stretch.part(match.start, match.end)[0]
    text, base = stretch.original.text, stretch.rows[0].start
    before = text[row.start - base : match.start]
    after = text[match.end : row.end - base]
    return not any(map(str.isalnum, before + after))


def _place_of(receipt: Receipt, original: Original, quotation: Quotation | None) -> int | None:
    """Return the offset of the words of a receipt in a text, None if they are not in it.

    Another version of the extractor may have made another text of the same file: then they are where the quotation
    stands, or else at the first stretch with their hash.
    """
    text = original.text
    length = receipt.end - receipt.start

    def fits(start: int) -> bool:
        return digest(text[start : start + length]) == receipt.quote_sha256

    if receipt.end <= len(text) and fits(receipt.start):
        return receipt.start
    match = comparison.standing(quotation, original) if quotation is not None else None
    if match is not None and fits(match.start):
        return match.start
    return next((start for start in range(len(text) - length + 1) if fits(start)), None)
