"""The formulas of an evaluation, held against the plainest way to compute the same."""

from collections.abc import Mapping, Sequence
from itertools import pairwise, permutations, product
from math import comb, isclose, log2

from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen.evaluation import metrics

IDS = "abcdef"
rankings = st.permutations(IDS).flatmap(lambda ids: st.integers(0, len(ids)).map(lambda n: ids[:n]))
judged = st.dictionaries(st.sampled_from(IDS), st.integers(1, 3), min_size=1)
scores = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=12)
gaps = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=8)


def gain(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    return sum((2.0 ** grades.get(each, 0) - 1) / log2(place + 2) for place, each in enumerate(ranking))


@given(rankings, judged, st.integers(1, 7))
def test_measures_of_a_ranking_are_what_their_definitions_say(
    ranking: list[str], grades: dict[str, int], k: int
) -> None:
    best = ranking[:k]
    found = [each for each in best if each in grades]
    assert metrics.recall(ranking, grades, k) == len(found) / len(grades)
    assert metrics.success(ranking, grades, k) == bool(found)
    assert metrics.reciprocal_rank(ranking, grades, k) == max((1 / (best.index(each) + 1) for each in found), default=0)
    ideal = max(gain(each[:k], grades) for each in permutations(grades))
    assert isclose(metrics.ndcg(ranking, grades, k), gain(best, grades) / ideal, abs_tol=1e-12)


@given(scores, scores)
def test_auroc_counts_the_pairs_that_are_in_order(good: list[float], bad: list[float]) -> None:
    pairs = [(a > b) + (a == b) / 2 for a in good for b in bad]
    assert isclose(metrics.auroc(good, bad), sum(pairs) / len(pairs))


@given(scores, scores)
def test_the_area_under_the_curve_is_the_auroc(good: list[float], bad: list[float]) -> None:
    curve = metrics.curve(good, bad)
    assert (curve[0], curve[-1]) == ((0, 0), (1, 1))
    area = sum((x - w) * (y + z) / 2 for (w, z), (x, y) in pairwise(curve))
    assert isclose(area, metrics.auroc(good, bad), abs_tol=1e-9)


@given(scores, scores)
def test_what_is_kept_lets_no_more_than_a_tenth_of_the_others_through(good: list[float], bad: list[float]) -> None:
    thresholds = [each for each in sorted(bad) if sum(b > each for b in bad) <= 0.1 * len(bad)]
    kept = metrics.kept(good, bad)
    assert any(isclose(kept, sum(a > each for a in good) / len(good)) for each in thresholds)


@settings(max_examples=30)
@given(gaps)
def test_p_is_the_share_of_all_ways_to_flip_signs(values: list[float]) -> None:
    found = metrics.difference([0.0] * len(values), values, seed=1, samples=2)
    flipped = [
        sum(v * sign for v, sign in zip(values, signs, strict=True)) for signs in product((1, -1), repeat=len(values))
    ]
    exact = sum(abs(each) >= abs(sum(values)) - 1e-9 for each in flipped) / len(flipped)
    assert abs(found.p - exact) < 0.04  # of 5,000 that are drawn
    assert (found.better, found.worse) == (sum(v > 0 for v in values), sum(v < 0 for v in values))
    assert found.better + found.worse + found.same == len(values)


@given(st.integers(0, 40), st.integers(0, 40))
def test_for_right_and_wrong_p_is_that_of_the_exact_test_of_mcnemar(better: int, worse: int) -> None:
    a, b = [0.0] * better + [1.0] * worse + [1.0], [1.0] * better + [0.0] * worse + [1.0]
    n = better + worse
    tail = sum(comb(n, k) for k in range(min(better, worse) + 1)) / 2**n
    assert isclose(metrics.difference(a, b, seed=1, samples=2).p, min(1, 2 * tail))


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers())
def test_an_interval_lies_among_the_values_and_a_seed_gives_it_again(values: list[float], seed: int) -> None:
    [figure] = metrics.figures([values], seed=seed, samples=40)
    assert [figure] == metrics.figures([values], seed=seed, samples=40)
    assert isclose(figure.value, sum(values) / len(values), abs_tol=1e-12)
    assert min(values) - 1e-9 <= figure.low <= figure.high <= max(values) + 1e-9


def test_an_interval_is_as_wide_as_theory_has_it() -> None:
    [figure] = metrics.figures([[1.0] * 80 + [0.0] * 20], seed=1)
    error = (0.8 * 0.2 / 100) ** 0.5
    assert abs((figure.high - figure.low) / (2 * 1.96 * error) - 1) < 0.15
    good, bad = [0.9, 0.8, 0.4, 0.7] * 20, [0.1, 0.5, 0.3, 0.75] * 20
    figure = metrics.figure(metrics.auroc, good, bad, seed=1, samples=200)
    assert figure.low < figure.value == metrics.auroc(good, bad) < figure.high
