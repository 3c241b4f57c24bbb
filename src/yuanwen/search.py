"""A query -> what was found, one small function a mode; MODES is the table of them."""

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from yuanwen import analysis, needle, query, ranking
from yuanwen.errors import QueryError, UsageError
from yuanwen.index import All, AnyTerm, Clause, Everything, Filters, Index, Phrase, Prefix, Some, Term
from yuanwen.model import MODES as MODE_NAMES
from yuanwen.model import Match, Mode
from yuanwen.needle import Needle, Span
from yuanwen.store import reading
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Row

VERIFIED = 1000  # candidates whose text is re-checked for one search
WORD_LIMIT = 2000  # words that a part of a word may stand for
SECTION = 10  # passages on each side that `expand` shows of a section


class Request(NamedTuple):
    """What is asked of a library. Times and filters as a person writes them."""

    query: str
    mode: Mode = "ranked"
    limit: int = 10
    offset: int = 0
    before: int = 0
    after: int = 0
    tags: tuple[str, ...] = ()
    source: str = ""
    type: str = ""
    since: str = ""
    until: str = ""
    all_versions: bool = False


class Scope(NamedTuple):
    """Where a search looks: one snapshot of the store, and an index that has seen the same changes."""

    db: Connection
    current: Index
    old: Index | None
    totals: reading.Totals
    now: datetime


class Finding(NamedTuple):
    """A passage that was found; `text` may run on over the border to the following passages."""

    row: Row
    text: str
    score: float
    match: Match
    matches: tuple[Span, ...] = ()
    coverage: float = 1.0
    parts: Mapping[str, float] = {}


class Outcome(NamedTuple):
    """What a mode found. `total` is a lower bound unless `counted`."""

    findings: list[Finding]
    total: int
    counted: bool
    notes: tuple[str, ...] = ()
    context: tuple[int, int] | None = None


def search(scope: Scope, request: Request) -> Outcome:
    """Return what is found in the scope. Raises QueryError or UsageError for a request that makes no sense."""
    if request.mode not in MODES:
        raise UsageError(
            "there is no mode {mode}",
            hint="Choose one of: {modes}.",
            mode=request.mode,
            modes=", ".join(MODES),
        )
    if request.limit < 1 or request.offset < 0 or request.before < 0 or request.after < 0:
        raise UsageError("limit must be 1 or more, offset, before and after 0 or more", hint="Change the number.")
    if not request.query.strip() and request.mode != "raw":
        raise QueryError("the query is empty", hint="Say what to look for.")
    return MODES[request.mode](scope, request)


# ------------------------------------------------------------------------------------------------ modes


def ranked(scope: Scope, request: Request) -> Outcome:
    """Return the passages that answer best, by the words of the query and its operators."""
    parsed = query.parse(request.query)
    filters = _filters(scope, request, parsed.conditions)
    if parsed.node is None:
        return _everything(scope, request, filters, parsed.notes)
    plan = _plan(scope, parsed.node)
    outcome = _ranked(scope, request, plan, filters)
    if not outcome.findings and plan.relaxes:
        loose = _Plan(plan.words, None, None)
        outcome = _ranked(scope, request, loose, filters)
        if outcome.findings:
            note = "no passage has all that the query requires; searched for any of its words"
            return outcome._replace(notes=(*parsed.notes, note))
    return outcome._replace(notes=parsed.notes + outcome.notes)


def expand(scope: Scope, request: Request) -> Outcome:
    """Return what `ranked` finds, with its surroundings: the section, unless a number of passages was asked for."""
    outcome = ranked(scope, request)
    asked = request.before or request.after
    return outcome._replace(context=(request.before, request.after) if asked else None)


def hybrid(scope: Scope, request: Request) -> Outcome:
    """Return what `ranked` finds: there are no vectors yet to find more by."""
    outcome = ranked(scope, request)
    return outcome._replace(notes=(*outcome.notes, "the library has no vectors: hybrid searched by words alone"))


