"""Text -> the ids that it cites in brackets."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from yuanwen.needle import Span

LABEL = 100  # characters of a bracket that is looked up as a label


@dataclass(frozen=True, kw_only=True)
class Cited:
    """One id in a bracket, as it is written, and where it stands in the answer."""

    id: str
    span: Span


class Bracket(NamedTuple):
    """`[start, end)` is a bracket with what belongs to it; `ids` are the ids cited in it, and where each stands."""

    start: int
    end: int
    ids: tuple[tuple[str, Span], ...]


_bracket = re.compile(r"(?P<image>!?)[\[【［〔](?P<inside>[^\[\]【】［］〔〕\r\n]{1,1000})[\]】］〕]")
_link = re.compile(r"\((?:<[^<>\n]*>|[^\s()「」『』“”\"]*)(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)")
_passage_id = re.compile(r"(?<![\w-])[0-9a-f]{12,}-\d+(?![\w-])", re.I | re.ASCII)
_bare_id = re.compile(rf"(?<![/#=?&.@]){_passage_id.pattern}(?!\.\w|[/=@])", re.I | re.ASCII)
_wrapping = ("（）", "()", "<>", "``", "{}")
_like_an_id = re.compile(r"(?=[^\d]*\d)[\w.:/#-]{1,64}")
_part = re.compile(r"[^,;，；、|]+")
_around = " \t\u3000*`"  # white space, and the marks of code and of bold type


def brackets(text: str, is_known: Callable[[str], bool], links: Collection[str] = ()) -> Iterator[Bracket]:
    """Yield the brackets that cite, in order, and ids of passages that stand in none.

    An id is that of a passage, a label that `is_known` knows, or what looks like one: a single token with a digit, but
    not one of `links` (in lower case), which the text itself defines. Links, images and footnote marks cite nothing.
    """
    done = 0
    for found in _bracket.finditer(text):
        yield from _bare(text, done, found.start(), is_known)
        link = _link.match(text, found.end()) if found[0][-1] == "]" else None
        alone = not link and not found["image"]
        ids = tuple(_ids(found["inside"], found.start("inside"), is_known, links if alone else None))
        done = link.end() if link else found.end()
        if ids:
            yield Bracket(found.start(), done, ids)
    yield from _bare(text, done, len(text), is_known)


def _bare(text: str, start: int, end: int, is_known: Callable[[str], bool]) -> Iterator[Bracket]:
    """Yield the ids of passages in a part of a text without brackets, each with what is wrapped around it."""
    for found in _bare_id.finditer(text, start, end):
        if found[0].replace("-", "").isdecimal() and not is_known(found[0]):
            continue
        first, last = found.span()
        if start < first and last < end and text[first - 1] + text[last] in _wrapping:
            yield Bracket(first - 1, last + 1, ((found[0], (first, last)),))
        else:
            yield Bracket(first, last, ((found[0], (first, last)),))


def _ids(
    inside: str, at: int, is_known: Callable[[str], bool], links: Collection[str] | None
) -> Iterator[tuple[str, Span]]:
    """Yield the ids within a bracket whose inside starts at `at`; what only looks like one counts unless in a link."""

    def known(part: Span) -> bool:
        name = inside[slice(*part)]
        return bool(_passage_id.fullmatch(name)) or (bool(name) and len(inside) <= LABEL and is_known(name))

    def alike(part: Span) -> bool:
        name = inside[slice(*part)]
        return links is not None and bool(_like_an_id.fullmatch(name)) and name.casefold() not in links

    start, end = whole = _trimmed(inside, 0, len(inside))
    if known(whole):
        yield inside[start:end], (at + start, at + end)
        return
    parts = [_trimmed(inside, *found.span()) for found in _part.finditer(inside)]
    sure = [part for part in parts if known(part)]
    if not all(part in sure or alike(part) for part in parts):
        ids = [found.span() for found in _passage_id.finditer(inside)]
        parts = sorted({*sure, *ids})
    for start, end in parts:
        yield inside[start:end], (at + start, at + end)


def _trimmed(inside: str, start: int, end: int) -> Span:
    """Return `[start, end)` without what stands around a word."""
    while start < end and inside[start] in _around:
        start += 1
    while start < end and inside[end - 1] in _around:
        end -= 1
    return start, end
