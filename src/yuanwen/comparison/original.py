"""An original text that quotations are compared with, and what comes of comparing one."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple

from yuanwen.comparison.keyed import Keyed
from yuanwen.comparison.markup import Unmarked
from yuanwen.comparison.places import Places
from yuanwen.comparison.quotation import Quotation
from yuanwen.comparison.sameness import FOLDINGS
from yuanwen.verification import Change, Folding

Span = tuple[int, int]

REACH = 2000  # characters from the start of the first to the end of the last part of a quotation with ellipses
MARGIN = 50  # characters beyond its length over which a quotation without ellipses may stretch: white space, markup


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
        self._keys: Collection[str] = ()

    @cached_property
    def keyed(self) -> Keyed:
        """The text as words are looked up in it."""
        return Keyed(self.text)

    @cached_property
    def places(self) -> Places:
        """Where words stand in the key of the text."""
        return Places(self.keyed.text, self._keys)

    def expect(self, keys: Collection[str]) -> None:
        """Make words with these `keys` be looked for together, as soon as the first of them is."""
        self._keys = keys
        vars(self).pop("places", None)
        if plain := vars(self).get("unmarked"):
            plain.original.expect(keys)

    @cached_property
    def unmarked(self) -> "_Unmarked | None":
        """The text without the marks of Markdown, None if it has none."""
        plain = Unmarked(self.text)
        return _Unmarked(plain, self._keys) if plain else None


def keys(quotations: Iterable[Quotation]) -> frozenset[str]:
    """Return what is looked for of quotations: see `Original.expect`."""
    return frozenset(
        each.key for quotation in quotations for way in quotation.ways for each in (way.sought, *way.soughts)
    )


class _Unmarked:
    """An original without the marks of Markdown, and the way back."""

    def __init__(self, plain: Unmarked, keys: Collection[str]) -> None:
        self._plain = plain
        self.original = Original(plain.text)
        self.original.expect(keys)

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