def exact(scope: Scope, request: Request) -> Outcome:
    """Return the passages that hold the whole string, wherever it stands; the stored text decides."""
    filters = _filters(scope, request, ())
    wanted = Needle(request.query)
    findings: list[Finding] = []
    total, counted, wholly = 0, True, request.offset + request.limit
    for index, superseded in _indexes(scope, request):
        candidates = _Candidates(scope, index, superseded, wanted, filters, wholly)
        for finding in candidates.confirmed():
            findings.append(finding)
        total += candidates.total
        counted = counted and candidates.counted
    return Outcome(findings=_page(findings, request), total=total, counted=counted)


def raw(scope: Scope, request: Request) -> Outcome:
    """Return whole records by id, label or source; without any, what the filters select, newest first."""
    filters = _filters(scope, request, ())
    if not request.query.strip():
        return _everything(scope, request, filters, ())
    rows: list[Row] = []
    for name in _names(scope.db, request.query):
        rows += [row for row in lookup(scope.db, name) if row not in rows]
    if filters != Filters():
        rows = [row for row in rows if _selected(row, filters)]
    findings = [_whole(row) for row in rows]
    return Outcome(findings=_page(findings, request), total=len(findings), counted=True)


MODES: dict[Mode, Callable[[Scope, Request], Outcome]] = {
    "ranked": ranked,
    "exact": exact,
    "hybrid": hybrid,
    "expand": expand,
    "raw": raw,
}
assert tuple(MODES) == MODE_NAMES


def lookup(db: Connection, name: str) -> list[Row]:
    """Return the passages that an id, a label or a source names; the first of several with the same id."""
    found = reading.by_id(db, name)
    if found and found[0].label != name:
        return found[:1]
    current = [row for row in found if row.current]
    return current or found or reading.by_source(db, name)


def _names(db: Connection, text: str) -> Iterator[str]:
    """Yield the names in the query of `raw`: the whole text if it is one, else what white space separates."""
    yield from [text.strip()] if lookup(db, text.strip()) else text.split()


def _page(findings: list[Finding], request: Request) -> list[Finding]:
    return findings[request.offset : request.offset + request.limit]


def _whole(row: Row) -> Finding:
    return Finding(row=row, text=row.text, score=1.0, match="verbatim")


def _everything(scope: Scope, request: Request, filters: Filters, notes: tuple[str, ...]) -> Outcome:
    """Return all that the filters select, newest first."""
    passages = reading.newest(
        scope.db,
        filters.documents,
        filters.media_types,
        filters.tags,
        filters.unwanted_tags,
        filters.since,
        filters.until,
    )
    page = passages[request.offset : request.offset + request.limit]
    rows = reading.rows(scope.db, page)
    return Outcome(
        findings=[_whole(rows[passage]) for passage in page if passage in rows],
        total=len(passages),
        counted=True,
        notes=notes,
    )


# ---------------------------------------------------------------------------------------------- filters


def _filters(scope: Scope, request: Request, conditions: Sequence[query.Condition]) -> Filters:
    """Return what a passage must be, from the filters of the request and those typed into the query."""
    conditions = [
        *conditions,
        *(query.Condition("source", request.source) for _ in range(bool(request.source))),
        *(query.Condition("type", request.type) for _ in range(bool(request.type))),
        *(query.Condition("tag", tag) for tag in request.tags),
    ]
    documents: frozenset[int] | None = None
    media_types: tuple[str, ...] | None = None
    for condition in conditions:
        if condition.field == "source":
            matching = _documents(scope.db, condition)
            documents = matching if documents is None else documents & matching
        elif condition.field == "type":
            known = reading.media_types(scope.db) if media_types is None else list(media_types)
            media_types = tuple(m for m in known if is_type(m, condition.value) == condition.wanted)
    tags = [c for c in conditions if c.field == "tag"]
    since, until = _seconds(scope, request)
    return Filters(
        documents=documents,
        media_types=media_types,
        tags=tuple(c.value for c in tags if c.wanted),
        unwanted_tags=tuple(c.value for c in tags if not c.wanted),
        since=since,
        until=until,
    )


