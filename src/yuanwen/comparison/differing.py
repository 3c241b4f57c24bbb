"""Where two texts differ, in whole words and numbers."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, count
from operator import ne
from typing import NamedTuple

from yuanwen.comparison.kinds import NUMERALS, is_negation
from yuanwen.comparison.sameness import between_digits, fold_character, is_wordy, misplaced
from yuanwen.comparison.stretches import edits

_apart = re.compile(f"(?:(?![{''.join(sorted(NUMERALS))}])[\u4e00-\u9fff]){{2}}")
_breaks = re.compile(r"[^\S\n]*\n\s*[^\W\d_\u0e00-\U0010ffff]")


class Atom(NamedTuple):
    """A folded character, or a run of dashes or dots, with its span in the text.

    `spaced` says that white space stands before it, `optional` that it is a hyphen at the end of a line.
    """

    value: str
    start: int
    end: int
    spaced: bool
    optional: bool


class Region(NamedTuple):
    """Atoms `[i, k)` of the original for which the quotation has its atoms `[j, m)`."""

    i: int
    k: int
    j: int
    m: int


def compared(original: str, quoted: str) -> tuple[list[Atom], list[Atom], list[Region]]:
    """Return the atoms of both, but for beginnings and ends that are the same, and where they differ."""
    first, rest = _shared_ends(original, quoted)
    left, right = (atoms(text, first, len(text) - rest) for text in (original, quoted))
    right = _joined(right, left)
    left = _joined(left, right)
    return left, right, _regions(left, right)


def _shared_ends(one: str, other: str) -> tuple[int, int]:
    """Return how much of the beginnings and ends of two texts is the same and no part of any difference.

    Two Han characters that are the same in both, and no numerals, are on either side of the borders.
    """
    size = min(len(one), len(other))
    first = _border(one, next(compress(count(), map(ne, one, other)), size) - 1)
    rest = min(next(compress(count(), map(ne, reversed(one), reversed(other))), size), size - first)
    return first, _border(one[::-1], rest - 1)


def _border(text: str, at: int) -> int:
    """Return the last offset up to this one at which no word or number is cut, 0 if there is none."""
    return next((at for at in range(at, 0, -1) if _apart.match(text, at - 1)), 0)


def _joined(row: list[Atom], other: list[Atom]) -> list[Atom]:
    """Return the atoms of a text without the hyphens of broken words that the other text has whole."""
    if not any(atom.optional for atom in row):
        return row
    gone: set[int] = set()
    for is_equal, region in edits([a.value for a in row], [a.value for a in other]):
        if not is_equal and region[2] == region[3]:
            gone.update(at for at in range(*region[:2]) if row[at].optional)
    return [atom._replace(spaced=atom.spaced and at - 1 not in gone) for at, atom in enumerate(row) if at not in gone]


# --------------------------------------------------------------------------------------------- atoms


def atoms(text: str, first: int = 0, end: int | None = None) -> list[Atom]:
    """Return the folded characters of a text, or of `text[first:end]`, without white space."""
    found: list[Atom] = []
    spaced = False
    end = len(text) if end is None else end
    parting = {mark.start(1) for mark in between_digits.finditer(text, first, end) if mark[1] in "。、"}
    for at, character in enumerate(text[first:end], first):
        if character.isspace():
            spaced = True
            continue
        optional = character in "-\u2010\u00ad" and bool(found) and _breaks.match(text, at + 1) is not None
        for value in "-" if optional else character if at in parting else fold_character(character):
            if found and not spaced and not value.isalnum() and (is_wordy(value) or value == found[-1].value == "-"):
                last = found[-1]
                found[-1] = last._replace(value=last.value + value if value != "-" else "-", end=at + 1)
            else:
                found.append(Atom(value, at, at + 1, spaced, optional and is_wordy(found[-1].value[0])))
                spaced = False
    return _dotted(found) if "..." in "".join([atom.value for atom in found]) else found


def _dotted(found: list[Atom]) -> list[Atom]:
    """Return atoms with each run of three dots or more as one."""
    runs = re.finditer(r"\.{3,}|(?s:.)", "".join([atom.value[0] for atom in found]))
    return [
        found[run.start()]._replace(value=run[0], end=found[run.end() - 1].end)._replace(value="...")
        if len(run[0]) > 1
        else found[run.start()]
        for run in runs
    ]


def _joins(row: Sequence[Atom], at: int) -> bool:
    """Return whether the atoms before and after this border are of one word or number."""
    if not 0 < at < len(row) or row[at].spaced:
        return False
    before, after = row[at - 1].value[0], row[at].value[0]
    if is_wordy(before) and is_wordy(after):
        return True
    if before in NUMERALS or after in NUMERALS:
        return all(c in NUMERALS or c.isdigit() for c in (before, after))
    return _connects(row, at - 1) or _connects(row, at)


def _connects(row: Sequence[Atom], at: int) -> bool:
    """Return whether an atom is a mark inside of a word or number: don't, well-known, 3.14, 5%."""
    if not 0 < at < len(row) or row[at].spaced:
        return False
    before, mark = row[at - 1].value[0], row[at].value
    if mark in ("%", "‰"):
        return before.isdigit()
    if at + 1 == len(row) or row[at + 1].spaced:
        return False
    after = row[at + 1].value[0]
    if mark in (".", ","):
        return before.isdigit() and after.isdigit()
    return mark in ('"', "-") and is_wordy(before) and is_wordy(after) and not before.isdigit()


