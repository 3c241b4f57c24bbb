"""Passages that hold a whole string, wherever it stands: an index finds candidates, the stored text decides."""

from collections.abc import Iterator

from yuanwen import analysis
from yuanwen.filters import selected
from yuanwen.index import NO_FILTERS, AnyTerm, Clause, Everything, Filters, Index, Part, Phrase, Prefix, Term
from yuanwen.model import Match
from yuanwen.needle import Needle, Span
from yuanwen.plan import every
from yuanwen.scope import Finding, Scope
from yuanwen.store import reading
from yuanwen.store.reading import Row

VERIFIED = 1000  # candidates whose text is re-checked for one search
ENOUGH_WORDS = 3  # tokens in a row that are rare enough to look for without the words at both ends
BATCH = 50  # candidates that are re-checked at a time


class Exact:
    """The passages that may hold a needle, and those of them that do."""

    def __init__(
        self, scope: Scope, index: Index, superseded: bool, wanted: Needle, filters: Filters, enough: int
    ) -> None:
        self.scope = scope
        self.index = index
        self.superseded = superseded
        self.wanted = wanted
        self.filters = filters
        self.enough = enough
        self.total = 0
        self.counted = True

    def confirmed(self) -> list[Finding]:
        """Return the passages that hold the needle, best first, and then those where it crosses a border."""
        clause, certain = exact_clause(self.wanted)
        proposed = self._scan() if clause is None else self._search(clause)
        within = list(self._within(proposed, certain))
        seen = {finding.row.passage for finding in within}
        return sorted([*within, *self._across(seen)], key=lambda f: (-f.score, f.row.id))

    def likely(self) -> list[Finding]:
        """Return what holds the needle within one passage, else over a border, as far as its whole words tell.

        Unlike `confirmed` this does not look through the dictionary for words of which the needle has a part.
        """
        clause, certain = exact_clause(self.wanted, whole_words=True)
        proposed = self._scan() if clause is None else self._search(clause)
        return list(self._within(proposed, certain)) or list(self._across(set()))

    def _search(self, clause: Clause) -> list[tuple[int, float]]:
        found = self.index.search(clause, self.filters, limit=max(self.enough, BATCH), count=True)
        self.total = found.total or 0
        if self.total > len(found.hits):
            found = self.index.search(clause, self.filters, limit=max(self.enough, VERIFIED))
        return [(passage, round(max(score, 0.0), 6)) for passage, score in found.hits]  # as shown, for ties

    def _scan(self) -> list[tuple[int, float]]:
        """Return all passages that the words of the needle cannot narrow down but its characters do."""
        hits = [
            (passage, 1.0)
            for passage, text in reading.scan(self.scope.db, superseded=self.superseded)
            if self.wanted.spans(text)[0] or self._may_run_on(text)
        ]
        if self.filters != NO_FILTERS:
            rows = reading.rows(self.scope.db, [p for p, _ in hits], superseded=self.superseded)
            hits = [(p, s) for p, s in hits if p in rows and selected(rows[p], self.filters)]
        self.total = len(hits)
        return hits

    def _may_run_on(self, text: str) -> bool:
        """Return whether the needle may start at the end of a text, and go on in the next passage."""
        start = self.wanted.text[: analysis.NEEDLE]
        return any(text.endswith(start[:length]) for length in range(1, len(start)))

    def _within(self, proposed: list[tuple[int, float]], certain: bool) -> Iterator[Finding]:
        expected, confirmed, checked, verbatim = self.total, 0, 0, 0
        seen: set[int] = set()  # two passages may both lead to the words that cross their border
        for start in range(0, len(proposed), BATCH):
            batch = proposed[start : start + BATCH]
            rows = reading.rows(self.scope.db, [p for p, _ in batch], superseded=self.superseded)
            for passage, score in batch:
                checked += 1
                row = rows.get(passage)
                finding = self._confirm(row, score) if row is not None else None
                if finding is not None and finding.row.passage not in seen:
                    seen.add(finding.row.passage)
                    confirmed += 1
                    verbatim += finding.match == "verbatim"
                    yield finding
            following = proposed[start + BATCH][1] if start + BATCH < len(proposed) else None
            if certain and verbatim == checked and checked >= self.enough and following != batch[-1][1]:
                return  # the best are among them, and the index alone tells how many there are
        self.total = confirmed
        self.counted = checked >= expected

    def _confirm(self, row: Row, score: float) -> Finding | None:
        spans, verbatim = self.wanted.spans(row.text)
        if spans:
            match: Match = "verbatim" if verbatim else "folded"
            score = 1 + score if verbatim else score / (1 + score)  # the very string stands before any folded one
            return Finding(row=row, text=row.text, score=score, match=match, matches=tuple(spans))
        return self._beyond(row, score)

    def _beyond(self, row: Row, score: float) -> Finding | None:
        """Return the passages around `row` that hold the needle together, None if they do not."""
        rows = reading.beyond(self.scope.db, row, len(self.wanted.text))
        spans, verbatim = self.wanted.spans("".join(r.text for r in rows))
        return _crossing(rows, row, spans, "verbatim" if verbatim else "folded", score)

    def _across(self, seen: set[int]) -> Iterator[Finding]:
        """Yield where the needle stands across the border of two passages, or of two lines that a hyphen joins."""
        tokens = list(dict.fromkeys(analysis.crossings(analysis.squeezed(self.wanted.folded))))
        known = [t for t, n in zip(tokens, self.index.frequencies("terms", tokens), strict=True) if n]
        if not known:
            return
        clause = AnyTerm(tuple(known), "terms")
        hits = self.index.search(clause, self.filters, limit=VERIFIED).hits
        rows = reading.rows(self.scope.db, [p for p, _ in hits if p not in seen], superseded=self.superseded)
        for row in rows.values():
            finding = self._confirm(row, 0.0)  # a word that a hyphen breaks stands within the passage
            if finding is not None and finding.row.passage not in seen:
                seen.add(finding.row.passage)
                self.total += 1
                yield finding
        self.counted = self.counted and len(hits) < VERIFIED


