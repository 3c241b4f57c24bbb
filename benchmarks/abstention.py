"""Whether Yuanwen knows when there is no evidence: AUROC, what is refused and kept at the one setting, and the curve.

    python -m benchmarks.abstention [--mode ranked|hybrid] [--library FILE] [--questions N] [--curve] [SET ...]

`hybrid` asks libraries that have vectors; which model made them is in the heading. A row counts the questions that the
set's passages answer against those that they do not: `absent`, whose document was left out, and `adversarial`, which a
person wrote to look answered. `at 97 %`: the share of these that is refused where the threshold is set so that 97 % of
the others are answered. `refused`, `kept` and `strong` are at the setting that every search has.
"""

import argparse
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import corpus, quality
from yuanwen import Library
from yuanwen.model import Evidence


class Row(NamedTuple):
    name: str
    library: tuple[str, ...]
    questions: str
    kind: str
    file: str = "queries.jsonl.gz"
    auroc: float = 0.95


ROWS = (
    Row("cmrc2018_dev absent, pool", corpus.POOL, "eval/cmrc2018_dev", "absent"),
    Row("drcd_a absent, pool", corpus.POOL, "eval/drcd_a", "absent"),
    Row("drcd_a simplified absent, pool", corpus.POOL, "eval/drcd_a", "absent", "queries_simplified.jsonl.gz"),
    Row("squad2_a adversarial", ("eval/squad2_a",), "eval/squad2_a", "adversarial", auroc=0.65),
)
KEPT = 0.97


class Asked(NamedTuple):
    """What came of the questions: the confidence and the strength of each."""

    confidences: list[float]
    strengths: list[str | None]

    def share(self, *strengths: str | None) -> float:
        return sum(strength in strengths for strength in self.strengths) / max(1, len(self.strengths))


def auroc(kept: Sequence[float], refused: Sequence[float]) -> float:
    """Return how often one of the first is above one of the second, ties counting half."""
    ordered = sorted(kept)
    above = [(2 * len(ordered) - bisect_left(ordered, c) - bisect_right(ordered, c)) / 2 for c in refused]
    return sum(above) / (len(kept) * len(refused))


def below(confidences: Sequence[float], threshold: float) -> float:
    return sum(confidence < threshold for confidence in confidences) / len(confidences)


def threshold(kept: Sequence[float], share: float) -> float:
    """Return the confidence that `share` of the questions reach."""
    return sorted(kept)[int((1 - share) * len(kept))]


def ask(library: Library, questions: Sequence[corpus.Question], mode: str) -> Asked:
    found: list[Evidence] = [library.search(q.text, mode=mode, limit=10) for q in questions]  # type: ignore[arg-type]
    strengths = [None if each.status == "abstain" else each.strength for each in found]
    return Asked([each.confidence for each in found], list(strengths))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--mode", default="ranked", choices=("ranked", "hybrid"))
    parser.add_argument("--library", type=Path, help="the library to ask, in place of the one made for a row")
    parser.add_argument("--questions", type=int, default=0, help="at most so many questions of each kind")
    parser.add_argument("--curve", action="store_true", help="print what is refused for each share that is kept")
    options = parser.parse_args()
    print(f"{'questions':32} {'with':>5} {'none':>5}  AUROC  goal  at 97 %  refused   kept  strong: with  none")
    missed = 0
    for row in ROWS:
        if options.sets and not any(part in row.name for part in options.sets):
            continue
        library = Library.open(options.library) if options.library else quality.library(row.library, "tantivy")
        with library:
            asked = corpus.questions(row.questions, row.file)
            sides = [[q for q in asked if q.answerable], [q for q in asked if q.kind == row.kind]]
            if options.questions:
                sides = [side[:: max(1, len(side) // options.questions)] for side in sides]
            kept, others = (ask(library, side, options.mode) for side in sides)
        reached = auroc(kept.confidences, others.confidences)
        at = below(others.confidences, threshold(kept.confidences, KEPT))
        missed += reached < row.auroc or (row.kind == "adversarial" and others.share("strong") > 0.5)
        print(
            f"{row.name:32} {len(sides[0]):5} {len(sides[1]):5}  {reached:.3f}  {row.auroc:.2f}   {at:.3f}    "
            f"{others.share(None):.3f}  {1 - kept.share(None):.3f}        {kept.share('strong'):.3f} "
            f"{others.share('strong'):.3f}",
            flush=True,
        )
        if options.curve:
            for share in (0.99, 0.98, 0.97, 0.95, 0.9, 0.8):
                limit = threshold(kept.confidences, share)
                print(f"    {share:.2f} kept: {below(others.confidences, limit):.3f} refused, from {limit:.3f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
