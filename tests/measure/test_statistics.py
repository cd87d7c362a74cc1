"""Averages over seeds, against tables of Student's t."""

import math

import pytest
from incast.measure.statistics import Average


@pytest.mark.parametrize(
    ("runs", "quantile"),
    # 97.5 % quantiles by degrees of freedom, as tables print them: 1, 4, 9, 10 and 29.
    [(2, 12.706), (5, 2.776), (10, 2.262), (11, 2.228), (30, 2.045)],
)
def test_intervals_are_those_of_students_t(runs, quantile):
    """Values 1 and −1 by turns: their deviation is √(n / (n − 1)) about 0, if n is even."""
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
