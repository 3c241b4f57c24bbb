"""What a quotation changes: a diff in whole words and numbers, the grave kinds of change first."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

from yuanwen.comparison.differing import Atom, Region, atoms, compared, negated
from yuanwen.comparison.kinds import KINDS, NUMERALS, kind_of, number_about
from yuanwen.comparison.sameness import is_wordy
from yuanwen.comparison.stretches import edits
from yuanwen.verification import Change

_SWAPPED, _SWAPPED_WORDS = 8, 4  # what is longer was put there, and replaces nothing
_wordy = re.compile("[^\\W_\u0e00-\U0010ffff]+")
_tokens = re.compile(f"\\d+(?:[.,]\\d+)*%?|[{''.join(sorted(NUMERALS))}]+|[^\\W\\d_\u0e00-\U0010ffff]+|\\s+|(?s:.)")


class Difference(NamedTuple):
    """The original from `start` to `end` and what the quotation changes of it, the gravest first."""

    start: int
    end: int
    changes: tuple[Change, ...]


def difference(quoted: str, text: str, start: int, end: int) -> Difference:
    """Return what a quotation changes of about `text[start:end]`, which may grow by words that it replaces.

    Offsets of the changes are in `quoted` and in `text[start:end]` as returned.
    """
    left, right, regions = compared(text[start:end], quoted)
    reached = _reached(right, text, start, end, regions, len(left))
    if reached != (start, end):
        start, end = reached
        left, right, regions = compared(text[start:end], quoted)
    changes = [_change(region, left, right, text[start:end], quoted) for region in regions]
    return Difference(start, end, graver_first(changes))


def _reached(right: list[Atom], text: str, start: int, end: int, regions: list[Region], length: int) -> tuple[int, int]:
    """Return a span that has whole words at its ends, and for words that were put there, those that they replace."""
    for region in regions[:1]:
        if region.i == region.j == 0:
            put = right[: region.m]
            start -= _reach(
                text[max(0, start - 80) : start][::-1], text[start : start + 1], put if region.k == 0 else []
            )
            start -= _shared(text[max(0, start - 2 * _SWAPPED) : start][::-1], put)
            start, _ = number_about(text, start)
    for region in regions[-1:]:
        if region.k == length and region.m == len(right):
            put = right[region.j :]
            end += _reach(text[end : end + 80], text[end - 1 : end], put if region.i == region.k else [])
            end += _shared(text[end : end + 2 * _SWAPPED], put[::-1])
            _, end = number_about(text, end)
    return start, end


def _shared(beside: str, put: Sequence[Atom]) -> int:
    """Return how many of the characters beside an edge belong to a quotation that puts these words at its end, the
    last one first: as many as make the text more like it.
    """
    if not put or not put[0].value.isalnum() or is_wordy(put[0].value):
        return 0
    row = atoms(beside)
    gain, reached = 0, 0
    for number, atom in enumerate(row, 1):
        pairs = zip(reversed(row[:number]), put, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0].value == pair[1].value, pairs))
        if 2 * same - number > gain:
            gain, reached = 2 * same - number, atom.end
    return reached


def _reach(beside: str, edge: str, put: list[Atom]) -> int:
    """Return how many of the characters beside an edge belong to its word, or are what was replaced by those put."""
    if edge and is_wordy(edge) and (word := _wordy.match(beside)):
        return word.end()
    if not put or negated(put):
        return 0
    if is_wordy(put[0].value[0]):
        words = 1 + sum(atom.spaced for atom in put[1:])
        pattern = f"(?:\\s?[^\\W_\u0e00-\U0010ffff]+){{1,{words}}}" if words <= _SWAPPED_WORDS else "(?!)"
    else:
        pattern = f"[^\\W_]{{1,{len(put)}}}(?:(?<=\\d)\\d+)?" if len(put) <= _SWAPPED else "(?!)"
    found = re.match(pattern, beside)
    return found.end() if found else 0


def graver_first(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return changes in the order of `KINDS`, those of one kind as they stand."""
    return tuple(sorted(changes, key=lambda change: (KINDS.index(change.kind), change.in_quote)))


def _change(region: Region, left: list[Atom], right: list[Atom], original: str, quoted: str) -> Change:
    in_text, in_quote = _span(left, region.i, region.k), _span(right, region.j, region.m)
    return Change(
        kind=kind_of(original, in_text, quoted, in_quote),
        original=original[slice(*in_text)],
        quoted=quoted[slice(*in_quote)],
        in_quote=in_quote,
        in_text=in_text,
    )


def _span(row: list[Atom], first: int, last: int) -> tuple[int, int]:
    if first < last:
        return row[first].start, row[last - 1].end
    at = row[first - 1].end if first else row[0].start if row else 0
    return at, at


def pieces(original: str, quoted: str) -> list[tuple[Literal["=", "-", "+"], str]]:
    """Return a diff to be shown: what both have, what only the original has, what only the quotation has.

    All that is "=" or "-" is the original, all that is "=" or "+" the quotation, to the letter.
    """
    found: list[tuple[Literal["=", "-", "+"], str]] = []
    left, right = (_tokens.findall(text) for text in (original, quoted))
    for is_equal, (i, k, j, m) in edits(left, right):
        if is_equal:
            found.append(("=", "".join(left[i:k])))
        else:
            found += [("-", "".join(left[i:k]))] * (i < k)
            found += [("+", "".join(right[j:m]))] * (j < m)
    return found
