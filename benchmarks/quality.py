"""Retrieval quality on the question sets: recall@1, recall@10, MRR@10, with the settings that every search has.

    python -m benchmarks.quality [--index tantivy|fts5] [--questions N] [SET ...]

Measured as ../shared/corpus/eval/score.py does. `pool` is corpus/scale with cmrc2018_dev, drcd_a and xquad_zh_a.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks import corpus
from yuanwen import Library
from yuanwen.evaluation import metrics
from yuanwen.evaluation.run import BEST


class Row(NamedTuple):
    """A line of the table: the library to ask, the questions, and what is to be reached."""

    name: str
    library: tuple[str, ...]
    questions: str
    file: str = "queries.jsonl.gz"
    kind: str | None = None
    mode: str = "ranked"
    at_1: float | None = None
    at_10: float | None = None


ROWS = (
    Row("cmrc2018_dev, pool", corpus.POOL, "eval/cmrc2018_dev", at_1=0.975, at_10=0.997),
    Row(
        "drcd_a simplified, pool",
        corpus.POOL,
        "eval/drcd_a",
        "queries_simplified.jsonl.gz",
        at_1=0.91,
        at_10=0.985,
    ),
    Row("drcd_a, pool", corpus.POOL, "eval/drcd_a"),
    Row("xquad_zh_a, pool", corpus.POOL, "eval/xquad_zh_a", at_10=0.95),
    Row("scale phrase, pool", corpus.POOL, "scale", kind="phrase", at_1=1.0),
    Row("scale phrase exact, pool", corpus.POOL, "scale", kind="phrase", mode="exact", at_1=1.0),
    Row("scale lookup, pool", corpus.POOL, "scale", kind="lookup", at_1=0.95),
    Row("stard_law_a", ("eval/stard_law_a",), "eval/stard_law_a", at_1=0.32, at_10=0.46),
    Row("squad2_a", ("eval/squad2_a",), "eval/squad2_a", at_1=0.77),
    Row("qed_nq_dev", ("eval/qed_nq_dev",), "eval/qed_nq_dev", at_1=0.86),
)


def library(names: tuple[str, ...], index: str) -> Library:
    """Return the library of some sets, built if it is not there yet."""
    name = "pool" if names == corpus.POOL else names[0].rpartition("/")[2]
    path = corpus.WORK / f"{name}-{index}.sqlite"
    built = Library.open(path, index=index)
    if not built.status().passages:
        print(f"building {path.name} ...", file=sys.stderr)
        built.add(corpus.records(names, corpus.WORK / f"{name}.jsonl"))
    return built


def score(asked: Library, questions: Sequence[corpus.Question], mode: str) -> tuple[float, float, float]:
    """Return recall@1, recall@10 and MRR@10."""
    first = within = reciprocal = 0.0
    for question in questions:
        hits = asked.search(question.text, mode=mode, limit=BEST).hits  # type: ignore[arg-type]
        found, grades = [hit.label or "" for hit in hits], dict.fromkeys(question.relevant, 1)
        first += metrics.success(found, grades, 1)
        within += metrics.recall(found, grades, BEST)
        reciprocal += metrics.reciprocal_rank(found, grades, BEST)
    n = len(questions)
    return first / n, within / n, reciprocal / n


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--index", default="tantivy")
    parser.add_argument("--questions", type=int, default=0, help="at most so many questions a row, evenly spread")
    options = parser.parse_args()
    print(f"{'questions':26} {'number':>6}  {'R@1':>6} {'goal':>6}  {'R@10':>6} {'goal':>6}  {'MRR@10':>6}")
    missed = 0
    opened: dict[tuple[str, ...], Library] = {}
    for row in ROWS:
        if options.sets and not any(part in row.name for part in options.sets):
            continue
        if row.library not in opened:
            opened[row.library] = library(row.library, options.index)
        asked = [q for q in corpus.questions(row.questions, row.file) if q.answerable and row.kind in (None, q.kind)]
        if options.questions:
            asked = asked[:: max(1, len(asked) // options.questions)]
        at_1, at_10, mrr = score(opened[row.library], asked, row.mode)
        missed += at_1 < (row.at_1 or 0) or at_10 < (row.at_10 or 0)
        goals = [f"{goal:6.3f}" if goal else "      " for goal in (row.at_1, row.at_10)]
        print(
            f"{row.name:26} {len(asked):6}  {at_1:6.4f} {goals[0]}  {at_10:6.4f} {goals[1]}  {mrr:6.4f}",
            flush=True,
        )
    for each in opened.values():
        each.close()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
