"""A quotation against an original text: where its words stand, and what it changes of them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from yuanwen.comparison import stretches
from yuanwen.comparison.changes import cuts_number, difference, graver_first, negates, pieces
from yuanwen.comparison.markup import Unmarked
from yuanwen.comparison.quotation import Quotation, Sought, Way, Written, has_ellipsis, is_open, sought
from yuanwen.comparison.sameness import FOLDINGS, Keyed, fold, fold_character, needed
from yuanwen.verification import Change, ChangeKind, Folding

__all__ = ["Match", "Original", "Quotation", "altered", "marks", "nearest", "pieces", "reach", "standing"]

Span = tuple[int, int]

FLOOR = 0.6  # what is less similar is no quotation of the text
REACH = 2000  # characters from the start of the first to the end of the last part of a quotation with ellipses
MARGIN = 50  # characters beyond its length over which a quotation without ellipses may stretch: white space, markup
_TRIES = 200  # as many places of a first part are tried
_PARTS = 20  # of more parts none is sought that is only like them


class Match(NamedTuple):
    """Where words stand in a text, and how they differ: `[start, end)` in code points of it.

    `folding` says in which respects `normalised` words differ, `changes` what an `altered` quotation changes.
    `similarity` is 1 for words that stand there, and less for altered ones.
    """

    status: Literal["verbatim", "normalised", "altered"]
    start: int
    end: int
    folding: tuple[Folding, ...] = ()
    changes: tuple[Change, ...] = ()
    similarity: float = 1.0


def reach(quotation: Quotation) -> int:
    """Return how many characters of an original a quotation can run over."""
    return REACH if len(quotation.parts) > 1 else len(quotation.text) + MARGIN


class Original:
    """A text that many quotations are compared with: folded when first needed, and once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places = stretches.Places()
        self._marks: frozenset[int] = frozenset()

    @cached_property
    def keyed(self) -> Keyed:
        """The text as words are looked up in it."""
        return Keyed(self.text)

    def index(self, marks: frozenset[int]) -> None:
        """Note in one pass where the `marks` of quotations stand, so that `nearest` need not look for each."""
        self._marks = marks
        self.places = stretches.noted(marks, self.keyed.text)

    @cached_property
    def unmarked(self) -> "_Unmarked | None":
        """The text without the marks of Markdown, None if it has none."""
        plain = Unmarked(self.text)
        return _Unmarked(plain, self._marks) if plain else None

    def has_noted(self, quotation: Quotation) -> bool:
        """Return whether a place where the quotation stands must have been noted."""
        return bool(self.places.marks) and stretches.is_noted(quotation.ways[0].sought.key, self.places)

    def find(self, sought: str, first: int, last: int) -> Iterator[int]:
        """Yield where a key stands in a part of the key of the text."""
        return stretches.standing(sought, self.keyed.text, first, last, self.places)


def marks(quotations: Iterable[Quotation]) -> frozenset[int]:
    """Return the marks of quotations, by which `Original.index` finds them."""
    keys = {each.key for quotation in quotations for way in quotation.ways for each in (way.sought, *way.soughts)}
    return frozenset(mark for key in keys for mark in stretches.marks(key))


class _Unmarked:
    """An original without the marks of Markdown, and the way back."""

    def __init__(self, plain: Unmarked, marks: frozenset[int]) -> None:
        self._plain = plain
        self.original = Original(plain.text)
        if marks:
            self.original.index(marks)

    def touching(self, span: Span | None) -> Span | None:
        """Return where a span of the text with marks is."""
        return (self._plain.at(span[0]), self._plain.at(span[1])) if span else None

    def match(self, found: Match) -> Match:
        """Return a match as one of the text with marks."""
        start, end = self._plain.span(found.start, found.end)
        changes = []
        for change in found.changes:
            span = self._plain.span(found.start + change.in_text[0], found.start + change.in_text[1])
            in_text = span[0] - start, span[1] - start
            original = self._plain.original[slice(*span)]
            changes.append(replace(change, original=original, in_text=in_text))
        folding = tuple(f for f in FOLDINGS if f in (*found.folding, "markup"))
        if found.status == "altered":
            return found._replace(start=start, end=end, changes=tuple(changes))
        return found._replace(status="normalised", start=start, end=end, folding=folding)


class _Stand(NamedTuple):
    """Words that stand in a text at `[start, end)`, which is `[first, last)` of its key."""

    start: int
    end: int
    first: int
    last: int
    folding: frozenset[Folding]


# ------------------------------------------------------------------------------------------ standing


