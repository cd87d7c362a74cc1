"""Numbers that runs are judged by, worked by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from incast import measures
from incast.table import Categories

US = 1_000_000  # ps


class Columns:
    """A table in memory."""

    def __init__(self, **columns):
        self._columns = columns

    def numbers(self, name):
        return np.asarray(self._columns[name])

    def categories(self, name):
        texts = list(dict.fromkeys(self._columns[name]))
        return Categories(texts, np.array([texts.index(text) for text in self._columns[name]]))


def run(starts, finishes, sizes=None, slowdowns=None, queue=(), jain=None, indices=()):
    """Flows by start and finish in µs; queue samples and Jain's indices as (µs, value)."""
    starts, finishes = np.array(starts, dtype=np.int64), np.array(finishes, dtype=np.int64)
    flows = Columns(
        start_ps=starts * US,
        fct_ps=(finishes - starts) * US,
        size_bytes=sizes if sizes is not None else [1] * len(starts),
        slowdown=slowdowns if slowdowns is not None else [1.0] * len(starts),
    )
    rows = [("queue_max_bytes", *row) for row in queue]
    rows += [("jain_index", *row) for row in indices]
    series = Columns(
        time_ps=[time * US for _, time, _ in rows],
        value=[float(value) for _, _, value in rows],
        measure=[measure for measure, _, _ in rows],
        entity=["network"] * len(rows),
    )
    return SimpleNamespace(flows=flows, series=series, summary={"jain_index": jain})


def test_finish_slope():
    """Starts 0, 10, 20; finishes 100, 80, 60: two µs sooner for each µs later."""
    assert measures.finish_slope(run([0, 10, 20], [100, 80, 60])) == pytest.approx(-2)
    assert measures.finish_slope(run([0, 10], [50, 50])) == pytest.approx(0)
    assert math.isnan(measures.finish_slope(run([0, 0], [50, 60])))
    assert math.isnan(measures.finish_slope(run([], [])))


def test_finish_spread():
    assert measures.finish_spread(run([0, 10, 20], [100, 80, 60])) == pytest.approx(40e-6)
    assert math.isnan(measures.finish_spread(run([], [])))


def test_fair_after():
    assert measures.fair_after(run([0], [1], jain={"time_to_095_ps": 5 * US})) == pytest.approx(
        5e-6
    )
    assert math.isinf(measures.fair_after(run([0], [1], jain={"time_to_095_ps": None})))
    assert math.isnan(measures.fair_after(run([0], [1])))


def test_settled_queue():
    """The last flow starts at 40 µs, the first finishes at 300: samples from 140 to 300 count."""
    samples = [(100, 9), (140, 1), (200, 2), (300, 3), (301, 9)]
    settled = run([0, 40], [300, 400], queue=samples)
    assert measures.settled_queue(settled).tolist() == [1, 2, 3]
    assert measures.queue_mean(settled) == 2
    # A twentieth of the way along two gaps of 1: 1 + 0.1.
    assert measures.queue_low(settled) == pytest.approx(1.1)
    assert math.isnan(measures.queue_mean(run([0, 40], [100, 400], queue=samples)))
    assert math.isnan(measures.queue_mean(run([0, 40], [300, 400])))


def test_queue_oscillation():
    """From 100 to 200 µs: 1 and 3, mean 2; from 200 on: 100 and 104, mean 102. Squares of the
    deviations: 1, 1, 4, 4; √2.5. That the queue grew by a hundred does not count.
    """
    samples = [(110, 1), (120, 3), (210, 100), (220, 104)]
    swinging = run([0, 0], [300, 400], queue=samples)
    assert measures.queue_oscillation(swinging) == pytest.approx(math.sqrt(2.5))
    assert math.isnan(measures.queue_oscillation(run([0, 0], [300, 400])))


def test_fairness_after_the_last_arrival():
    """The last flow starts at 20 µs, the first finishes at 60: 0.5, 0.95 and 0.65 count."""
    indices = [(10, 1.0), (20, 0.9), (30, 0.5), (40, 0.95), (60, 0.65), (70, 1.0)]
    shared = run([0, 20], [60, 80], indices=indices)
    assert measures.first_fair(shared) == pytest.approx(20e-6)
    assert measures.mean_jain(shared) == pytest.approx(0.7)
    assert math.isinf(measures.first_fair(run([0, 20], [60, 80], indices=indices[:3])))
    assert math.isnan(measures.first_fair(run([0, 20], [60, 80])))
    assert math.isnan(measures.mean_jain(run([0, 20], [60, 80])))


def test_slowdown_percentile():
    """Ten flows of 2 MB with slowdowns 1 … 10: p50 is the one at ⌊5⌋, the sixth; p99.9 the last."""
    sizes = [10] * 3 + [2_000_000] * 10
    slowdowns = [99.0] * 3 + [float(value) for value in range(1, 11)]
    made = run([0] * 13, [1] * 13, sizes, slowdowns)
    assert measures.slowdown_percentile(made, 50, above=1e6) == 6
    assert measures.slowdown_percentile(made, 99.9, above=1e6) == 10
    assert measures.slowdown_percentile(made, 50, up_to=1e6) == 99
    assert math.isnan(measures.slowdown_percentile(made, 50, above=3e6))


def test_flow_share():
    made = run([0] * 4, [1] * 4, sizes=[10, 100, 1000, 10_000])
    assert measures.flow_share(made, up_to=100) == 0.5
    assert measures.flow_share(made, above=1000) == 0.25
    assert math.isnan(measures.flow_share(run([], [])))
    made.flows._columns["traffic"] = [0, 0, 1, 1]
    assert measures.flow_share(made, up_to=1000, traffic=1) == 0.5


def test_goodput_between():
    """Samples count that end in the interval: of 1, 2, 3 at 1, 2, 3 µs those after 1 µs."""
    series = Columns(
        time_ps=[1 * US, 2 * US, 3 * US],
        value=[1.0, 2.0, 3.0],
        measure=["goodput_bps"] * 3,
        entity=["network"] * 3,
    )
    made = SimpleNamespace(series=series)
    assert measures.goodput_between(made, 1e-6, 3e-6) == 2.5
    assert math.isnan(measures.goodput_between(made, 5e-6, 6e-6))