def _seconds(scope: Scope, request: Request) -> tuple[int | None, int | None]:
    if not request.since and not request.until:
        return None, None
    from yuanwen import when

    since = int(when.period(request.since, scope.now)[0].timestamp()) if request.since else None
    until = int(when.period(request.until, scope.now)[1].timestamp()) if request.until else None
    return since, until


def _documents(db: Connection, condition: query.Condition) -> frozenset[int]:
    matches = source_matcher(condition.value)
    return frozenset(d for d, source in reading.sources(db) if matches(source) == condition.wanted)


def source_matcher(pattern: str) -> Callable[[str], bool]:
    """Return whether a source is meant by a glob: it matches all of it, its last parts, or a folder above it."""
    pattern = pattern.replace("\\", "/").rstrip("/")
    globs = [re.compile(fnmatch.translate(p), re.IGNORECASE) for p in (pattern, f"*/{pattern}", f"{pattern}/*")]
    globs.append(re.compile(fnmatch.translate(f"*/{pattern}/*"), re.IGNORECASE))
    return lambda source: any(glob.match(source.replace("\\", "/")) for glob in globs)


def is_type(media_type: str, asked: str) -> bool:
    """Return whether a media type is what a person means by `asked`: `pdf`, `md`, `text`, `text/html`."""
    from yuanwen.extract import MEDIA_TYPES

    asked = asked.lower()
    kind, _, name = media_type.partition("/")
    return asked in (media_type, kind, name) or MEDIA_TYPES.get(f".{asked.lstrip('.')}") == media_type


def _selected(row: Row, filters: Filters) -> bool:
    from yuanwen import when

    dated = when.seconds(row.dated)
    return (
        (filters.documents is None or row.document in filters.documents)
        and (filters.media_types is None or row.media_type in filters.media_types)
        and set(filters.tags) <= set(row.tags)
        and not set(filters.unwanted_tags) & set(row.tags)
        and (filters.since is None or dated >= filters.since)
        and (filters.until is None or dated <= filters.until)
    )


def _indexes(scope: Scope, request: Request) -> Iterator[tuple[Index, bool]]:
    """Yield the indexes to ask, and whether each holds superseded passages."""
    yield scope.current, False
    if request.all_versions and scope.old is not None:
        yield scope.old, True


# ----------------------------------------------------------------------------------------------- ranked

_Check = Callable[[str, str], bool]  # (folded title, folded text) -> whether the passage is an answer


class _Plan(NamedTuple):
    """How a query tree is searched: words to rank by, what must be there, and the check that the text decides by."""

    words: str
    required: Clause | None
    check: _Check | None
    relaxes: bool = False  # whether its words alone are worth a try when nothing has all that is required


def _plan(scope: Scope, node: query.Node) -> _Plan:
    if isinstance(node, query.Words):
        return _Plan(node.text, None, None)
    words = " ".join(query.positive(node))
    if isinstance(node, query.Both) and isinstance(node.parts[0], query.Words):
        rest = node.parts[1:]
        hard = query.Both(rest) if len(rest) > 1 else rest[0]
        if not all(isinstance(part, query.Without) for part in rest):
            return _Plan(words, _clause(hard), _check(hard), relaxes=True)
    return _Plan(words, _clause(node), _check(node))


def _ranked(scope: Scope, request: Request, plan: _Plan, filters: Filters) -> Outcome:
    asked = ranking.Question(plan.words)
    proposing = ranking.proposing(asked)
    if plan.required is not None:
        clause: Clause | None = All((plan.required,), rather=(proposing,) if proposing else ())
    else:
        clause = proposing
    if clause is None:
        return exact(scope, request)  # only white space and marks: nothing to rank by
    findings: list[Finding] = []
    total, counted = 0, True
    for index, superseded in _indexes(scope, request):
        candidates, complete = _candidates(scope, index, clause, filters, plan.check, request)
        findings += _scored(scope, index, superseded, candidates, asked, request)
        total += len(candidates)
        counted = counted and complete
    findings.sort(key=lambda f: (-f.score, f.row.id))
    page = [_highlighted(f, asked) for f in _page(findings, request)]
    return Outcome(findings=page, total=total, counted=counted)


