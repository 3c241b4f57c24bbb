"""Where the words of a quotation stand in an original text, to the letter or folded."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from yuanwen.comparison.kinds import cuts_number, negates
from yuanwen.comparison.original import REACH, Match, Original, Span
from yuanwen.comparison.places import SMALL, occurrences
from yuanwen.comparison.quotation import Quotation, Sought, Way, has_ellipsis, is_open
from yuanwen.comparison.sameness import FOLDINGS, fold, fold_character, needed
from yuanwen.verification import ChangeKind, Folding

_TRIES = 200  # as many places of a first part are tried


class Stand(NamedTuple):
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
        for stand in stands(way.sought, original, *range_of(original, len(quotation.text), touching)):
            if overlaps(stand, touching):
                return _match([stand], quotation, way)
    for way in quotation.ways:
        if chain := chain_of(way, original, touching):
            return _match(chain, quotation, way)
    if plain := original.unmarked:
        found = standing(quotation, plain.original, plain.touching(touching))
        return plain.match(found) if found else None
    return None


def _literal(quotation: Quotation, original: Original, touching: Span | None) -> int | None:
    """Return where a quotation stands to the letter."""
    text, size = original.text, len(quotation.text)
    first, last = (max(0, touching[0] - size + 1), touching[1] + size - 1) if touching else (0, len(text))
    if last - first > SMALL and original.places.knows(quotation.ways[0].sought.key):
        sought = quotation.ways[0].sought
        for at in original.places.find(sought.key, *range_of(original, size, touching)):
            start = original.keyed.source(at) - sought.begin
            if first <= start <= last - size and text.startswith(quotation.text, start):
                return start
        return None
    return next(occurrences(quotation.text, text, first, last), None)


def range_of(original: Original, length: int, touching: Span | None) -> Span:
    """Return a part of the key that holds all words of this length which touch a span."""
    keyed = original.keyed
    first, last = keyed.about(*touching) if touching else (0, len(keyed.text))
    return max(0, first - length), min(last + length, len(keyed.text))


def overlaps(stand: Stand | Match, touching: Span | None) -> bool:
    return not touching or (stand.start < touching[1] and touching[0] < stand.end)


def _match(chain: list[Stand], quotation: Quotation, way: Way) -> Match:
    folding = frozenset[Folding]().union(*(stand.folding for stand in chain))
    if way is not quotation.ways[0]:
        folding |= {"markup"}
    start, end = chain[0].start, chain[-1].end
    return Match("normalised" if folding else "verbatim", start, end, tuple(f for f in FOLDINGS if f in folding))


def stands(sought: Sought, original: Original, first: int, last: int) -> Iterator[Stand]:
    """Yield where words stand in a part of the key, from left to right."""
    keyed = original.keyed
    text, begin, finish, words = sought
    for at in original.places.find(words, first, last) if words else ():
        end = at + len(words)
        left, before = grown(text[:begin][::-1], keyed.text[max(0, at - 32) : at][::-1], -1)
        right, after = grown(text[finish:], keyed.text[end : end + 32], 1)
        if span := keyed.span(at - before, end + after):
            begins, ends = begin - left, finish + right
            given = _left_over(text[:begins] + text[ends:])
            folding = needed(text[begins:ends], original.text[slice(*span)], given)
            if folding is not None:
                yield Stand(*span, at - before, end + after, frozenset(folding))


def grown(marks: str, beside: str, step: int) -> Span:
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


def chain_of(
    way: Way, original: Original, touching: Span | None = None, *, swallowing: bool = False
) -> list[Stand] | None:
    """Return where the parts of a quotation with ellipses stand in order, in as short a stretch as there is."""
    if way.parts == [way.written]:
        return None
    found: list[Stand] | None = None
    first, *rest = way.soughts
    heads = stands(first, original, *range_of(original, REACH, touching))
    for _, head in zip(range(_TRIES), heads, strict=False):
        if found and len(found) > 1 and head.last > found[1].first:
            break
        chain = _followed([head], rest, original, swallowing=swallowing)
        if chain and overlaps(chain[0]._replace(end=chain[-1].end), touching) and _is_shorter(chain, found):
            found = chain
    if found and (is_open(way.written.text) or not all(map(_is_left_out, gaps(found, original)))):
        found[0] = found[0]._replace(folding=found[0].folding | {"punctuation"})
    return found


def _is_shorter(chain: list[Stand], other: list[Stand] | None) -> bool:
    return not other or chain[-1].end - chain[0].start < other[-1].end - other[0].start


def _followed(chain: list[Stand], parts: list[Sought], original: Original, *, swallowing: bool) -> list[Stand] | None:
    for part in parts:
        last = chain[-1]
        for stand in stands(part, original, last.last, last.last + 2 * REACH):
            if swallowing or not swallowed_kind(original.text, last.end, stand.start):
                chain.append(stand)
                break
        if chain[-1] is last or chain[-1].end - chain[0].start > REACH:
            return None
    return chain


def gaps(chain: list[Stand], original: Original) -> Iterator[str]:
    """Yield what was left out between parts."""
    for before, after in pairwise(chain):
        yield original.text[before.end : after.start]


def _is_left_out(gap: str) -> bool:
    """Return whether an ellipsis must stand for something left out; else it may be a change of one character."""
    return sum(map(str.isalnum, gap)) > 2 and not has_ellipsis(gap)


def swallowed_kind(text: str, start: int, end: int) -> ChangeKind | None:
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