def standing(quotation: Quotation, original: Original, touching: Span | None = None) -> Match | None:
    """Return where the words of a quotation stand in a text, verbatim or else normalised; None if they do not.

    What is found overlaps the span `touching` of the text.
    """
    if not quotation.text:
        return None
    if (at := _literal(quotation, original, touching)) is not None:
        return Match("verbatim", at, at + len(quotation.text))
    for way in quotation.ways:
        for stand in _stands(way.sought, original, *_range(original, len(quotation.text), touching)):
            if _overlaps(stand, touching):
                return _match([stand], quotation, way)
    for way in quotation.ways:
        if chain := _chain(way, original, touching):
            return _match(chain, quotation, way)
    if plain := original.unmarked:
        found = standing(quotation, plain.original, plain.touching(touching))
        return plain.match(found) if found else None
    return None


def _literal(quotation: Quotation, original: Original, touching: Span | None) -> int | None:
    """Return where a quotation stands to the letter."""
    text, size = original.text, len(quotation.text)
    first, last = (max(0, touching[0] - size + 1), touching[1] + size - 1) if touching else (0, len(text))
    if last - first > stretches.SMALL and original.has_noted(quotation):
        begin = quotation.ways[0].sought.begin
        for at in original.find(quotation.ways[0].sought.key, *_range(original, size, touching)):
            start = original.keyed.source(at) - begin
            if first <= start <= last - size and text.startswith(quotation.text, start):
                return start
        return None
    return next(stretches.occurrences(quotation.text, text, first, last), None)


def _range(original: Original, length: int, touching: Span | None) -> Span:
    """Return the part of the key in which words of this length may touch a span."""
    if not touching:
        return 0, len(original.keyed.text)
    return max(0, original.keyed.at(touching[0]) - length), original.keyed.at(touching[1]) + length


def _overlaps(stand: _Stand | Match, touching: Span | None) -> bool:
    return not touching or (stand.start < touching[1] and touching[0] < stand.end)


def _match(chain: list[_Stand], quotation: Quotation, way: Way) -> Match:
    folding = frozenset[Folding]().union(*(stand.folding for stand in chain))
    if way is not quotation.ways[0]:
        folding |= {"markup"}
    start, end = chain[0].start, chain[-1].end
    return Match("normalised" if folding else "verbatim", start, end, tuple(f for f in FOLDINGS if f in folding))


def _stands(sought: Sought, original: Original, first: int, last: int) -> Iterator[_Stand]:
    """Yield where words stand in a part of the key, from left to right."""
    keyed = original.keyed
    text, begin, finish, words = sought
    for at in original.find(words, first, last) if words else ():
        end = at + len(words)
        left, before = _grown(text[:begin][::-1], keyed.text[max(0, at - 32) : at][::-1], -1)
        right, after = _grown(text[finish:], keyed.text[end : end + 32], 1)
        if span := keyed.span(at - before, end + after):
            begins, ends = begin - left, finish + right
            given = _left_over(text[:begins] + text[ends:])
            folding = needed(text[begins:ends], original.text[slice(*span)], given)
            if folding is not None:
                yield _Stand(*span, at - before, end + after, frozenset(folding))


def _grown(marks: str, beside: str, step: int) -> Span:
    """Return how many of the marks at an end of a quotation stand there in the key too, and how many that is there."""
    taken = reached = 0
    last = ""
    for number, mark in enumerate(marks, 1):
        folded = fold_character(mark)[::step]
        if not folded or folded.isspace():
            continue
        if folded == last and folded in ("-", "..."):
            taken = number
        elif beside.startswith(folded, reached):
            taken, reached, last = number, reached + len(folded), folded
        else:
            break
    return taken, reached


def _left_over(marks: str) -> set[Folding]:
    """Return the foldings that it takes for marks at the ends of a quotation that the original has not there."""
    return {"white space" if mark.isspace() else "punctuation" if fold_character(mark) else "form" for mark in marks}


# ------------------------------------------------------------------------------------------ ellipses


def _chain(
    way: Way, original: Original, touching: Span | None = None, *, swallowing: bool = False
) -> list[_Stand] | None:
    """Return where the parts of a quotation with ellipses stand in order, in as short a stretch as there is."""
    if way.parts == [way.written]:
        return None
    found: list[_Stand] | None = None
    first, *rest = way.soughts
    heads = _stands(first, original, *_range(original, REACH, touching))
    for _, head in zip(range(_TRIES), heads, strict=False):
        if found and len(found) > 1 and head.last > found[1].first:
            break
        chain = _followed([head], rest, original, swallowing=swallowing)
        if chain and _overlaps(chain[0]._replace(end=chain[-1].end), touching) and _is_shorter(chain, found):
            found = chain
    if found and (is_open(way.written.text) or not all(map(_is_left_out, _gaps(found, original)))):
        found[0] = found[0]._replace(folding=found[0].folding | {"punctuation"})
    return found


