"""A query -> what was found, one small function a mode; MODES is the table of them."""

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from yuanwen import analysis, query, ranking
from yuanwen.errors import NotFound, QueryError, UsageError
from yuanwen.exact import VERIFIED, Exact
from yuanwen.filters import filters as filters_of
from yuanwen.filters import selected
from yuanwen.index import NO_FILTERS, All, Clause, Filters, Index
from yuanwen.model import MODES as MODE_NAMES
from yuanwen.model import Mode
from yuanwen.needle import Needle
from yuanwen.plan import Plan, plan
from yuanwen.scope import Finding, Outcome, Request, Scope
from yuanwen.store import history, reading
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Row
from yuanwen.store.schema import KEY_LENGTH

STANDING = 10  # passages that hold the whole query as a phrase and are judged whatever else is proposed
_LEFT_OUT = "there are passages that match, but the filters leave them out"


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
    most = reading.most(scope.db)  # an index makes room for as many as it is asked for
    request = request._replace(limit=min(request.limit, most), offset=min(request.offset, most))
    return MODES[request.mode](scope, request)


# ------------------------------------------------------------------------------------------------ modes


def ranked(scope: Scope, request: Request) -> Outcome:
    """Return the passages that answer best, by the words of the query and its operators."""
    parsed = query.parse(request.query)
    filters = filters_of(scope, request, parsed.conditions)
    if parsed.node is None:
        return _everything(scope, request, filters, parsed.notes)
    wanted = plan(parsed.node)
    outcome = _ranked(scope, request, wanted, filters)
    notes = parsed.notes + outcome.notes
    if not outcome.total and wanted.relaxes:
        outcome = _ranked(scope, request, Plan(wanted.words, None, None), filters)
        if outcome.total:
            notes += ("no passage has all that the query requires; searched for any of its words",)
    if not outcome.total and filters != NO_FILTERS and _ranked(scope, request, wanted, NO_FILTERS).total:
        notes += (_LEFT_OUT,)
    return outcome._replace(notes=notes, sought=tuple(query.positive(parsed.node)))


def expand(scope: Scope, request: Request) -> Outcome:
    """Return what `ranked` finds; its hits are shown with their surroundings."""
    return ranked(scope, request)


def hybrid(scope: Scope, request: Request) -> Outcome:
    """Return what `ranked` finds: there are no vectors yet to find more by."""
    outcome = ranked(scope, request)
    return outcome._replace(notes=(*outcome.notes, "the library has no vectors: hybrid searched by words alone"))


def exact(scope: Scope, request: Request) -> Outcome:
    """Return the passages that hold the whole string, wherever it stands; the stored text decides."""
    filters = filters_of(scope, request, ())
    outcome = _exact(scope, request, filters)
    if not outcome.total and filters != NO_FILTERS and _exact(scope, request, NO_FILTERS).total:
        outcome = outcome._replace(notes=(_LEFT_OUT,))
    return outcome._replace(sought=(request.query,))


def _exact(scope: Scope, request: Request, filters: Filters) -> Outcome:
    wanted = Needle(request.query)
    findings: list[Finding] = []
    total, counted = 0, True
    for index, superseded in _indexes(scope, request):
        candidates = Exact(scope, index, superseded, wanted, filters, request.offset + request.limit)
        findings += candidates.confirmed()
        total += candidates.total
        counted = counted and candidates.counted
    return Outcome(findings=_page(findings, request), total=total, counted=counted)


def raw(scope: Scope, request: Request) -> Outcome:
    """Return whole records by id, label or source; without any, what the filters select, newest first."""
    filters = filters_of(scope, request, ())
    if not request.query.strip():
        return _everything(scope, request, filters, ())
    rows: list[Row] = []
    for name in _names(scope.db, request.query, superseded=request.all_versions):
        found = lookup(scope.db, name, superseded=request.all_versions)
        rows += [row for row in found if row not in rows]
    if filters != NO_FILTERS:
        rows = [row for row in rows if selected(row, filters)]
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


def lookup(db: Connection, name: str, *, superseded: bool = False) -> list[Row]:
    """Return the passages that an id of a passage or a document, a label or a source names; one for a passage id.

    A label or a source names current passages, and with `superseded` older ones as well; the label of a record that is
    gone names what it was last.
    """
    found = reading.by_id(db, name)
    if found and found[0].label != name:
        return found[:1]
    if superseded:
        return found or reading.by_source(db, name, superseded=True)
    current = [row for row in found if row.current]
    last = {row.document: row for row in reversed(found)}
    return current or list(last.values()) or reading.by_source(db, name) or reading.by_document(db, name)


def unknown(db: Connection, name: str) -> NotFound:
    """Return the error for a name that `lookup` knows nothing for: it says why, as far as the library can tell."""
    key, _, number = name.rpartition("-")
    if len(key) < KEY_LENGTH or not number.isdecimal() or set(key) - set("0123456789abcdef"):
        names = (name, os.path.abspath(name))
        gone = next((each for each in names if reading.by_source(db, each, superseded=True)), None)
        if gone is not None:
            hint = "Its words are kept: yuanwen search {name} --mode raw --all-versions"
            return NotFound("the document {name} is gone", hint=hint, name=gone)
        return NotFound(
            "no passage or document {name}", hint="Look it up with: yuanwen search or yuanwen list", name=name
        )
    passages = history.passages(db, key)
    if passages is None:
        hint = "It was dropped by compact --drop-old, or forgotten, or another library has it."
        return NotFound("no passage {name}: the library does not have that version", hint=hint, name=name)
    hint = "Ask for one from {key}-1 to {key}-{passages}."
    return NotFound("no passage {name} in that version", hint=hint, name=name, key=key, passages=passages)


