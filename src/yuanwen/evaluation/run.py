"""A library and a question set -> how well each mode answers, and which questions fail."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from yuanwen.errors import NotFound, UsageError
from yuanwen.evaluation import metrics
from yuanwen.evaluation.metrics import Difference, Figure
from yuanwen.evaluation.sets import Expected, Question, QuestionSet
from yuanwen.library import Library
from yuanwen.model import Evidence, Hit, Mode

BEST = 10  # hits that count
DEEP = 100  # hits among which the expected one is looked for where it is not among the best
RANKING = ("R@1", "R@10", "MRR@10", "nDCG@10")  # measures of an answerable question
SEED = 1

Strength = Literal["strong", "weak"]

Progress = Callable[[int, int, str], None]


class Shown(NamedTuple):
    """A passage that came."""

    id: str
    label: str | None
    source: str
    excerpt: str


class Verdict(NamedTuple):
    """What a search says of a question: whether it is answered, how well, and how sure that is, 0 to 1."""

    answered: bool
    strength: Strength | None
    confidence: float


class Counts(NamedTuple):
    """How many questions of a kind were asked, how many of them answered, and how many of those strongly."""

    asked: int
    answered: int
    strong: int


@dataclass(frozen=True, kw_only=True)
class AnsweredQuestion:
    """What came of a question.

    `rank` is that of the first passage that was expected, None beyond 100. `values` has the measures of `RANKING`,
    none for a question that is not answerable. `unknown` are expected passages that the library does not have.
    """

    question: Question
    verdict: Verdict
    rank: int | None
    first: Shown | None
    values: Mapping[str, float]
    unknown: tuple[Expected, ...]
    elapsed_ms: float

    @property
    def failed(self) -> bool:
        """Whether what was expected is not first, or an answer was given where there is none, or none where one is."""
        return self.verdict.answered != self.question.answerable or (self.question.answerable and self.rank != 1)


@dataclass(frozen=True, kw_only=True)
class ModeResult:
    """How well a mode answers.

    `figures` has `R@1`, `R@10`, `MRR@10`, `nDCG@10` and `answered` (the share of answerable questions that are
    answered); with unanswerable questions also `refused` (the share of them that are), `AUROC` (of the confidence) and
    `kept` (the share of answerable questions that a threshold keeps which lets a tenth of the others through).
    `kinds` counts the questions of each kind. `curve` are the shares of unanswerable and
    of answerable questions let through by each threshold. Times are milliseconds a question: median, 95th percentile.
    """

    mode: Mode
    figures: Mapping[str, Figure]
    kinds: Mapping[str, Counts]
    curve: tuple[tuple[float, float], ...]
    p50_ms: float
    p95_ms: float
    questions: tuple[AnsweredQuestion, ...]

    @property
    def failures(self) -> tuple[AnsweredQuestion, ...]:
        """The questions that fail: what was never found first, then what was found late, then wrong verdicts."""
        return tuple(sorted((each for each in self.questions if each.failed), key=_gravity))


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two settings over the same questions: for each measure the difference, and whether it may be chance."""

    a: str
    b: str
    questions: int
    differences: Mapping[str, Difference]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """How well a library answers a set, by mode. `notes` say what to know of the figures."""

    name: str
    library: str
    answerable: int
    unanswerable: int
    passages: int
    modes: tuple[ModeResult, ...]
    notes: tuple[str, ...] = ()


def verdict(found: Evidence) -> Verdict:
    """Return the verdict of a search."""
    return Verdict(found.status == "evidence_found", found.strength, found.confidence)


def modes_of(library: Library) -> tuple[Mode, ...]:
    """Return the modes that are measured unless others are named: by words, and by meaning where there are vectors."""
    usual = library.search("原文", limit=1).mode
    return ("ranked",) if usual == "ranked" else ("ranked", usual)


def run(
    library: Library,
    asked: QuestionSet,
    modes: Sequence[Mode] = (),
    *,
    seed: int = SEED,
    progress: Progress | None = None,
) -> Evaluation:
    """Return how well a library answers the questions of a set; without `modes` those of `modes_of`.

    The passages of a set that is a folder are expected by their labels; those of a table by source and quote.
    `progress` is told of each question. Raises UsageError where the library has nothing of what is expected.
    """
    expectations = _Expectations(library, asked)
    chosen = tuple(dict.fromkeys(modes)) or modes_of(library)
    status = library.status()
    answerable = sum(question.answerable for question in asked.questions)
    return Evaluation(
        name=asked.name,
        library=status.path,
        answerable=answerable,
        unanswerable=len(asked.questions) - answerable,
        passages=status.passages,
        modes=tuple(_measured(library, asked, mode, expectations, seed, progress) for mode in chosen),
        notes=_notes(expectations, asked),
    )


