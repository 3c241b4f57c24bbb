"""How good a ranking and a verdict are, in figures: pure formulas, each with its source.

A ranking is a sequence of ids, the best first, none twice; `grades` has the id of each passage that answers, with its
grade, 1 or more. Where there are none the measures are undefined, and nothing here is asked for them.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

SAMPLES = 1000  # of a bootstrap
FLIPS = 5000  # of a randomisation test
LEVEL = 0.95
LET_THROUGH = 0.1  # share of the unanswerable questions that a threshold lets through


class Figure(NamedTuple):
    """A mean and the interval in which it lies with a confidence of 95 %."""

    value: float
    low: float
    high: float


class Difference(NamedTuple):
    """How much the mean of b is above that of a, over the same questions.

    `better`, `worse` and `same` count the questions. `p` is how often chance alone makes a difference as large.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float
    better: int
    worse: int
    same: int


# ------------------------------------------------------------------------------------------- of one question


def first_hit(ranking: Sequence[str], grades: Mapping[str, int]) -> int | None:
    """Return the rank, from 1, of the first passage that answers."""
    return next((rank for rank, each in enumerate(ranking, 1) if each in grades), None)


def recall(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Return the share of the passages that answer which are among the first `k`."""
    return len(grades.keys() & set(ranking[:k])) / len(grades)


def success(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Return 1 if a passage that answers is among the first `k`, else 0. With one such passage it is the recall."""
    return float(any(each in grades for each in ranking[:k]))


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Return 1 / rank of the first passage that answers, 0 beyond `k` (Voorhees, TREC-8, 1999)."""
    rank = first_hit(ranking[:k], grades)
    return 1 / rank if rank else 0.0


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Return the discounted gain of the first `k` as a share of the best there could be, 0 to 1.

    Järvelin and Kekäläinen (2002), with the gain 2^grade - 1 and the discount log2(rank + 1) of Burges et al. (2005).
    """
    best = _gain(sorted(grades.values(), reverse=True)[:k])
    return _gain([grades.get(each, 0) for each in ranking[:k]]) / best


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


# ------------------------------------------------------------------------------------------- of many scores


def auroc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """Return how often an answerable question has the higher score than an unanswerable one, ties counting half.

    That is the area under the receiver operating characteristic (Hanley and McNeil, 1982), and the statistic U of
    Mann and Whitney, divided by the number of pairs.
    """
    above, others = Counter(answerable), Counter(unanswerable)
    below = won = 0.0
    for score in sorted({*above, *others}):
        won += above[score] * (below + others[score] / 2)
        below += others[score]
    return won / (len(answerable) * len(unanswerable))


def kept(answerable: Sequence[float], unanswerable: Sequence[float], let_through: float = LET_THROUGH) -> float:
    """Return the share of answerable questions whose score is above that of all unanswerable ones but `let_through`."""
    place = int((1 - let_through) * len(unanswerable))
    threshold = sorted(unanswerable)[min(place, len(unanswerable) - 1)]
    return sum(score > threshold for score in answerable) / len(answerable)


def curve(answerable: Sequence[float], unanswerable: Sequence[float]) -> list[tuple[float, float]]:
    """Return the share of unanswerable and of answerable questions let through at each threshold, from 0, 0 to 1, 1."""
    good, bad = Counter(answerable), Counter(unanswerable)
    points, through, wrongly = [(0.0, 0.0)], 0, 0
    for score in sorted({*good, *bad}, reverse=True):
        through += good[score]
        wrongly += bad[score]
        points.append((wrongly / len(unanswerable), through / len(answerable)))
    return points


# ------------------------------------------------------------------------------------- how sure that can be


def figures(columns: Sequence[Sequence[float]], *, seed: int, samples: int = SAMPLES) -> list[Figure]:
    """Return the mean of each column, which has one value a question, with its interval.

    The interval is that of the percentile bootstrap over questions (Efron and Tibshirani, 1993, chapter 13).
    """
    n = len(columns[0])
    chance = random.Random(seed)
    means: list[list[float]] = [[] for _ in columns]
    for _ in range(samples):
        drawn = chance.choices(range(n), k=n)
        for column, found in zip(columns, means, strict=True):
            found.append(sum(map(column.__getitem__, drawn)) / n)
    return [Figure(sum(column) / n, *_interval(found)) for column, found in zip(columns, means, strict=True)]


def figure(
    measure: Callable[[Sequence[float], Sequence[float]], float],
    answerable: Sequence[float],
    unanswerable: Sequence[float],
    *,
    seed: int,
    samples: int = SAMPLES,
) -> Figure:
    """Return `auroc` or `kept` with its interval: the percentile bootstrap over questions of either kind apart."""
    chance = random.Random(seed)
    found = [
        measure(
            chance.choices(answerable, k=len(answerable)),
            chance.choices(unanswerable, k=len(unanswerable)),
        )
        for _ in range(samples)
    ]
    return Figure(measure(answerable, unanswerable), *_interval(found))


def difference(a: Sequence[float], b: Sequence[float], *, seed: int, samples: int = SAMPLES) -> Difference:
    """Return how two settings differ, from their values for the same questions in the same order.

    The interval is that of the paired bootstrap. `p` is that of the two-sided randomisation test, which flips the sign
    of each difference by chance: Smucker, Allan and Carterette (CIKM 2007) find that it fits retrieval best. Where all
    differences are of one size, as those of 0 and 1 are, it is computed: that is the exact test of McNemar (1947).
    """
    gaps = [y - x for x, y in zip(a, b, strict=True)]
    [gap] = figures([gaps], seed=seed, samples=samples)
    return Difference(
        a=sum(a) / len(a),
        b=sum(b) / len(b),
        difference=gap.value,
        low=gap.low,
        high=gap.high,
        p=_p([each for each in gaps if each], seed),
        better=sum(each > 0 for each in gaps),
        worse=sum(each < 0 for each in gaps),
        same=sum(each == 0 for each in gaps),
    )


def _p(gaps: Sequence[float], seed: int) -> float:
    """Return how often flipped signs give a sum as far from 0; the one that was seen counts among those drawn."""
    seen = abs(sum(gaps)) - 1e-9
    n = len(gaps)
    if len({abs(gap) for gap in gaps}) < 2:
        size = abs(gaps[0]) if gaps else 0.0
        ways = sum(math.comb(n, flipped) for flipped in range(n + 1) if abs(n - 2 * flipped) * size >= seen)
        return ways / (1 << n)
    chance = random.Random(seed)
    total = sum(gaps)
    as_far = 0
    for _ in range(FLIPS):
        flipped = compress(gaps, map(int, format(chance.getrandbits(n), f"0{n}b")))
        as_far += abs(total - 2 * sum(flipped)) >= seen
    return (as_far + 1) / (FLIPS + 1)


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the middle `LEVEL` of values."""
    ordered = sorted(values)
    outside = int((1 - LEVEL) / 2 * len(ordered))
    return ordered[outside], ordered[-1 - outside]
