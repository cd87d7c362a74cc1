"""Intervals: over seeds, compared with tables of Student's t; over time, with normal intervals."""

import math

import numpy as np
import pytest
from incast.measure.statistics import Average, Median, over_time


@pytest.mark.parametrize(
    ("runs", "quantile"),
    # 97.5 % quantiles from printed tables, for 1, 4, 9, 10 and 29 degrees of freedom.
    [(2, 12.706), (5, 2.776), (10, 2.262), (11, 2.228), (30, 2.045)],
)
def test_intervals_are_those_of_students_t(runs, quantile):
    """Values of 1 and −1 in turn: their deviation about 0 is √(n / (n − 1)), if n is even."""
    values = [1.0, -1.0] * (runs // 2) + [0.0] * (runs % 2)
    deviation = math.sqrt(2 * (runs // 2) / (runs - 1))
    found = Average.of(values)
    assert found.mean == pytest.approx(0)
    assert found.half_width == pytest.approx(quantile * deviation / math.sqrt(runs), rel=2e-4)


def test_one_run_has_no_interval():
    assert Average.of([3.0]).mean == 3
    assert math.isnan(Average.of([3.0]).half_width)


def test_five_numbers():
    """1 to 5: mean 3, standard deviation √2.5, t = 2.776, so 2.776·√(2.5/5) = 1.963."""
    found = Average.of([1, 2, 3, 4, 5])
    assert (found.mean, found.half_width) == (3, pytest.approx(1.963, abs=5e-4))


def spread(values, *, block):
    """Half of the interval of the mean of consecutive values, one a second."""
    mean = over_time(np.arange(len(values)), lambda drawn: float(values[drawn].mean()), block=block)
    assert mean.mean == pytest.approx(values.mean())
    return mean.half_width


def test_independent_values_have_the_usual_interval():
    values = np.random.default_rng(7).normal(size=20_000)
    assert spread(values, block=400) == pytest.approx(1.96 / math.sqrt(20_000), rel=0.3)


def test_values_that_come_in_bursts_count_once():
    """Each of 50 blocks repeats one value 400 times: the mean is as uncertain as that of 50
    values.
    """
    values = np.random.default_rng(7).normal(size=50)
    expected = 1.96 * values.std() / math.sqrt(50)
    assert spread(np.repeat(values, 400), block=400) == pytest.approx(expected, rel=0.3)


def test_few_blocks_have_students_quantile():
    """Blocks of 1, 2, 3, 4, 5: the mean of five drawn blocks has deviation √2/√5; t₄ is 2.776."""
    values = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], 100)
    assert spread(values, block=100) == pytest.approx(2.776 * math.sqrt(2 / 5), rel=0.2)


def test_a_run_of_few_blocks_has_no_interval():
    assert math.isnan(spread(np.arange(400.0), block=100))


def test_a_block_without_flows_is_empty():
    """Blocks of 20 hold 2, 0, 0, 0 and 2 flows: five drawn blocks have two full ones on average,
    with deviation √(5 · 0.4 · 0.6).
    """
    starts = np.array([0.0, 1.0, 99.0, 100.0])
    found = over_time(starts, lambda drawn: float(len(drawn)), block=20)
    assert found.mean == 4
    assert found.half_width == pytest.approx(2.776 * 2 * math.sqrt(1.2), rel=0.2)


def test_no_flows_have_no_number():
    found = over_time(np.array([]), lambda drawn: 1 / 0, block=1)
    assert math.isnan(found.mean)
    assert math.isnan(found.half_width)


def test_medians_with_their_range():
    assert Median.of([3.0, 1.0, 2.0]) == Median(2.0, 1.0, 3.0)
    assert Median.of([4.0, 1.0]) == Median(2.5, 1.0, 4.0)
    # If most of the times are infinite, so is the median.
    assert Median.of([math.inf, 1.0, math.inf, math.inf]).median == math.inf
    assert math.isnan(Median.of([]).median)
    assert math.isnan(Median.of([1.0, math.nan]).median)