def compare(a: Sequence[AnsweredQuestion], b: Sequence[AnsweredQuestion], names: tuple[str, str]) -> Comparison:
    """Return how two settings differ over the questions that both were asked. Raises UsageError without any."""
    return compare_values(values_of(a), values_of(b), names)


# ------------------------------------------------------------------------------------------- measuring


def _measured(
    library: Library,
    asked: QuestionSet,
    mode: Mode,
    expectations: "_Expectations",
    seed: int,
    progress: Progress | None,
) -> ModeResult:
    answers = []
    for number, question in enumerate(asked.questions, 1):
        answers.append(_answered(library, question, mode, expectations))
        if progress is not None:
            progress(number, len(asked.questions), mode)
    return result(mode, answers, seed=seed)


def result(mode: Mode, answers: Sequence[AnsweredQuestion], *, seed: int = SEED) -> ModeResult:
    """Return the figures of the answers to a set."""
    good = [each for each in answers if each.question.answerable]
    bad = [each for each in answers if not each.question.answerable]
    columns = [[each.values[name] for each in good] for name in RANKING]
    columns.append([float(each.verdict.answered) for each in good])
    figures = dict(zip((*RANKING, "answered"), metrics.figures(columns, seed=seed), strict=True))
    curve: list[tuple[float, float]] = []
    if bad:
        scores = [each.verdict.confidence for each in good], [each.verdict.confidence for each in bad]
        refused = [float(not each.verdict.answered) for each in bad]
        [figures["refused"]] = metrics.figures([refused], seed=seed)
        figures["AUROC"] = metrics.figure(metrics.auroc, *scores, seed=seed)
        figures["kept"] = metrics.figure(metrics.kept, *scores, seed=seed)
        curve = metrics.curve(*scores)
    times = sorted(each.elapsed_ms for each in answers)
    return ModeResult(
        mode=mode,
        figures=figures,
        kinds=_kinds(answers),
        curve=tuple(curve),
        p50_ms=round(statistics.median(times), 3),
        p95_ms=times[int(0.95 * (len(times) - 1))],
        questions=tuple(answers),
    )


def _answered(library: Library, question: Question, mode: Mode, expectations: "_Expectations") -> AnsweredQuestion:
    found = library.search(question.text, mode=mode, limit=BEST)
    ranking, grades = expectations.ranking(question, found.hits)
    rank = metrics.first_hit(ranking, grades)
    if question.answerable and rank is None and len(found.hits) == BEST:
        deeper = library.search(question.text, mode=mode, limit=DEEP).hits
        rank = metrics.first_hit(expectations.ranking(question, deeper)[0], grades)
    first = found.hits[0] if found.hits else None
    return AnsweredQuestion(
        question=question,
        verdict=verdict(found),
        rank=rank,
        first=Shown(first.id, first.label, first.source, first.excerpt) if first is not None else None,
        values=_values(ranking, grades) if question.answerable else {},
        unknown=expectations.unknown(question),
        elapsed_ms=found.elapsed_ms,
    )


def _values(ranking: Sequence[str], grades: Mapping[str, int]) -> dict[str, float]:
    """Return the measures of `RANKING`. With several passages that answer, `R@1` asks for any one of them."""
    return {
        "R@1": metrics.success(ranking, grades, 1),
        "R@10": metrics.recall(ranking, grades, BEST),
        "MRR@10": metrics.reciprocal_rank(ranking, grades, BEST),
        "nDCG@10": metrics.ndcg(ranking, grades, BEST),
    }


def _kinds(answers: Sequence[AnsweredQuestion]) -> dict[str, Counts]:
    kinds: dict[str, Counts] = {}
    for each in answers:
        asked, answered, strong = kinds.get(each.question.kind, (0, 0, 0))
        is_strong = each.verdict.strength == "strong"
        kinds[each.question.kind] = Counts(asked + 1, answered + each.verdict.answered, strong + is_strong)
    return kinds


def _gravity(each: AnsweredQuestion) -> tuple[float, float]:
    if each.question.answerable and each.rank != 1:
        return (-(each.rank or 1e9), 0)
    return (0, -each.verdict.confidence)


# ------------------------------------------------------------------------------------- what is expected


class _Place(NamedTuple):
    """Where a quote stands in the library."""

    version: str
    source: str
    start: int
    end: int


