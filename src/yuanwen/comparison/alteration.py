"""What comes nearest to a quotation in an original text, and what the quotation changes of it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from yuanwen.comparison import stretches
from yuanwen.comparison.changes import difference, graver_first
from yuanwen.comparison.original import REACH, Match, Original, Span
from yuanwen.comparison.quotation import Quotation, Sought, Way, Written, sought
from yuanwen.comparison.sameness import fold
from yuanwen.comparison.stand import Stand, chain_of, gaps, grown, overlaps, standing, stands, swallowed_kind
from yuanwen.verification import Change, ChangeKind

FLOOR = 0.6  # what is less similar is no quotation of the text
_PARTS = 20  # of more parts none is sought that is only like them


def nearest(quotation: Quotation, original: Original, touching: Span | None = None) -> Match | None:
    """Return where the words of a quotation stand, else the stretch of the text that is most like it, as `altered`
    with what it changes; None if nothing is similar enough.

    What is found overlaps the span `touching` of the text. `in_text` of a change counts from the start of the match.
    """
    return standing(quotation, original, touching) or altered(quotation, original, touching)


def altered(quotation: Quotation, original: Original, touching: Span | None = None) -> Match | None:
    """Return the same for a quotation of which it is known that its words do not stand there."""
    matches: list[Match] = []
    if plain := original.unmarked:
        span = plain.touching(touching)
        matches = [plain.match(match) for way in quotation.ways if (match := _altered(way, plain.original, span))]
    matches += [match for way in quotation.ways if (match := _altered(way, original, touching))]
    best = max(matches, key=lambda match: match.similarity, default=None)
    if not best:
        return None
    changes = [replace(change, quoted=quotation.text[slice(*change.in_quote)]) for change in best.changes]
    return best._replace(changes=graver_first(changes))


def _altered(way: Way, original: Original, touching: Span | None) -> Match | None:
    if chain := chain_of(way, original, touching, swallowing=True):
        return _swallowed(chain, way, original)
    matches = [_whole(way, original, touching)]
    if 1 < len(way.parts) <= _PARTS:
        matches.append(_by_parts(way.parts, original, touching))
    return max(filter(None, matches), key=lambda match: match.similarity, default=None)


def _near(original: Original, reach: int, touching: Span | None) -> Span:
    """Return the part of the key that reaches so far beyond a span on both sides."""
    keyed = original.keyed
    first, last = map(keyed.at, touching) if touching else (0, len(keyed.text))
    return max(0, first - reach), min(last + reach, len(keyed.text))


def _whole(way: Way, original: Original, touching: Span | None) -> Match | None:
    """Return the stretch that is most like a quotation as a whole; its ellipses may be those of the text."""
    written, words = (way.parts[0], way.soughts[0]) if len(way.parts) == 1 else (way.written, way.sought)
    size = len(written.text)
    for reach in (2 * size, size // 2, 0) if touching else (0,):
        alike = _alike(words, original, *_near(original, reach, touching))
        if match := _best(written, words, original, (match for match in alike if overlaps(match, touching))):
            return match
    return None


def _swallowed(chain: list[Stand], way: Way, original: Original) -> Match:
    changes: list[Change] = []
    for number, gap in enumerate(gaps(chain, original)):
        if kind := swallowed_kind(original.text, chain[number].end, chain[number + 1].start):
            start = chain[number].end + len(gap) - len(gap.lstrip()) - chain[0].start
            in_quote = way.parts[number].ends[-1], way.parts[number + 1].starts[0]
            in_text = start, start + len(gap.strip())
            changes.append(_made(kind, gap.strip(), in_quote, in_text))
    size = chain[-1].end - chain[0].start
    left_out = sum(len(change.original) for change in changes)
    return Match("altered", chain[0].start, chain[-1].end, (), tuple(changes), 1 - left_out / size)


def _made(kind: ChangeKind, original: str, in_quote: Span, in_text: Span) -> Change:
    """Return a change, as yet without the words of the quotation."""
    return Change(kind=kind, original=original, quoted="", in_quote=in_quote, in_text=in_text)


def _alike(sought: Sought, original: Original, first: int, last: int) -> Iterator[Match]:
    """Yield stretches of a part of the key that are like a quotation, without what it changes."""
    keyed = original.keyed
    for at, end, likeness in stretches.like(sought.key, original.places, first, last):
        yield Match("altered", keyed.source(at), keyed.source(end - 1) + 1, similarity=likeness)


def _best(written: Written, sought: Sought, original: Original, alike: Iterable[Match]) -> Match | None:
    """Return the stretch that is most like a quotation, with what it changes, if it is like enough."""
    _, begin, finish, _ = sought
    best = max(alike, key=lambda match: match.similarity, default=None)
    if not best or best.similarity < FLOOR:
        return None
    part = written.part(begin, finish)
    start, end, changes = difference(part.text, original.text, best.start, best.end)
    if not changes:  # the two differ in a way that no character shows
        changes = (_made("words", original.text[start:end], (0, len(part.text)), (0, end - start)),)
    before = _marks(written.text[:begin][::-1], original.text[max(0, start - 32) : start][::-1])
    after = _marks(written.text[finish:], original.text[end : end + 32])
    moved = tuple(_moved(change, part, before) for change in changes)
    return best._replace(start=start - before, end=end + after, changes=moved)


def _marks(marks: str, beside: str) -> int:
    """Return how much of the text beside a stretch are the marks that the quotation has there."""
    _, reached = grown(marks, fold(beside), 1) if marks else (0, 0)
    return next(number for number in range(len(beside) + 1) if not reached or len(fold(beside[:number])) >= reached)


def _by_parts(divided: list[Written], original: Original, touching: Span | None) -> Match | None:
    """Return the stretch from the first to the last of parts, each as near as it stands in order."""
    whole = _near(original, REACH, touching)
    anchors = [_part(part, original, *whole) for part in divided]
    sizes = [len(part.text) for part in divided]
    fixed = max(range(len(divided)), key=lambda number: sizes[number] * (anchors[number] or _NONE).similarity)
    anchor = anchors[fixed]
    if not anchor:
        return None
    found: list[Match | None] = [None] * len(divided)
    found[fixed] = anchor
    low, high = anchor.start, anchor.end
    for number in range(fixed + 1, len(divided)):
        limits = original.keyed.at(high), original.keyed.at(anchor.start + REACH)
        found[number] = match = _part(divided[number], original, *limits)
        high = match.end if match else high
    for number in range(fixed - 1, -1, -1):
        limits = original.keyed.at(max(0, high - REACH)), original.keyed.at(low)
        found[number] = match = _part(divided[number], original, *limits)
        low = match.start if match else low
    return _together(divided, found, low, high, touching)


_NONE = Match("altered", 0, 0, similarity=0.0)


def _part(part: Written, original: Original, first: int, last: int) -> Match | None:
    """Return where a part stands in a part of the key, or the stretch most like it."""
    words = sought(part.text)
    for stand in stands(words, original, first, last):
        return Match("normalised", stand.start, stand.end)
    return _best(part, words, original, _alike(words, original, first, last))


def _together(
    divided: list[Written], found: list[Match | None], low: int, high: int, touching: Span | None
) -> Match | None:
    changes: list[Change] = []
    at = 0
    for part, match in zip(divided, found, strict=True):
        if match:
            changes += [_shifted(change, match.start - low) for change in match.changes]
            at = match.end - low
        else:
            in_quote = part.span(0, len(part.text))
            changes.append(_made("words", "", in_quote, (at, at)))
    sizes = [len(part.text) for part in divided]
    alike = sum(size * (match or _NONE).similarity for size, match in zip(sizes, found, strict=True)) / sum(sizes)
    together = Match("altered", low, high, (), tuple(changes), alike)
    return together if changes and alike >= FLOOR and overlaps(together, touching) else None


def _moved(change: Change, part: Written, by: int) -> Change:
    """Return a change with its place in the whole quotation, and `by` characters further on in the text."""
    start, end = change.in_text
    return replace(change, in_quote=part.span(*change.in_quote), in_text=(start + by, end + by))


def _shifted(change: Change, by: int) -> Change:
    start, end = change.in_text
    return replace(change, in_text=(start + by, end + by))
