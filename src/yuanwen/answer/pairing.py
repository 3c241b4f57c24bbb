"""Quotations and citations of one sentence -> which belong together."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise
from typing import NamedTuple

ADJACENT = 40  # characters between what stands side by side


class Item(NamedTuple):
    """A quotation, or a bracket with citations, at `[start, end)`."""

    start: int
    end: int
    is_quote: bool


CUES = (
    "引自|出自|摘自|参见|详见|见|来源|出处|依据|根据|原文|原句|引文|证据|引用|引述|摘录|"
    "sources?|see|from|cf|supporting|quotes?|quotation|citation|evidence|passage|reference|according to"
)
_between = re.compile(rf"[\W_]*(?:(?:{CUES}|和|与|及|以及|或|又|and|or|in)(?![A-Za-z])[\W_]*)*", re.I)
_parting = re.compile(r"[。！？!?；;，,]|\.\s")  # parts what stands side by side


def pairs(items: Sequence[Item], text: str) -> dict[int, list[int]]:
    """Return for each quotation, by its place in `items`, the places of its citations.

    Side by side, citations precede their quotations if they come first, else they follow. A citation that has no
    quotation beside it goes to those that have none, and so does the only one of a sentence, at its end.
    """
    given: dict[int, list[int]] = {place: [] for place, item in enumerate(items) if item.is_quote}
    if len(given) in (0, len(items)):
        return given
    if len(items) == 2:
        (quote,) = given
        return {quote: [1 - quote]}
    forward = bool(items) and not items[0].is_quote
    groups: list[list[int]] = []  # of citations that stand side by side
    for run in _runs(items, text):
        _pair_run([_Segment(places, items) for places in run], given, forward=forward)
        groups += (places for is_quote, places in _grouped(chain(*run), items) if not is_quote)
    own = taken(given)
    free = [group for group in groups if own.isdisjoint(group)]
    if not free and len(groups) == 1 and groups[0][-1] == len(items) - 1:
        free = groups
    if free:
        _give(free, given, forward=forward)
    return given


def taken(given: dict[int, list[int]]) -> set[int]:
    """Return the places of the citations that belong to a quotation; those side by side share one list."""
    shared = {id(places): places for places in given.values()}
    return {place for places in shared.values() for place in places}


def _grouped(places: Iterable[int], items: Sequence[Item]) -> Iterator[tuple[bool, list[int]]]:
    """Yield neighbours of one kind, and whether they are quotations."""
    for is_quote, group in groupby(places, key=lambda place: items[place].is_quote):
        yield is_quote, list(group)


def _runs(items: Sequence[Item], text: str) -> Iterator[list[list[int]]]:
    """Yield items that stand side by side, in segments that punctuation parts."""
    run: list[list[int]] = [[0]] if items else []
    for place, (one, other) in enumerate(pairwise(items), 1):
        between = " ".join(text[one.end : other.start].split())
        if len(between) > ADJACENT or not _between.fullmatch(between):
            yield run
            run = [[place]]
        elif _parting.search(between):
            run.append([place])
        else:
            run[-1].append(place)
    if run:
        yield run


class _Segment:
    """Items side by side with nothing between them that parts: alternating groups of quotations and citations."""

    def __init__(self, places: list[int], items: Sequence[Item]) -> None:
        self.quotes_first = items[places[0]].is_quote
        self.groups = [group for _, group in _grouped(places, items)]


def _pair_run(run: list[_Segment], given: dict[int, list[int]], *, forward: bool) -> None:
    """Pair what stands side by side; a segment of one kind looks for the other kind in those beside it.

    In a sentence that begins with a citation (`forward`), that is not in one after it.
    """
    segments: list[_Segment] = []
    for segment in run:
        last = segments[-1] if segments else None
        if last and len(last.groups) == len(segment.groups) == 1 and last.quotes_first == segment.quotes_first:
            last.groups[0] += segment.groups[0]
        elif last and len(last.groups) == len(segment.groups) == 1 and not (forward and last.quotes_first):
            last.groups += segment.groups
        else:
            segments.append(segment)
    for segment in segments:
        _pair_segment(segment, given)
    for number, segment in enumerate(segments):
        if len(segment.groups) > 1 or not segment.quotes_first:
            continue
        before, after = segments[number - 1] if number else None, segments[number + 1 : number + 2]
        if after and after[0].quotes_first:
            like = after[0].groups[0][0]
        elif before and not before.quotes_first and len(before.groups) > 1:
            like = before.groups[-1 - len(before.groups) % 2][0]
        else:
            continue
        for quote in segment.groups[0]:
            given[quote] = given[like]


def _pair_segment(segment: _Segment, given: dict[int, list[int]]) -> None:
    groups = segment.groups
    for one, other in zip(groups[::2], groups[1::2], strict=False):
        quotes, citations = (one, other) if segment.quotes_first else (other, one)
        for quote in quotes:
            given[quote] = citations
    if not segment.quotes_first and len(groups) > 2 and len(groups) % 2:
        both = [*groups[-3], *groups[-1]]
        for quote in groups[-2]:
            given[quote] = both


def _give(groups: list[list[int]], given: dict[int, list[int]], *, forward: bool) -> None:
    """Give each quotation that has none the nearest of these groups: the one before it, if they point forward."""
    starts = [group[0] for group in groups]
    for quote, citations in given.items():
        if not citations:
            place = bisect_left(starts, quote)
            given[quote] = groups[place - 1 if place and (forward or place == len(groups)) else place]
