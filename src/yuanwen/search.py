"""A query -> what was found, one small function a mode; MODES is the table of them."""

import os
from collections.abc import Callable, Iterator

from yuanwen import meaning, query
from yuanwen.errors import NotFound, QueryError, Unavailable, UsageError
from yuanwen.exact import Exact
from yuanwen.filters import filters as filters_of
from yuanwen.filters import selected
from yuanwen.index import NO_FILTERS, Filters
from yuanwen.meaning import NOTHING, Meaning, Meant
from yuanwen.model import MODES as MODE_NAMES
from yuanwen.model import Mode
from yuanwen.needle import Needle
from yuanwen.plan import Plan, plan
from yuanwen.retrieval import Nearest, alike, best, indexes
from yuanwen.scope import Finding, Outcome, Request, Scope
from yuanwen.store import history, reading
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Row
from yuanwen.store.schema import KEY_LENGTH

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
    return _answered(scope, request, _by_words)


def expand(scope: Scope, request: Request) -> Outcome:
    """Return what `ranked` finds; its hits are shown with their surroundings."""
    return ranked(scope, request)


def hybrid(scope: Scope, request: Request) -> Outcome:
    """Return the passages that answer best, by words and by meaning; by words alone, and a note, without vectors."""
    if scope.meaning is None:
        outcome = ranked(scope, request)
        return outcome._replace(notes=(*outcome.notes, "the library has no vectors: hybrid searched by words alone"))
    try:
        outcome = _answered(scope, request, _nearest(scope, scope.meaning, meaning.NEAREST))
        return outcome._replace(notes=(*outcome.notes, *scope.meaning.notes))
    except (NotFound, Unavailable) as error:  # of the model
        outcome = ranked(scope, request)
        return outcome._replace(notes=(*outcome.notes, f"hybrid searched by words alone: {error}"))


def semantic(scope: Scope, request: Request) -> Outcome:
    """Return the passages nearest in meaning to the words of the query. Raises Unavailable without vectors."""
    if scope.meaning is None:
        raise Unavailable("the library has no vectors", hint="Make them with: yuanwen models use")
    parsed = query.parse(request.query)
    filters = filters_of(scope, request, parsed.conditions)
    if parsed.node is None:
        return _everything(scope, request, filters, parsed.notes)
    words = " ".join(query.positive(parsed.node))
    nearest = _nearest(scope, scope.meaning, max(meaning.NEAREST, request.offset + request.limit))
    outcome = alike(scope, request, words, nearest(words, filters))
    return outcome._replace(notes=parsed.notes + scope.meaning.notes, sought=(words,))


def _by_words(words: str, filters: Filters) -> Meant:
    return NOTHING


def _nearest(scope: Scope, asked: Meaning, limit: int) -> Nearest:
    def nearest(words: str, filters: Filters) -> Meant:
        among = None if filters == NO_FILTERS else _selected(scope, filters, superseded=False)
        return asked.nearest(words, among=among, limit=limit)

    return nearest


def _answered(scope: Scope, request: Request, nearest: Nearest) -> Outcome:
    parsed = query.parse(request.query)
    filters = filters_of(scope, request, parsed.conditions)
    if parsed.node is None:
        return _everything(scope, request, filters, parsed.notes)
    wanted = plan(parsed.node)
    outcome = _best(scope, request, wanted, filters, nearest)
    notes = parsed.notes + outcome.notes
    if not outcome.total and wanted.relaxes:
        outcome = _best(scope, request, Plan(wanted.words, None, None), filters, nearest)
        if outcome.total:
            notes += ("no passage has all that the query requires; searched for any of its words",)
    if not outcome.total and filters != NO_FILTERS and _best(scope, request, wanted, NO_FILTERS, _by_words).total:
        notes += (_LEFT_OUT,)
    return outcome._replace(notes=notes, sought=tuple(query.positive(parsed.node)))


def _best(scope: Scope, request: Request, wanted: Plan, filters: Filters, nearest: Nearest) -> Outcome:
    found = best(scope, request, wanted, filters, nearest)
    return _exact(scope, request, filters) if found is None else found


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
    for index, superseded in indexes(scope, request):
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
    "semantic": semantic,
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
    passages = _selected(scope, filters, superseded=request.all_versions)
    page = passages[request.offset : request.offset + request.limit]
    rows = reading.rows(scope.db, page, superseded=request.all_versions)
    return Outcome(
        findings=[_whole(rows[passage]) for passage in page if passage in rows],
        total=len(passages),
        counted=True,
        notes=notes,
    )


def _selected(scope: Scope, filters: Filters, *, superseded: bool) -> list[int]:
    return reading.newest(
        scope.db,
        filters.documents,
        filters.media_types,
        filters.tags,
        filters.unwanted_tags,
        filters.since,
        filters.until,
        superseded=superseded,
    )