def _crossing(rows: list[Row], row: Row, spans: list[Span], match: Match, score: float) -> Finding | None:
    """Return the passages that the first span touching `row` runs over, as one finding."""
    base = rows[0].start
    for start, end in spans:
        touched = [r for r in rows if r.start < base + end and r.end > base + start]
        if row in touched:
            first = touched[0]
            text = "".join(r.text for r in touched)
            inside = tuple(
                (s + base - first.start, e + base - first.start)
                for s, e in spans
                if s + base >= first.start and e + base <= touched[-1].end
            )
            return Finding(row=first, text=text, score=score, match=match, matches=inside)
    return None


def exact_clause(wanted: Needle, *, whole_words: bool = False) -> tuple[Clause | None, bool]:
    """Return a clause that finds every passage which holds the needle, and whether it finds no other.

    The clause is None if nothing in the needle is in the index, such as control characters. With `whole_words` words at
    its ends, of which it may have a part, do not count if there are others: that is quicker.
    """
    runs = analysis.runs(analysis.closed(wanted.folded))
    if not runs:
        marks = sorted(analysis.symbols(wanted.folded))
        return (every([Term("terms", mark) for mark in marks]), False) if marks else (None, False)
    parts: list[Clause] = []
    first, last = runs[0], runs[-1]
    if len(runs) == 1 and not analysis.is_cut(first[0]):
        return Part(first[: analysis.NEEDLE], "inside"), False
    if not analysis.is_cut(first[0]):
        parts.append(Part(first[-analysis.NEEDLE :], "end"))
        runs = runs[1:]
    if not analysis.is_cut(last[0]):
        parts.append(Part(last[: analysis.NEEDLE], "start"))
        runs = runs[:-1]
    certain = not parts and len(runs) == 1 and not analysis.symbols(wanted.folded)
    if whole_words and len(analysis.ordered(runs).split()) >= ENOUGH_WORDS:
        parts.clear()
    if runs:
        ordered = analysis.ordered(runs).split()
        ends_cut = analysis.is_cut(last[0])
        if ends_cut and len(last) > 1:
            ordered = ordered[:-1]
        elif ends_cut:
            parts.append(Prefix(ordered.pop()))
        if ordered:
            parts.append(Phrase(tuple(ordered)))
    clause = every(parts)
    return (None, False) if isinstance(clause, Everything) else (clause, certain)
