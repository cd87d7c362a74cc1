"""Fluid models, compared with step-by-step integration of their equations and with values computed
by hand.
"""

import numpy as np
import pytest
from incast.fluid import SamplingFrequency, aimd

MODEL = SamplingFrequency(acks=30, packet_bytes=1000, decrease=0.5, rtt_ns=30_000)


def integrated(derivative, initial, time, steps=20_000):
    """Integrates by the fourth-order Runge-Kutta method."""
    rate, step = initial, time / steps
    for _ in range(steps):
        k1 = derivative(rate)
        k2 = derivative(rate + step / 2 * k1)
        k3 = derivative(rate + step / 2 * k2)
        k4 = derivative(rate + step * k3)
        rate += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return rate


@pytest.mark.parametrize("time", [1e3, 1e4, 1e5])
@pytest.mark.parametrize("initial", [12.5, 6.25])
def test_closed_forms_solve_the_equations(initial, time):
    sampled = integrated(lambda rate: -0.5 * rate**2 / 30_000, initial, time)
    assert MODEL.sampled(initial, time) == pytest.approx(sampled, rel=1e-9)
    per_rtt = integrated(lambda rate: -0.5 * rate / 30_000, initial, time)
    assert MODEL.per_rtt(initial, time) == pytest.approx(per_rtt, rel=1e-9)


@pytest.mark.parametrize(
    ("microseconds", "expected"),
    [(1, 1.462), (5, 3.737), (10, 4.298), (20, 4.086), (30, 3.582), (60, 2.235), (100, 1.155),
     (200, 0.216), (300, 0.039), (400, 0.0062), (600, -0.0005)],
)  # fmt: skip
def test_advantage(microseconds, expected):
    """Bytes per nanosecond, from rates of 12.5 and 6.25 at the start."""
    advantage = MODEL.advantage(12.5, 6.25, microseconds * 1e3)
    assert advantage == pytest.approx(expected, abs=0.0006)


def test_advantage_peaks_at_11_9_microseconds():
    times = np.arange(0, 100_000, 10.0)
    advantage = MODEL.advantage(12.5, 6.25, times)
    assert times[advantage.argmax()] == pytest.approx(11_890, abs=20)
    assert advantage.max() == pytest.approx(4.3235, abs=1e-4)


def test_the_condition():
    """The condition 1/30 000 < 18.75/(s·1000) holds up to s = 562.5."""
    assert MODEL.converges_faster(12.5, 6.25)
    assert SamplingFrequency(acks=562).converges_faster(12.5, 6.25)
    assert not SamplingFrequency(acks=563).converges_faster(12.5, 6.25)
    # (12.5 − 6.25) · 0.5 · (18.75/30 000 − 1/30 000) = 3.125 · 17.75/30 000.
    assert MODEL.initial_advantage(12.5, 6.25) == pytest.approx(3.125 * 17.75 / 30_000)
    assert SamplingFrequency(acks=563).initial_advantage(12.5, 6.25) < 0
    step = 1e-3
    slope = MODEL.advantage(12.5, 6.25, step) / step
    assert MODEL.initial_advantage(12.5, 6.25) == pytest.approx(slope, rel=1e-4)


def test_a_newcomer_keeps_its_lead():
    """Rates of B/2, B/2 and B, halved once: B/4, B/4 and B/2."""
    assert aimd.decreased(aimd.joined([0.5, 0.5], 1.0)) == [0.25, 0.25, 0.5]


def test_marks_level_shares_and_round_trips_do_not():
    """Two marks for the faster flow and one for the slower: 2/4 and 1/2. From 3 : 1, the rates are
    3/8 and 1/2.
    """
    assert aimd.decreased([2.0, 1.0]) == [1.0, 0.5]
    assert aimd.decreased_by_marks([2.0, 1.0]) == [0.5, 0.5]
    assert aimd.decreased_by_marks([3.0, 1.0]) == [0.375, 0.5]
    assert aimd.ratio([3.0, 1.0, 2.0]) == 3