def _candidates(
    scope: Scope, index: Index, clause: Clause, filters: Filters, check: _Check | None, request: Request
) -> tuple[list[ranking.Candidate], bool]:
    """Return the passages that an index proposes and the check lets through, and whether there are no more."""
    enough = max(ranking.CANDIDATES, request.offset + request.limit)
    wanted = enough
    while True:
        hits = index.search(clause, filters, limit=wanted).hits
        scores = dict(hits)
        candidates = [
            ranking.Candidate(passage, scores[passage], title, text)
            for passage, title, text in reading.texts(scope.db, [passage for passage, _ in hits])
        ]
        if check is not None:
            candidates = [c for c in candidates if check(analysis.fold(c.title), analysis.fold(c.text))]
        complete = len(hits) < wanted
        if complete or len(candidates) >= enough or wanted >= max(enough, VERIFIED):
            candidates.sort(key=lambda c: (-c.proposed, c.passage))
            return candidates, complete
        wanted = min(wanted * 4, max(enough, VERIFIED))


def _scored(
    scope: Scope,
    index: Index,
    superseded: bool,
    candidates: list[ranking.Candidate],
    asked: ranking.Question,
    request: Request,
) -> list[Finding]:
    """Return the best candidates as findings: the first CANDIDATES by their text, the rest as they were proposed."""
    totals = scope.totals
    average = totals.characters / totals.passages if totals.passages else 1.0
    judge = ranking.Ranking(asked, index, totals.passages, max(average, 1.0))
    ranked = judge.best(candidates[: ranking.CANDIDATES])
    floor = ranked[-1].score if ranked else 0.0
    for place, candidate in enumerate(candidates[ranking.CANDIDATES :], 1):
        ranked.append(ranking.Ranked(candidate.passage, floor - place * 1e-6, 0.0, {}))
    end = request.offset + request.limit
    while 0 < end < len(ranked) and ranked[end].score == ranked[end - 1].score:
        end += 1  # ties end on the id, which only the row tells
    rows = reading.rows(scope.db, [r.passage for r in ranked[:end]], superseded=superseded)
    return [
        Finding(row=row, text=row.text, score=r.score, match="terms", coverage=r.coverage, parts=r.parts)
        for r in ranked[:end]
        if (row := rows.get(r.passage)) is not None
    ]


def _highlighted(finding: Finding, asked: ranking.Question) -> Finding:
    return finding._replace(matches=tuple(ranking.spans(asked, finding.text)))


def _clause(node: query.Node) -> Clause:
    """Return the clause that finds at least every passage which a query tree means."""
    match node:
        case query.Words(text):
            return ranking.proposing(ranking.Question(text)) or Everything()
        case query.Exactly(text, place):
            return _phrase(text, place)
        case query.Starting(text, place):
            tokens = _tokens(text)
            return Prefix(tokens[-1], place) if len(tokens) == 1 else _phrase(text, place)
        case query.Near(parts, _):
            return _all([_phrase(part, "text") for part in parts])
        case query.Both(nodes):
            but = [_clause(n.part) for n in nodes if isinstance(n, query.Without) and _is_one_token(n.part)]
            return _all([_clause(n) for n in nodes if not isinstance(n, query.Without)], but)
        case query.Either(nodes):
            return Some(tuple(_clause(n) for n in nodes))
        case query.Without(_):
            return Everything()


def _all(parts: list[Clause], but: list[Clause] | None = None) -> Clause:
    needed = [part for part in parts if not isinstance(part, Everything)]
    if not needed:
        return Everything()
    return needed[0] if len(needed) == 1 and not but else All(tuple(needed), tuple(but or ()))


