"""Metrics of runs, computed by hand."""

import math
from types import SimpleNamespace

import pytest
from incast.measure import metrics
from made_up import US, Columns, run


def test_finish_slope():
    """Starts at 0, 10, 20 µs; finishes at 100, 80, 60 µs: a flow that starts 1 µs later finishes 2
    µs sooner.
    """
    assert metrics.finish_slope(run([0, 10, 20], [100, 80, 60])) == pytest.approx(-2)
    assert metrics.finish_slope(run([0, 10], [50, 50])) == pytest.approx(0)
    assert math.isnan(metrics.finish_slope(run([0, 0], [50, 60])))
    assert math.isnan(metrics.finish_slope(run([], [])))


def test_finish_spread():
    assert metrics.finish_spread(run([0, 10, 20], [100, 80, 60])) == pytest.approx(40e-6)
    assert math.isnan(metrics.finish_spread(run([], [])))


def test_fair_after():
    assert metrics.fair_after(run([0], [1], jain={"time_to_095_ps": 5 * US})) == pytest.approx(5e-6)
    assert math.isinf(metrics.fair_after(run([0], [1], jain={"time_to_095_ps": None})))
    assert math.isnan(metrics.fair_after(run([0], [1])))


def test_settled_queue():
    """The last flow starts at 40 µs, the first finishes at 300 µs: samples from 140 to 300 µs
    count.
    """
    samples = [(100, 9), (140, 1), (200, 2), (300, 3), (301, 9)]
    settled = run([0, 40], [300, 400], queue=samples)
    assert metrics.settled_queue(settled).tolist() == [1, 2, 3]
    assert metrics.queue_mean(settled) == 2
    # The sample at index ⌊3 · 0.05⌋ = 0 of three.
    assert metrics.queue_low(settled) == 1
    assert math.isnan(metrics.queue_mean(run([0, 40], [100, 400], queue=samples)))
    assert math.isnan(metrics.queue_mean(run([0, 40], [300, 400])))


def test_queue_oscillation():
    """From 100 to 200 µs: 1 and 3, mean 2; from 200 on: 100 and 104, mean 102. Squares of the
    deviations: 1, 1, 4, 4; √2.5. The growth of the queue by 100 does not count.
    """
    samples = [(110, 1), (120, 3), (210, 100), (220, 104)]
    swinging = run([0, 0], [300, 400], queue=samples)
    assert metrics.queue_oscillation(swinging) == pytest.approx(math.sqrt(2.5))
    assert math.isnan(metrics.queue_oscillation(run([0, 0], [300, 400])))


def test_fairness_after_the_last_arrival():
    """The last flow starts at 20 µs, the first finishes at 60 µs: 0.5, 0.95 and 0.65 count."""
    indices = [(10, 1.0), (20, 0.9), (30, 0.5), (40, 0.95), (60, 0.65), (70, 1.0)]
    shared = run([0, 20], [60, 80], indices=indices)
    assert metrics.first_fair(shared) == pytest.approx(20e-6)
    assert metrics.mean_jain(shared) == pytest.approx(0.7)
    assert math.isinf(metrics.first_fair(run([0, 20], [60, 80], indices=indices[:3])))
    assert math.isnan(metrics.first_fair(run([0, 20], [60, 80])))
    assert math.isnan(metrics.mean_jain(run([0, 20], [60, 80])))


def test_time_lost_to_unfairness():
    """Bins of 10 µs lose 0 + 1 + 5 + 0.5 µs up to 40 µs, 7 µs in the two bins up to 60 µs, then
    nothing.
    """
    indices = [(10, 1.0), (20, 0.9), (30, 0.5), (40, 0.95), (60, 0.65), (70, 1.0)]
    shared = run([0, 20], [60, 80], indices=indices)
    assert metrics.unfairness(shared) == pytest.approx(13.5e-6)
    assert metrics.unfairness(shared, since=20e-6) == pytest.approx(12.5e-6)
    assert math.isnan(metrics.unfairness(run([0, 20], [60, 80])))


def test_slowdown_percentile():
    """Ten flows of 2 MB with slowdowns 1 … 10: p50 is at index ⌊5⌋, the sixth; p99.9 is the
    last.
    """
    sizes = [10] * 3 + [2_000_000] * 10
    slowdowns = [99.0] * 3 + [float(value) for value in range(1, 11)]
    made = run([0] * 13, [1] * 13, sizes, slowdowns)
    assert metrics.slowdown_percentile(made, 50, above=1e6) == 6
    assert metrics.slowdown_percentile(made, 99.9, above=1e6) == 10
    assert metrics.slowdown_percentile(made, 50, up_to=1e6) == 99
    assert math.isnan(metrics.slowdown_percentile(made, 50, above=3e6))


def test_flow_share():
    made = run([0] * 4, [1] * 4, sizes=[10, 100, 1000, 10_000])
    assert metrics.flow_share(made, up_to=100) == 0.5
    assert metrics.flow_share(made, above=1000) == 0.25
    assert math.isnan(metrics.flow_share(run([], [])))
    made.flows._columns["traffic"] = [0, 0, 1, 1]
    assert metrics.flow_share(made, up_to=1000, traffic=1) == 0.5


def test_goodput_between():
    """Samples that end in the interval count: of 1, 2, 3 at 1, 2, 3 µs, those after 1 µs."""
    series = Columns(
        time_ps=[1 * US, 2 * US, 3 * US],
        value=[1.0, 2.0, 3.0],
        measure=["goodput_bps"] * 3,
        entity=["network"] * 3,
    )
    made = SimpleNamespace(series=series)
    assert metrics.goodput_between(made, 1e-6, 3e-6) == 2.5
    assert math.isnan(metrics.goodput_between(made, 5e-6, 6e-6))
