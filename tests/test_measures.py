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


def run(starts, finishes, sizes=None, slowdowns=None, queue=(), jain=None):
    """Flows by start and finish in µs; queue samples as (µs, bytes)."""
    starts, finishes = np.array(starts, dtype=np.int64), np.array(finishes, dtype=np.int64)
    flows = Columns(
        start_ps=starts * US,
        fct_ps=(finishes - starts) * US,
        size_bytes=sizes if sizes is not None else [1] * len(starts),
        slowdown=slowdowns if slowdowns is not None else [1.0] * len(starts),
    )
    series = Columns(
        time_ps=[time * US for time, _ in queue],
        value=[float(value) for _, value in queue],
        measure=["queue_max_bytes"] * len(queue),
        entity=["network"] * len(queue),
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
    # Deviations −1, 0, 1: √(2/3).
    assert measures.queue_oscillation(settled) == pytest.approx(math.sqrt(2 / 3))
    # A twentieth of the way along two gaps of 1: 1 + 0.1.
    assert measures.queue_low(settled) == pytest.approx(1.1)
    assert math.isnan(measures.queue_mean(run([0, 40], [100, 400], queue=samples)))
    assert math.isnan(measures.queue_mean(run([0, 40], [300, 400])))


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
