"""What a query asks for -> the passages that answer best, by their words, and by their meaning where there are vectors.

An index proposes passages by words, the vectors some by meaning; the text of the best of both is judged by `ranking`,
and how near they are in meaning counts beside that. So a question that shares no word with its answer leaves the lead
to the vectors, and a passage that has the words of the question keeps it.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from yuanwen import analysis, answering, meaning, ranking, synonyms
from yuanwen.errors import Unavailable
from yuanwen.exact import VERIFIED
from yuanwen.index import All, Clause, Filters, Index
from yuanwen.meaning import Meant
from yuanwen.model import Match
from yuanwen.plan import Plan
from yuanwen.scope import Finding, Outcome, Request, Scope
from yuanwen.store import reading
from yuanwen.verdict import NOTHING, SURE, Seen, Verdict, judge, rivals

STANDING = 10  # passages that hold the whole query as a phrase and are judged whatever else is proposed
JUDGED = 36  # of the passages nearest in meaning
UNCOVERED = 0.25  # coverage under which words do not tell which sentence of a passage answers
COMPARED = 3  # passages whose sentences are then embedded
# Where no passage covers LITTLE of a question, its words say nothing: it may be in another language. The share that is
# lacking counts LEAD times beside the weight of the model. `python -m benchmarks.quality` prints what that reaches.
LITTLE, LEAD = 0.3, 2.0

Nearest = Callable[[str, Filters], Meant]


class _Proposed(NamedTuple):
    """Passages that were proposed: those whose text is judged, the rest, and whether there are no more."""

    judged: list[ranking.Candidate]
    rest: list[ranking.Candidate]
    complete: bool


def indexes(scope: Scope, request: Request) -> Iterator[tuple[Index, bool]]:
    """Yield the indexes to ask, and whether each holds superseded passages."""
    yield scope.current, False
    if request.all_versions and scope.old is not None:
        yield scope.old, True


def best(scope: Scope, request: Request, wanted: Plan, filters: Filters, nearest: Nearest) -> Outcome | None:
    """Return what answers best; None where a query is but white space and marks, with nothing to rank by.

    Operators are about words: what they require is found by words alone, and the vectors only say what comes first.
    """
    also = synonyms.of(scope.db, wanted.words)
    asked = ranking.Question(wanted.words, also)
    proposing = ranking.proposing(asked)
    if wanted.required is not None:
        clause: Clause | None = All((wanted.required,), rather=(proposing,) if proposing else ())
    else:
        clause = proposing
    if clause is None:
        return None
    meant = nearest(wanted.words, filters)
    weighed = _ranking(scope, scope.current, asked)
    findings: list[Finding] = []
    contenders: list[_Contender] = []
    total, counted = 0, not meant.cosines
    for index, superseded in indexes(scope, request):
        near = meaning.NOTHING if superseded else meant
        proposed = _proposed(scope, index, clause, filters, wanted, request, near)
        judging = _ranking(scope, index, asked) if superseded else weighed
        ranked = _weighed(judging, proposed.judged, near)
        candidates = {candidate.passage: candidate for candidate in proposed.judged}
        contenders += [_Contender(r, candidates[r.passage], near.cosines.get(r.passage)) for r in ranked]
        findings += _shown(scope, superseded, ranked, proposed.rest, request, near)
        total += len(proposed.judged) + len(proposed.rest)
        counted = counted and proposed.complete
    findings.sort(key=lambda f: (-f.score, f.row.id))
    contenders.sort(key=lambda c: -c.ranked.score)
    verdict = SURE if wanted.required is not None else _verdict(weighed, contenders, meant.model)
    page = _highlighted(findings[request.offset : request.offset + request.limit], weighed, meant)
    return Outcome(findings=page, total=total, counted=counted, notes=synonyms.notes(also), verdict=verdict)


class _Contender(NamedTuple):
    """A passage whose text was judged, and how near it is in meaning where that is known."""

    ranked: ranking.Ranked
    candidate: ranking.Candidate
    cosine: float | None


def _verdict(weighed: ranking.Ranking, contenders: Sequence[_Contender], model: str) -> Verdict:
    """Return whether the first of the passages that were judged answers the question, beside those behind it."""
    if not contenders:
        return NOTHING
    first = contenders[0]
    title = first.candidate.title
    behind = sorted(rivals(title, [(c.candidate.title, c.ranked.by_words) for c in contenders[1:]]), reverse=True)
    seen = Seen(title, first.candidate.text, first.ranked.by_words, behind, first.cosine, model)
    return judge(weighed.asked, weighed.pairs | weighed.words, seen)


def alike(scope: Scope, request: Request, words: str, meant: Meant) -> Outcome:
    """Return the passages nearest in meaning, the nearest first, scored by their cosine alone."""
    weighed = _ranking(scope, scope.current, ranking.Question(words))
    nearest = list(meant.cosines)
    page = nearest[request.offset : request.offset + request.limit]
    texts = reading.texts(scope.db, list(dict.fromkeys(nearest[:JUDGED] + page)))
    candidates = {passage: ranking.Candidate(passage, 0.0, title, text) for passage, title, text in texts}
    judged = {r.passage: r for r in weighed.best(list(candidates.values()))}
    contenders = [_Contender(judged[p], candidates[p], meant.cosines[p]) for p in nearest[:JUDGED] if p in judged]
    chosen = [judged[p]._replace(score=round(meant.cosines[p], 6), values=()) for p in page if p in judged]
    return Outcome(
        findings=_highlighted(_findings(scope, chosen, meant, superseded=False), weighed, meant),
        total=len(meant.cosines),
        counted=False,
        verdict=_verdict(weighed, contenders, meant.model),
    )


def _proposed(
    scope: Scope, index: Index, clause: Clause, filters: Filters, wanted: Plan, request: Request, meant: Meant
) -> _Proposed:
    enough = max(ranking.CANDIDATES, request.offset + request.limit)
    near = list(meant.cosines)[:JUDGED] if wanted.required is None else []
    limit = enough
    while True:
        scores = dict(index.search(clause, filters, limit=limit).hits)
        complete = len(scores) < limit
        standing: set[int] = set()
        if wanted.standing is not None and not (complete and len(scores) <= ranking.CANDIDATES):
            standing = {passage for passage, _ in index.search(wanted.standing, filters, limit=STANDING).hits}
        beside = (standing | set(near)) - scores.keys()
        candidates = [
            ranking.Candidate(passage, scores.get(passage, 0.0), title, text)
            for passage, title, text in reading.texts(scope.db, [*scores, *beside])
        ]
        if wanted.check is not None:
            candidates = [c for c in candidates if wanted.check(analysis.fold(c.title), analysis.fold(c.text))]
        if complete or len(candidates) >= enough or limit >= max(enough, VERIFIED):
            order = {passage: place for place, passage in enumerate(scores)}  # for each page of hits the same
            candidates.sort(key=lambda c: (order.get(c.passage, limit), c.passage))
            judged, rest = candidates[: ranking.CANDIDATES], candidates[ranking.CANDIDATES :]
            beside = standing | set(near)
            judged += [c._replace(proposed=0.0) for c in rest if c.passage in beside]
            return _Proposed(judged, [c for c in rest if c.passage not in beside], complete)
        limit = min(limit * 4, max(enough, VERIFIED))


def _weighed(judging: ranking.Ranking, judged: Sequence[ranking.Candidate], meant: Meant) -> list[ranking.Ranked]:
    """Return what was judged by its text, and by how near it is in meaning, the best first."""
    ranked = judging.best(judged)
    if not meant.cosines:
        return ranked
    weight = meant.weight + LEAD * max(0.0, LITTLE - max([r.coverage for r in ranked], default=0.0))
    ranked = [r.meaning(weight, meant.scaled.get(r.passage, 0.0)) for r in ranked]
    return sorted(ranked, key=lambda r: (-r.score, r.passage))


def _shown(
    scope: Scope,
    superseded: bool,
    ranked: list[ranking.Ranked],
    rest: Sequence[ranking.Candidate],
    request: Request,
    meant: Meant,
) -> list[Finding]:
    """Return the best passages up to the end of the page as findings: what was judged, then the rest as proposed."""
    floor = ranked[-1].score if ranked else 0.0
    places = enumerate(rest, 1)
    ranked = ranked + [ranking.Ranked(c.passage, round(floor - place * 1e-6, 6), 0.0, ()) for place, c in places]
    end = request.offset + request.limit
    while 0 < end < len(ranked) and ranked[end].score == ranked[end - 1].score:
        end += 1  # ties end on the id, which only the row tells
    return _findings(scope, ranked[:end], meant, superseded=superseded)


def _ranking(scope: Scope, index: Index, asked: ranking.Question) -> ranking.Ranking:
    totals = scope.totals
    average = totals.characters / totals.passages if totals.passages else 1.0
    return ranking.Ranking(asked, index, totals.passages, max(average, 1.0))


def _findings(scope: Scope, ranked: list[ranking.Ranked], meant: Meant, *, superseded: bool) -> list[Finding]:
    rows = reading.rows(scope.db, [r.passage for r in ranked], superseded=superseded)
    return [
        Finding(
            row=row,
            text=row.text,
            score=r.score,
            match=_match(r, meant),
            coverage=r.coverage,
            parts=r.parts,
            folded=r.folded,
        )
        for r in ranked
        if (row := rows.get(r.passage)) is not None
    ]


def _match(ranked: ranking.Ranked, meant: Meant) -> Match:
    if ranked.passage not in meant.cosines:
        return "terms"
    return "terms+semantic" if ranked.coverage else "semantic"


def _highlighted(findings: Sequence[Finding], weighed: ranking.Ranking, meant: Meant) -> list[Finding]:
    """Return findings with the spans of their text where words of the question stand, and that of the best sentence."""
    near = _near(findings, meant)
    return [
        f._replace(
            matches=tuple(ranking.spans(weighed.asked, f.text, f.folded)),
            evidence=answering.evidence_span(
                weighed, f.text, headings={f.row.title, *f.row.heading}, near=near.get(f.row.passage)
            ),
        )
        for f in findings
    ]


def _near(findings: Sequence[Finding], meant: Meant) -> dict[int, list[float]]:
    """Return the cosines of the sentences of the first passages that have few words of the question, by passage."""
    few = [f for f in findings[:COMPARED] if f.row.passage in meant.cosines and f.coverage < UNCOVERED]
    if not few or meant.compare is None:
        return {}
    sentences = [[f.text[slice(*span)] for span in answering.parts(f.text)] for f in few]
    try:
        cosines = iter(meant.compare([each for ours in sentences for each in ours]))
    except Unavailable:
        return {}  # a server that has gone since: words decide
    return {f.row.passage: list(islice(cosines, len(ours))) for f, ours in zip(few, sentences, strict=True)}