def _tokens(text: str) -> list[str]:
    """Return the tokens of words that start and end where they do in a text."""
    runs = analysis.runs(analysis.fold_words(text))
    ordered = analysis.ordered(runs).split()
    cut = runs and analysis.is_cut(runs[-1][0])
    return ordered[:-1] if cut and len(ordered) > 1 and len(runs[-1]) > 1 else ordered


def _phrase(text: str, place: str) -> Clause:
    tokens = _tokens(text)
    if not tokens:
        marks = sorted(analysis.symbols(text))
        return _all([Term("terms", mark) for mark in marks]) if marks and place == "text" else Everything()
    if len(tokens) > 1 and len(tokens[-1]) == 1 and analysis.is_cut(tokens[-1]):
        return _all([Phrase(tuple(tokens[:-1]), place), Prefix(tokens[-1], place)])  # type: ignore[arg-type]
    if len(tokens) == 1 and len(tokens[0]) == 1 and analysis.is_cut(tokens[0]):
        return Prefix(tokens[0], place)  # type: ignore[arg-type]
    return Phrase(tuple(tokens), place)  # type: ignore[arg-type]


def _is_one_token(node: query.Node) -> bool:
    return isinstance(node, query.Exactly) and node.field == "text" and len(_tokens(node.text)) == 1


def _check(node: query.Node) -> _Check:
    """Return the function that decides on the folded title and text of a passage."""
    match node:
        case query.Words(_):
            return lambda title, text: True
        case query.Exactly(text, place):
            return _has(needle.WholeWords(text), place)
        case query.Starting(text, place):
            return _has(needle.WholeWords(text, prefix=True), place)
        case query.Near(parts, distance):
            patterns = [needle.WholeWords(part) for part in parts]
            return lambda title, text: needle.near(patterns, distance, text)
        case query.Both(nodes):
            checks = [_check(n) for n in nodes]
            return lambda title, text: all(check(title, text) for check in checks)
        case query.Either(nodes):
            checks = [_check(n) for n in nodes]
            return lambda title, text: any(check(title, text) for check in checks)
        case query.Without(part):
            inner = _check(part)
            return lambda title, text: not inner(title, text)


def _has(words: needle.WholeWords, place: str) -> _Check:
    if place == "title":
        return lambda title, text: any(words.stand(title))
    return lambda title, text: any(words.stand(text))


# ------------------------------------------------------------------------------------------------ exact