def _is_shorter(chain: list[_Stand], other: list[_Stand] | None) -> bool:
    return not other or chain[-1].end - chain[0].start < other[-1].end - other[0].start


def _followed(chain: list[_Stand], parts: list[Sought], original: Original, *, swallowing: bool) -> list[_Stand] | None:
    for part in parts:
        last = chain[-1]
        for stand in _stands(part, original, last.last, last.last + 2 * REACH):
            if swallowing or not _swallowed_kind(original.text, last.end, stand.start):
                chain.append(stand)
                break
        if chain[-1] is last or chain[-1].end - chain[0].start > REACH:
            return None
    return chain


def _gaps(chain: list[_Stand], original: Original) -> Iterator[str]:
    """Yield what was left out between parts."""
    for before, after in pairwise(chain):
        yield original.text[before.end : after.start]


def _is_left_out(gap: str) -> bool:
    """Return whether an ellipsis must stand for something left out; else it may be a change of one character."""
    return sum(map(str.isalnum, gap)) > 2 and not has_ellipsis(gap)


def _swallowed_kind(text: str, start: int, end: int) -> ChangeKind | None:
    """Return what an ellipsis in place of `text[start:end]` changes, None if nothing but what is left out."""
    if swallows(text[start:end]):
        return "negation"
    return "number" if start < end and (cuts_number(text, start) or cuts_number(text, end)) else None


def swallows(left_out: str) -> bool:
    """Return whether words left out are so few that leaving out their negation or exception turns the sentence."""
    folded = fold(left_out).strip()
    words = folded.split()
    short = len("".join(words)) <= 8 or (len(words) <= 2 and folded.isascii())
    ends = any(mark in folded for mark in ("!", "?", ";", "\n\n")) or "." in folded
    return short and not ends and negates(folded, "")


# ------------------------------------------------------------------------------------------- nearest


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
    if chain := _chain(way, original, touching, swallowing=True):
        return _swallowed(chain, way, original)
    matches = [_whole(way, original, touching)]
    if 1 < len(way.parts) <= _PARTS:
        matches.append(_by_parts(way.parts, original, touching))
    return max(filter(None, matches), key=lambda match: match.similarity, default=None)


def _whole(way: Way, original: Original, touching: Span | None) -> Match | None:
    """Return the stretch that is most like a quotation as a whole; its ellipses may be those of the text."""
    written = way.parts[0] if len(way.parts) == 1 else way.written
    size = len(written.text)
    for reach in (2 * size, size // 2, 0) if touching else (0,):
        alike = _alike(written, original, *_range(original, reach, touching))
        if match := _best(written, original, (match for match in alike if _overlaps(match, touching))):
            return match
    return None


def _swallowed(chain: list[_Stand], way: Way, original: Original) -> Match:
    changes: list[Change] = []
    for number, gap in enumerate(_gaps(chain, original)):
        if kind := _swallowed_kind(original.text, chain[number].end, chain[number + 1].start):
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


def _alike(written: Written, original: Original, first: int, last: int) -> Iterator[Match]:
    """Yield stretches of a part of the key that are like a quotation, without what it changes."""
    words = sought(written.text).key
    keyed = original.keyed
    for at, end in stretches.like(words, keyed.text, first, min(last, len(keyed.text)), original.places):
        likeness = stretches.similarity(words, keyed.text[at:end])
        yield Match("altered", keyed.source(at), keyed.source(end - 1) + 1, similarity=likeness)


def _best(written: Written, original: Original, alike: Iterable[Match]) -> Match | None:
    """Return the stretch that is most like a quotation, with what it changes, if it is like enough."""
    _, begin, finish, _ = sought(written.text)
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
    _, reached = _grown(marks, fold(beside), 1)
    return next(number for number in range(len(beside) + 1) if len(fold(beside[:number])) >= reached)


def _by_parts(divided: list[Written], original: Original, touching: Span | None) -> Match | None:
    """Return the stretch from the first to the last of parts, each as near as it stands in order."""
    whole = _range(original, REACH, touching)
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
    for stand in _stands(sought(part.text), original, first, last):
        return Match("normalised", stand.start, stand.end)
    return _best(part, original, _alike(part, original, first, last))


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
    return together if changes and alike >= FLOOR and _overlaps(together, touching) else None


def _moved(change: Change, part: Written, by: int) -> Change:
    """Return a change with its place in the whole quotation, and `by` characters further on in the text."""
    start, end = change.in_text
    return replace(change, in_quote=part.span(*change.in_quote), in_text=(start + by, end + by))


def _shifted(change: Change, by: int) -> Change:
    start, end = change.in_text
    return replace(change, in_text=(start + by, end + by))
