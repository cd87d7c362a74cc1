"""Ratios paired by seed, and the number of seeds that finds a difference."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from incast.measure.paired import FEWEST_SEEDS, PairedRatio, seeds_to_tell, told
from incast.present import paired
from incast.present.baseline import Better

POOL = Path(__file__).parent / "pool" / "runs.csv"
MEASURES = ["mean", "p50", "p99", "p99.9"]


def test_a_geometric_mean_with_students_interval():
    """Logarithms 0, 1, 2, 3, 4 of base e: mean 2, deviation √2.5 = 1.5811, t(0.975, 4) = 2.7764:
    half of the interval is 2.7764 · 1.5811 / √5 = 1.9632. So the interval is e^0.0368 to e^3.9632.
    """
    found = PairedRatio.of([math.e**n * 10 for n in range(5)], [10.0] * 5)
    assert found.ratio == pytest.approx(math.e**2)
    assert found.deviation == pytest.approx(1.5811, abs=1e-4)
    assert (found.low, found.high) == pytest.approx((1.0375, 52.63), rel=1e-3)
    assert (found.seeds, found.zeros, found.is_different) == (5, 0, True)


def test_what_seeds_share_cancels():
    """The ratio is 2 with every seed, and the interval has no width."""
    found = PairedRatio.of([2.0, 20.0, 6.0, 0.2, 8.0], [1.0, 10.0, 3.0, 0.1, 4.0])
    assert found.ratio == pytest.approx(2)
    assert found.low == pytest.approx(2) == found.high
    same = PairedRatio.of([3.0, 5.0, 7.0, 9.0, 11.0], [3.0, 5.0, 7.0, 9.0, 11.0])
    assert (same.ratio, same.low, same.high, same.is_different) == (1, 1, 1, False)
    assert paired.verdict(same, Better.LOWER) == "equal with every seed"


def test_seeds_that_change_neither_number_have_no_interval():
    """2 and 1 with each of five seeds: an interval without width would tell nothing. If seeds
    change the numbers but not their ratio, the interval is shown.
    """
    alike = PairedRatio.of([2.0] * 5, [1.0] * 5)
    assert alike.alike
    assert paired.interval_text(alike) == ""
    for seeds in (alike, PairedRatio.of([2.0] * 2, [1.0] * 2)):
        assert paired.verdict(seeds, Better.LOWER) == "the same difference with every seed"
    assert told(alike, 0.05)["seeds_alike"]
    varied = PairedRatio.of([2.0, 4.0, 6.0, 8.0, 2.0], [1.0, 2.0, 3.0, 4.0, 1.0])
    assert not varied.alike
    assert paired.verdict(varied, Better.LOWER) == "different"
    assert not PairedRatio.of([2.0], [1.0]).alike


def test_few_seeds_have_no_interval():
    one = PairedRatio.of([1.1], [1.0])
    assert one.ratio == pytest.approx(1.1)
    assert math.isnan(one.low)
    assert paired.verdict(one, Better.LOWER) == "one seed: no interval"
    four = PairedRatio.of([1.1, 1.2, 1.1, 1.2], [1.0] * 4)
    assert not four.has_interval
    assert paired.verdict(four, Better.LOWER) == "no interval of fewer than 5 seeds"
    assert paired.interval_text(four) == ""
    assert told(four, 0.05)["different"] is None
    assert told(four, 0.05)["low"] is None


def test_zeros_and_missing_numbers():
    zeros = PairedRatio.of([0.0, 1.0, 2.0, 0.0, 3.0], [1.0, 1.0, 1.0, 0.0, 1.0])
    assert (zeros.zeros, zeros.seeds) == (2, 5)
    assert math.isnan(zeros.ratio)
    assert paired.verdict(zeros, Better.LOWER) == "no ratio: one is 0 in 2 of 5 seeds"
    assert told(zeros, 0.05)["ratio"] is None
    for number in (-1.0, math.inf):
        none = PairedRatio.of([2.0, number], [1.0, 1.0])
        assert (none.zeros, math.isnan(none.ratio)) == (1, True)
        assert paired.verdict(none, Better.LOWER) == (
            "no ratio: one is negative or infinite in 1 of 2 seeds"
        )
    nothing = PairedRatio.of([0.0, 0.0], [0.0, 0.0])
    assert paired.verdict(nothing, Better.LOWER) == "equal with every seed"
    missing = PairedRatio.of([math.nan, 2.0], [1.0, 1.0])
    assert (missing.ratio, missing.seeds) == (2, 1)
    assert paired.verdict(PairedRatio.of([], []), Better.LOWER) == "no seed has both numbers"


def test_within_a_difference_does_not_depend_on_which_is_the_baseline():
    """1/1.05 is 0.9524, so −4.8 %: an interval that reaches to 0.951 is not within 5 %."""
    missing = math.nan
    within = PairedRatio(1.0, 0.953, 1.049, 5, 0, 0.1)
    beyond = PairedRatio(1.0, 0.951, 1.049, 5, 0, 0.1)
    assert (within.is_within(0.05), beyond.is_within(0.05)) == (True, False)
    assert not PairedRatio(1.0, missing, missing, 2, 0, 0.1).is_within(0.05)


def test_a_difference_that_late_flows_could_undo_is_cut():
    """1.2 with every seed is a difference. It remains one if late flows could bring it down to 1.1,
    but not if they could bring it down to 1.0.
    """
    one = [1.0] * 5
    found, some, none = (PairedRatio.of([number] * 5, one) for number in (1.2, 1.1, 1.0))
    assert found.between(some, found).is_different
    undone = found.between(none, found)
    assert (undone.cut, undone.is_different) == (True, False)
    assert paired.verdict(undone, Better.LOWER) == "not told apart: cut"
    # The upper end matters to ratios below 1, but not to those above.
    below = PairedRatio.of([0.8] * 5, one)
    assert below.between(below, none).cut
    assert not found.between(some, PairedRatio.of([9.0] * 5, one)).cut
    # A ratio that is not told different is not cut.
    assert not none.between(below, found).cut


def test_seeds_that_find_a_difference():
    """A well-known deviation of twice the difference: a paired t-test with an effect of 0.5 takes
    34 pairs for 80 % power (J. Cohen, Statistical Power Analysis, 1988, and G*Power 3.1).
    """
    assert seeds_to_tell(2 * math.log(1.05), 10**6, 0.05) == 34
    assert seeds_to_tell(0.0, 5, 0.05) == FEWEST_SEEDS
    assert seeds_to_tell(3.0, 5, 0.05) is None
    # A deviation estimated from fewer pairs takes more seeds.
    asked = [seeds_to_tell(0.1, of, 0.05) for of in (1000, 20, 8, 5, 3)]
    assert asked == sorted(asked)
    assert len(set(asked)) == 5


def test_words():
    rng = np.random.default_rng(1)

    def found(mean, deviation, seeds):
        logs = rng.normal(0, 1, seeds)
        logs = (logs - logs.mean()) / logs.std(ddof=1) * deviation + math.log(mean)
        return PairedRatio.of(np.exp(logs), [1.0] * seeds)

    assert paired.verdict(found(1.1, 0.01, 5), Better.LOWER) == "different"
    assert paired.verdict(found(1.01, 0.1, 5), Better.LOWER) == "not told apart; 54 would find 5 %"
    near = found(1.001, 0.01, 8)
    assert paired.verdict(near, Better.LOWER) == "not told apart; within 5 %"
    assert paired.verdict(near, Better.LOWER, 0.005).endswith("would find 0.5 %")
    enough = found(1.03, 0.05, 12)
    assert paired.verdict(enough, Better.LOWER) == "not told apart; enough to find 5 %"
    most = "not told apart; more than 10\u2009000 would find 5 %"
    assert paired.verdict(found(1.0, 30.0, 5), Better.LOWER) == most
    assert paired.ratio_text(found(1.055, 0.01, 5)) == "+5.5 %"
    assert paired.seeds_text([3]) == "seed 3"
    assert paired.seeds_text([1, 2, 3, 4, 5]) == "seeds 1 to 5"
    assert paired.seeds_text([1, 2, 7]) == "seeds 1, 2, 7"


def log_ratios(measure):
    """Logarithms of HPCC's number over DCQCN's for 40 seeds, less their mean: realistic pairs of
    two algorithms without a difference.
    """
    with POOL.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {(row["cc"], int(row["seed"])): float(row[measure]) for row in rows}
    seeds = sorted({seed for _, seed in found})
    assert len(seeds) == 40
    logs = np.array([math.log(found["hpcc", seed] / found["dcqcn", seed]) for seed in seeds])
    return logs - logs.mean()


def drawn(pool, rng, seeds):
    return np.exp(rng.choice(pool, seeds))


def told_different(pool, seeds, comparisons):
    """The share of comparisons that are told different."""
    rng = np.random.default_rng(48)
    base = [1.0] * seeds
    found = (PairedRatio.of(drawn(pool, rng, seeds), base) for _ in range(comparisons))
    return sum(each.is_different for each in found) / comparisons


def test_of_200_comparisons_without_a_difference_few_are_told_different():
    assert 0 < told_different(log_ratios("p99"), seeds=5, comparisons=200) <= 0.1


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seeds", [5, 8])
def test_without_a_difference_one_in_ten_at_most_is_told_different(measure, seeds):
    """At 95 %: 4 to 6 % of the comparisons; of medians with five seeds, 9.6 %."""
    assert 0.03 < told_different(log_ratios(measure), seeds, comparisons=20_000) <= 0.1


@pytest.mark.parametrize("measure", MEASURES)
def test_a_true_difference_is_found_with_the_seeds_that_were_asked_for(measure):
    """A true difference of 10 % is found in at least 80 % of 200 comparisons. Each starts with five
    seeds, and then runs as many in all as it asks for.
    """
    pool, rng = log_ratios(measure), np.random.default_rng(48)
    found = 0
    for _ in range(200):
        first = drawn(pool, rng, 5) * 1.1
        asked = PairedRatio.of(first, [1.0] * 5).seeds_to_tell(0.1)
        every = [*first, *(drawn(pool, rng, asked - 5) * 1.1)]
        found += PairedRatio.of(every, [1.0] * asked).is_different
    assert found >= 160


def test_looking_twice_costs_little():
    """Stopping at five seeds on a difference, and otherwise running the seeds asked for, looks
    twice. The rate of false differences is at most the sum of both rates, 5.6 and 5.5 %.
    """
    pool, rng = log_ratios("p99"), np.random.default_rng(48)
    wrong = 0
    for _ in range(400):
        first = drawn(pool, rng, 5)
        found = PairedRatio.of(first, [1.0] * 5)
        asked = found.seeds_to_tell(0.1)
        every = [*first, *drawn(pool, rng, asked - 5)]
        wrong += found.is_different or PairedRatio.of(every, [1.0] * asked).is_different
    assert wrong <= 0.111 * 400