class _Expectations:
    """Which hits are those that a set expects."""

    def __init__(self, library: Library, asked: QuestionSet) -> None:
        self._by_label = asked.corpus is not None
        self._places: dict[Expected, tuple[_Place, ...]] = {}
        self._unknown: set[Expected] = set()
        wanted = dict.fromkeys(each for question in asked.questions for each in question.expected)
        sources = () if self._by_label else tuple(document.source for document in library.list())
        for each in wanted:
            if not self._is_there(library, each, sources):
                self._unknown.add(each)
        if len(self._unknown) == len(wanted):
            raise UsageError(
                "the library has nothing of what {name} expects: {source}",
                hint="Name the library that holds it with -L.",
                name=asked.name,
                source=next(iter(wanted)).source,
            )

    def _is_there(self, library: Library, expected: Expected, sources: Sequence[str]) -> bool:
        if not self._by_label and any(_ends_with(source, expected.source) for source in sources):
            if not expected.quote:
                return True
        elif not _has(library, expected.source):
            return False
        if expected.quote:
            hits = library.search(expected.quote, mode="exact", limit=DEEP).hits
            self._places[expected] = tuple(_quoted(expected, hits))
            return bool(self._places[expected])
        return True

    def unknown(self, question: Question) -> tuple[Expected, ...]:
        """Return what a question expects and the library does not have."""
        return tuple(each for each in question.expected if each in self._unknown)

    def ranking(self, question: Question, hits: Sequence[Hit]) -> tuple[list[str], dict[str, int]]:
        """Return hits and what is expected as a ranking and its grades. What comes again counts as something else."""
        grades = {str(number): each.grade for number, each in enumerate(question.expected)}
        ranking: list[str] = []
        for hit in hits:
            fit = (str(number) for number, each in enumerate(question.expected) if self._is(hit, each))
            ranking.append(next((each for each in fit if each not in ranking), ""))
        return ranking, grades

    def _is(self, hit: Hit, expected: Expected) -> bool:
        if self._by_label:
            return hit.label == expected.source
        if not expected.quote:
            return _is_named(hit, expected.source)
        places = self._places.get(expected, ())
        return any(
            (hit.version, hit.source) == (place.version, place.source)
            and hit.start < place.end
            and place.start < hit.end
            for place in places
        )


def _quoted(expected: Expected, hits: Sequence[Hit]) -> Iterator[_Place]:
    """Yield where a quote stands in its source."""
    for hit in hits:
        if _is_named(hit, expected.source):
            for start, end in hit.matches:
                yield _Place(hit.version, hit.source, hit.start + start, hit.start + end)


def _is_named(hit: Hit, name: str) -> bool:
    return name in (hit.id, hit.label, hit.id.rpartition("-")[0]) or _ends_with(hit.source, name)


def _ends_with(source: str, name: str) -> bool:
    """Return whether a source is what a person calls it: its whole path, or the end of it."""
    source, name = source.replace("\\", "/"), name.replace("\\", "/").removeprefix("./")
    return source == name or source.endswith(f"/{name}")


def _has(library: Library, name: str) -> bool:
    try:
        return bool(library.show(name, limit=1))
    except NotFound:
        return False


def _notes(expectations: _Expectations, asked: QuestionSet) -> tuple[str, ...]:
    lost = [each.id for each in asked.questions if expectations.unknown(each)]
    notes = []
    if lost:
        shown = ", ".join(lost[:BEST]) + (" ..." if len(lost) > BEST else "")
        notes.append(f"the library does not have what these questions expect, so they cannot be answered: {shown}")
    return tuple(notes)


# ------------------------------------------------------------------------------------------ comparing

Values = Mapping[str, Mapping[str, float]]  # of a measure: the value of each question, by its id


def values_of(answers: Sequence[AnsweredQuestion]) -> Values:
    """Return the value of each question for each measure: those of `RANKING`, `answered` and `refused`."""
    values: dict[str, dict[str, float]] = {name: {} for name in (*RANKING, "answered", "refused")}
    for each in answers:
        for name, value in each.values.items():
            values[name][each.question.id] = value
        right = "answered" if each.question.answerable else "refused"
        values[right][each.question.id] = float(each.verdict.answered == each.question.answerable)
    return values


def compare_values(a: Values, b: Values, names: tuple[str, str], *, seed: int = SEED) -> Comparison:
    """Return how two settings differ, from the `values_of` each. Raises UsageError without common questions."""
    differences = {}
    for name in a:
        both = [each for each in a[name] if each in b.get(name, {})]
        if both:
            differences[name] = metrics.difference(
                [a[name][each] for each in both], [b[name][each] for each in both], seed=seed
            )
    if RANKING[0] not in differences:
        raise UsageError(
            "{a} and {b} were not asked the same questions", hint="Compare runs of one set.", a=names[0], b=names[1]
        )
    counted = {each for name in differences for each in a[name] if each in b[name]}
    return Comparison(a=names[0], b=names[1], questions=len(counted), differences=differences)
