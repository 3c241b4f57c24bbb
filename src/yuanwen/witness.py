"""Where the words of a quotation are looked for, and how a library does it. What they say is compared elsewhere."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Protocol

from yuanwen import analysis, evidence, succession
from yuanwen.comparison import Original, Quotation
from yuanwen.exact import Exact
from yuanwen.index import NO_FILTERS, Clause, Index, Some, Term
from yuanwen.model import State
from yuanwen.needle import Needle, Span
from yuanwen.scope import Scope
from yuanwen.store import reading
from yuanwen.store.reading import Row

KEPT = 256  # texts of passages that are kept folded
FEW = 5  # passages that are looked at for one quotation without a place
RARE = 8  # words of a quotation by which passages like it are found: the rarest, whose postings are short
_edges = re.compile(r"^[\W_]+|[\W_]+$")


class Stretch:
    """Passages of one version that follow each other, and their text."""

    def __init__(
        self, rows: Sequence[Row], original: Original | None = None, starts: Sequence[int] | None = None
    ) -> None:
        self.rows = rows
        self.original = original or Original("".join(row.text for row in rows))
        self._starts = starts or [row.start for row in rows]

    def part(self, start: int, end: int) -> Sequence[Row]:
        """Return the passages that `[start, end)` of the text touches, the first of which holds `start`."""
        base = self._starts[0]
        first = bisect_right(self._starts, base + start) - 1
        return self.rows[first : max(bisect_left(self._starts, base + end), first + 1)]


class Witness(Protocol):
    """What can say which words stand where."""

    def prepare(self, quotations: Iterable[Quotation]) -> None:
        """Get ready to look for many quotations everywhere, if that makes them cheaper."""

    def named(self, name: str) -> Sequence[Row]:
        """Return the passages that a citation names, those of current versions first; none for an unknown one."""

    def around(self, row: Row, reach: int) -> Stretch:
        """Return a passage and at least what stands `reach` characters before and after it."""

    def holding(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield a few stretches that may hold a quotation, all of them if it stands there as it is."""

    def held(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield the same of versions that are not current any more."""

    def like(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield a few stretches that share rare words with a quotation, the likeliest first."""

    def state(self, row: Row) -> State:
        """Return whether a version is current, and its file as it was."""

    def successor(self, row: Row, span: Span) -> "succession.Successor | None":
        """Return what stands now where `span` of the text of a superseded version stood; None if it is gone."""

    def documents(self, sha256: str) -> Iterator[Stretch]:
        """Yield all passages of each document that a file with these bytes holds, in any version."""

    def has_source(self, name: str) -> bool:
        """Return whether there is a document, with whatever bytes, that a receipt would call by this name."""


class LibraryWitness:
    """A library, as one snapshot of it says."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._states: dict[tuple[str | bytes, bool], State] = {}
        self._texts: dict[int, str] = {}
        self._original = lru_cache(KEPT)(Original)

    def prepare(self, quotations: Iterable[Quotation]) -> None:
        """Do nothing: there is an index."""

    def named(self, name: str) -> Sequence[Row]:
        """Return the passages with this label, or this id in either case."""
        return reading.by_id(self._scope.db, name) or reading.by_id(self._scope.db, name.lower())

    def around(self, row: Row, reach: int) -> Stretch:
        """Return a passage and its surroundings; records stand alone."""
        return self._stretch(reading.beyond(self._scope.db, row, reach))

    def _stretch(self, rows: Sequence[Row]) -> Stretch:
        return Stretch(rows, self._original("".join(row.text for row in rows)))

    def holding(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield current passages that hold the words of a quotation as `exact` finds them."""
        return self._holding(quotation, reach, self._scope.current, superseded=False)

    def held(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield the same of superseded versions."""
        if self._scope.old is not None:
            yield from self._holding(quotation, reach, self._scope.old, superseded=True)

    def _holding(self, quotation: Quotation, reach: int, index: Index, *, superseded: bool) -> Iterator[Stretch]:
        core = max((_edges.sub("", part) for part in quotation.parts), key=len, default="")
        if not core:
            return
        exact = Exact(self._scope, index, superseded, Needle(core), NO_FILTERS, FEW)
        for finding in exact.likely()[:FEW]:
            yield self.around(finding.row, reach)

    def like(self, quotation: Quotation, reach: int) -> Iterator[Stretch]:
        """Yield the current passages that rank best by the rarest words of a quotation."""
        index = self._scope.current
        clause = _rarest(index, quotation.text)
        if clause is None:
            return
        hits = index.search(clause, limit=FEW).hits
        rows = reading.rows(self._scope.db, [passage for passage, _ in hits])
        for passage, _ in hits:
            if passage in rows:
                yield self.around(rows[passage], reach)

    def state(self, row: Row) -> State:
        """Return the state of a version; each file is looked at once."""
        key = (row.path, row.current)
        if key not in self._states:
            self._states[key] = evidence.state(row, thorough=True)
        return self._states[key]

    def successor(self, row: Row, span: Span) -> "succession.Successor | None":
        """Return what the current version of the document says there."""
        return succession.successor(self._scope.db, row, span, texts=self._texts)

    def documents(self, sha256: str) -> Iterator[Stretch]:
        """Yield the documents of the versions with this hash."""
        yield from map(self._stretch, reading.by_hash(self._scope.db, sha256))

    def has_source(self, name: str) -> bool:
        """Return whether a file is called so."""
        return reading.has_file(self._scope.db, name)


def _rarest(index: Index, text: str) -> Clause | None:
    """Return the clause that finds passages by the rarest tokens of a text, None if the index has none of them."""
    tokens = list(dict.fromkeys(analysis.tokens(text).ordered.split()))
    known = [(n, token) for n, token in zip(index.frequencies("text", tokens), tokens, strict=True) if n]
    parts = tuple(Term("text", token) for _, token in sorted(known)[:RARE])
    return Some(parts) if parts else None