class _Candidates:
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

    def confirmed(self) -> Iterator[Finding]:
        """Yield the passages that hold the needle, best first, and then those where it crosses a border."""
        clause, certain = exact_clause(self.index, self.wanted)
        proposed = self._scan() if clause is None else self._search(clause)
        seen: set[int] = set()
        for finding in self._within(proposed, certain):
            seen.add(finding.row.passage)
            yield finding
        yield from self._across(seen)

    def _search(self, clause: Clause) -> list[tuple[int, float]]:
        found = self.index.search(clause, self.filters, limit=max(self.enough, 50), count=True)
        self.total = found.total or 0
        if self.total > len(found.hits):
            found = self.index.search(clause, self.filters, limit=max(self.enough, VERIFIED))
        return list(found.hits)

    def _scan(self) -> list[tuple[int, float]]:
        """Return all passages that the words of the needle cannot narrow down but its characters do."""
        hits = [
            (passage, 1.0)
            for passage, text in reading.scan(self.scope.db, superseded=self.superseded)
            if self.wanted.spans(text)[0]
        ]
        if self.filters != Filters():
            rows = reading.rows(self.scope.db, [p for p, _ in hits], superseded=self.superseded)
            hits = [(p, s) for p, s in hits if p in rows and _selected(rows[p], self.filters)]
        self.total = len(hits)
        return hits

    def _within(self, proposed: list[tuple[int, float]], certain: bool) -> Iterator[Finding]:
        expected, confirmed, checked = self.total, 0, 0
        for start in range(0, len(proposed), 50):
            batch = proposed[start : start + 50]
            rows = reading.rows(self.scope.db, [p for p, _ in batch], superseded=self.superseded)
            for passage, score in batch:
                checked += 1
                row = rows.get(passage)
                finding = self._confirm(row, score) if row is not None else None
                if finding is not None:
                    confirmed += 1
                    yield finding
            if certain and confirmed == checked and confirmed >= self.enough:
                return  # the index alone tells how many there are
        self.total = confirmed
        self.counted = checked >= expected

    def _confirm(self, row: Row, score: float) -> Finding | None:
        spans, verbatim = self.wanted.spans(row.text)
        if spans:
            match: Match = "verbatim" if verbatim else "folded"
            return Finding(row=row, text=row.text, score=score, match=match, matches=tuple(spans))
        return self._beyond(row, score)

    def _beyond(self, row: Row, score: float) -> Finding | None:
        """Return the passages around `row` that hold the needle together, None if they do not."""
        reach = len(self.wanted.text)
        rows = [row]
        for step in (-1, 1):
            length = 0
            while length < reach:
                ordinal = (rows[0] if step < 0 else rows[-1]).ordinal + step
                beside = reading.around(self.scope.db, row.version, ordinal, ordinal)
                if not beside or beside[0].label is not None:
                    break
                rows.insert(0 if step < 0 else len(rows), beside[0])
                length += len(beside[0].text)
        spans, verbatim = self.wanted.spans("".join(r.text for r in rows))
        return _crossing(rows, row, spans, "verbatim" if verbatim else "folded", score)

    def _across(self, seen: set[int]) -> Iterator[Finding]:
        """Yield where the needle stands across the border of two passages that do not hold it by themselves."""
        tokens = analysis.crossings(analysis.squeezed(self.wanted.folded))
        if not tokens:
            return
        clause = AnyTerm(tuple(dict.fromkeys(tokens)), "terms")
        hits = self.index.search(clause, self.filters, limit=VERIFIED).hits
        rows = reading.rows(self.scope.db, [p for p, _ in hits if p not in seen], superseded=self.superseded)
        for row in rows.values():
            finding = self._beyond(row, 0.0)
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


def exact_clause(index: Index, wanted: Needle) -> tuple[Clause | None, bool]:
    """Return a clause that finds every passage which holds the needle, and whether it finds no other.

    The clause is None if nothing in the needle is in the index: control characters, loose Hangul letters.
    """
    if analysis.has_jamo(wanted.text):
        return None, False
    runs = analysis.runs(wanted.folded)
    if not runs:
        marks = sorted(analysis.symbols(wanted.folded))
        return (_all([Term("terms", mark) for mark in marks]), False) if marks else (None, False)
    parts: list[Clause] = []
    first, last = runs[0], runs[-1]
    if len(runs) == 1 and not analysis.is_cut(first[0]):
        return _part_of_word(index, first, lambda word: True) or None, False
    if not analysis.is_cut(first[0]):
        parts.append(_part_of_word(index, first, lambda word: word.endswith(first[-analysis.NEEDLE :])) or Everything())
        runs = runs[1:]
    if not analysis.is_cut(last[0]):
        parts.append(
            _part_of_word(index, last, lambda word: word[1:].startswith(last[: analysis.NEEDLE])) or Everything()
        )
        runs = runs[:-1]
    certain = not parts and len(runs) == 1 and not analysis.symbols(wanted.folded)
    if runs:
        ordered = analysis.ordered(runs).split()
        ends_cut = analysis.is_cut(last[0])
        if ends_cut and len(last) > 1:
            ordered = ordered[:-1]
        elif ends_cut:
            parts.append(Prefix(ordered.pop()))
        if ordered:
            parts.append(Phrase(tuple(ordered)))
    clause = _all(parts)
    return (None, False) if isinstance(clause, Everything) else (clause, certain)


def _part_of_word(index: Index, part: str, fits: Callable[[str], bool]) -> Clause | None:
    """Return a clause for the words that `part` may belong to, None if they are too many to name."""
    words = index.words(part[: analysis.NEEDLE], WORD_LIMIT)
    return AnyTerm(tuple(word for word in words if fits(word))) if words is not None else None
