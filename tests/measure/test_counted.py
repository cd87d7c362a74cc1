"""Percentiles of flows of which some are late, compared with values computed by hand."""

import math

import numpy as np
from incast.measure.counted import Counted


def test_late_values_hide_the_percentiles_that_they_could_move():
    """Of the values 1 to 200, 199 and 200 are late: p99 at index 198 is late, p95 at index 190 is
    191.
    """
    values = np.arange(1.0, 201)
    late = values > 198
    found = Counted(values, late)
    assert found.percentile(95) == 191
    assert math.isnan(found.percentile(99))
    assert Counted(values, np.zeros(200, bool)).percentile(99) == 199


def test_a_late_value_below_moves_what_is_above():
    """Of the values 1 to 4 the first is late. p50 at index 2 is 3, or 4 if the late flow took
    longest; p25 at index 1 is 2; p75 at index 3 could be the late flow.
    """
    found = Counted(np.array([1.0, 2, 3, 4]), np.array([True, False, False, False]))
    assert [found.percentile(25), found.percentile(50)] == [2, 3]
    assert math.isnan(found.percentile(75))


def test_unfinished_flows_are_the_slowest():
    """Values 1 to 9 and one unfinished flow: p50 at index 5 of 10 is 6; p90 at index 9 is the
    unfinished flow.
    """
    found = Counted(np.arange(1.0, 10), np.zeros(9, bool), unfinished=1)
    assert found.percentile(50) == 6
    assert math.isnan(found.percentile(90))


def test_late_flows_have_the_lowest_goodput():
    """Of 10, 20 and 30 the last is late, so its goodput may be anything above 0: then 0, 10, 20.
    p34 at index 1 is 20; p0 at index 0 is not known.
    """
    found = Counted(np.array([10.0, 20, 30]), np.array([False, False, True]), limit=0.0)
    assert found.percentile(34) == 20
    assert math.isnan(found.percentile(0))