# ------------------------------------------------------------------------------------------- regions


def _regions(original: Sequence[Atom], quoted: Sequence[Atom]) -> list[Region]:
    """Return where two rows of atoms differ, in whole words and numbers."""
    raw: list[Region] = []
    for is_equal, (i, k, j, m) in edits([a.value for a in original], [a.value for a in quoted]):
        raw += _spacing(original[i:k], quoted[j:m], i, j) if is_equal else [Region(i, k, j, m)]
    return _merged([_grown(region, original, quoted) for region in raw], original, quoted)


def _spacing(original: Sequence[Atom], quoted: Sequence[Atom], i: int, j: int) -> Iterator[Region]:
    """Yield the borders where equal atoms differ in white space that matters."""
    if [a.spaced for a in original[1:]] == [a.spaced for a in quoted[1:]]:
        return
    places = [0, *accumulate(len(a.value) for a in original)]
    for at, _ in misplaced(_spelt(original), _spelt(quoted)):
        step = places.index(at)
        yield Region(i + step - 1, i + step + 1, j + step - 1, j + step + 1)


def _spelt(row: Sequence[Atom]) -> str:
    return "".join([" " * a.spaced + a.value for a in row]).strip()


def _grown(region: Region, original: Sequence[Atom], quoted: Sequence[Atom]) -> Region:
    """Return a region that cuts no word and no number."""
    i, k, j, m = region
    while i and j and original[i - 1].value == quoted[j - 1].value and (_joins(original, i) or _joins(quoted, j)):
        i, j = i - 1, j - 1
    while (
        k < len(original)
        and m < len(quoted)
        and original[k].value == quoted[m].value
        and (_joins(original, k) or _joins(quoted, m))
    ):
        k, m = k + 1, m + 1
    return Region(i, k, j, m)


def _merged(regions: list[Region], original: Sequence[Atom], quoted: Sequence[Atom]) -> list[Region]:
    """Return regions of which those that touch, or have but a character or two between them, are one."""
    found: list[Region] = []
    for region in regions:
        last = found[-1] if found else None
        if last and (region.i <= last.k or region.j <= last.m or _belong(last, region, original, quoted)):
            found[-1] = Region(last.i, max(last.k, region.k), last.j, max(last.m, region.m))
        else:
            found.append(region)
    return found


def _belong(last: Region, region: Region, original: Sequence[Atom], quoted: Sequence[Atom]) -> bool:
    between = original[last.k : region.i]
    if len(between) > 2 or not all(a.value[0].isalnum() for a in between):
        return False
    sizes = [max(r.k - r.i, r.m - r.j) for r in (last, region)]
    alone = any(negated(row[a:b]) for r in (last, region) for row, a, b in ((original, r.i, r.k), (quoted, r.j, r.m)))
    return not alone and min(sizes) >= len(between) and max(sizes) > 1


def negated(row: Sequence[Atom]) -> bool:
    return bool(row) and is_negation("".join(a.value for a in row))