def _names(db: Connection, text: str, *, superseded: bool) -> Iterator[str]:
    """Yield the names in the query of `raw`: the whole text if it is one, else what white space separates."""
    yield from [text.strip()] if lookup(db, text.strip(), superseded=superseded) else text.split()


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
        superseded=request.all_versions,
    )
    page = passages[request.offset : request.offset + request.limit]
    rows = reading.rows(scope.db, page, superseded=request.all_versions)
    return Outcome(
        findings=[_whole(rows[passage]) for passage in page if passage in rows],
        total=len(passages),
        counted=True,
        notes=notes,
    )


def _indexes(scope: Scope, request: Request) -> Iterator[tuple[Index, bool]]:
    """Yield the indexes to ask, and whether each holds superseded passages."""
    yield scope.current, False
    if request.all_versions and scope.old is not None:
        yield scope.old, True


# ----------------------------------------------------------------------------------------------- ranked


def _ranked(scope: Scope, request: Request, wanted: Plan, filters: Filters) -> Outcome:
    asked = ranking.Question(wanted.words)
    proposing = ranking.proposing(asked)
    if wanted.required is not None:
        clause: Clause | None = All((wanted.required,), rather=(proposing,) if proposing else ())
    else:
        clause = proposing
    if clause is None:
        return _exact(scope, request, filters)  # only white space and marks: nothing to rank by
    findings: list[Finding] = []
    total, counted = 0, True
    for index, superseded in _indexes(scope, request):
        proposed = _proposed(scope, index, clause, filters, wanted, request)
        findings += _scored(scope, index, superseded, proposed, asked, request)
        total += len(proposed.judged) + len(proposed.rest)
        counted = counted and proposed.complete
    findings.sort(key=lambda f: (-f.score, f.row.id))
    page = [_highlighted(f, asked) for f in _page(findings, request)]
    return Outcome(findings=page, total=total, counted=counted)


class _Proposed(NamedTuple):
    """Passages that an index proposes: those whose text is judged, the rest, and whether there are no more."""

    judged: list[ranking.Candidate]
    rest: list[ranking.Candidate]
    complete: bool


def _proposed(
    scope: Scope, index: Index, clause: Clause, filters: Filters, wanted: Plan, request: Request
) -> _Proposed:
    enough = max(ranking.CANDIDATES, request.offset + request.limit)
    limit = enough
    while True:
        scores = dict(index.search(clause, filters, limit=limit).hits)
        complete = len(scores) < limit
        standing: set[int] = set()
        if wanted.standing is not None and not (complete and len(scores) <= ranking.CANDIDATES):
            standing = {passage for passage, _ in index.search(wanted.standing, filters, limit=STANDING).hits}
        candidates = [
            ranking.Candidate(passage, scores.get(passage, 0.0), title, text)
            for passage, title, text in reading.texts(scope.db, [*scores, *(standing - scores.keys())])
        ]
        if wanted.check is not None:
            candidates = [c for c in candidates if wanted.check(analysis.fold(c.title), analysis.fold(c.text))]
        if complete or len(candidates) >= enough or limit >= max(enough, VERIFIED):
            order = {passage: place for place, passage in enumerate(scores)}  # for each page of hits the same
            candidates.sort(key=lambda c: (order.get(c.passage, limit), c.passage))
            first = {c.passage for c in candidates[: ranking.CANDIDATES]} | standing
            judged = [c for c in candidates if c.passage in first]
            return _Proposed(judged, [c for c in candidates if c.passage not in first], complete)
        limit = min(limit * 4, max(enough, VERIFIED))


def _scored(
    scope: Scope,
    index: Index,
    superseded: bool,
    proposed: _Proposed,
    asked: ranking.Question,
    request: Request,
) -> list[Finding]:
    """Return the best passages as findings: first the judged ones by their text, then the rest as proposed."""
    totals = scope.totals
    average = totals.characters / totals.passages if totals.passages else 1.0
    ranked = ranking.Ranking(asked, index, totals.passages, max(average, 1.0)).best(proposed.judged)
    floor = ranked[-1].score if ranked else 0.0
    for place, candidate in enumerate(proposed.rest, 1):
        ranked.append(ranking.Ranked(candidate.passage, round(floor - place * 1e-6, 6), 0.0, ()))
    end = request.offset + request.limit
    while 0 < end < len(ranked) and ranked[end].score == ranked[end - 1].score:
        end += 1  # ties end on the id, which only the row tells
    rows = reading.rows(scope.db, [r.passage for r in ranked[:end]], superseded=superseded)
    return [
        Finding(
            row=row, text=row.text, score=r.score, match="terms", coverage=r.coverage, parts=r.parts, folded=r.folded
        )
        for r in ranked[:end]
        if (row := rows.get(r.passage)) is not None
    ]


def _highlighted(finding: Finding, asked: ranking.Question) -> Finding:
    return finding._replace(matches=tuple(ranking.spans(asked, finding.text, finding.folded)))
