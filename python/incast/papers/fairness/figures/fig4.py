"""Figure 4: the fluid model of Sampling Frequency."""

from __future__ import annotations

import numpy as np

from incast.fluid import SamplingFrequency
from incast.papers.framework.conditions import both, close_to
from incast.papers.framework.paper import Claim, Figure, Kind, Runs, Values
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import rate_text

MODEL = SamplingFrequency(acks=30, packet_bytes=1000, decrease=0.5, rtt_ns=30_000)
FAST, SLOW = 12.5, 6.25
"""Bytes per nanosecond: 100 and 50 Gb/s."""

_BITS_PER_SECOND = 8e9
"""A byte per nanosecond."""


def _chart(_: Runs) -> Chart:
    times = np.linspace(0, 400_000, 801)
    advantage = MODEL.advantage(FAST, SLOW, times) * _BITS_PER_SECOND
    return Chart(
        "sampling",
        "Fairness gained by Sampling Frequency",
        Axis("time", Quantity.TIME),
        Axis("difference of gaps", Quantity.RATE, lower=0),
        [Curve("(R₁ − R₀) − (S₁ − S₀)", times * 1e-9, np.asarray(advantage))],
        note="R: rates that decrease once per RTT; S: rates that decrease every 30 ACKs; 100 and "
        "50 Gb/s at the start.",
    )


def _peak(_: Runs) -> Values:
    times = np.linspace(0, 100_000, 100_001)
    return {"": float(np.max(MODEL.advantage(FAST, SLOW, times))) * _BITS_PER_SECOND}


def _course(_: Runs) -> Values:
    times = {"1 µs": 1e3, "10 µs": 1e4, "100 µs": 1e5, "400 µs": 4e5}
    return {
        name: float(MODEL.advantage(FAST, SLOW, time)) * _BITS_PER_SECOND
        for name, time in times.items()
    }


def _condition(_: Runs) -> Values:
    return {
        "30 ACKs": MODEL.initial_advantage(FAST, SLOW) * _BITS_PER_SECOND,
        "30 000 ACKs": SamplingFrequency(acks=30_000).initial_advantage(FAST, SLOW)
        * _BITS_PER_SECOND,
    }


FIGURE = Figure(
    id="fig4",
    title="Fluid model: decreases every 30 ACKs against one per RTT",
    where="Fig. 4; dissertation Fig. 4.2",
    setup="r = 30 µs, packets of 1000 B, s = 30, β = 0.5, rates of 100 and 50 Gb/s at the start. "
    "Nothing is run.",
    charts={"advantage": _chart},
    claims=[
        Claim(
            "B22",
            "Sampling Frequency is fairer from the start if and only if 1/r < (C₁ + C₀)/(s·MTU)",
            where="§IV-B",
            claimed="D′(0) > 0 iff the condition holds",
            measure=_condition,
            holds=lambda values: (
                values["30 ACKs"] > 0 > values["30 000 ACKs"]
                and MODEL.converges_faster(FAST, SLOW)
                and not SamplingFrequency(acks=30_000).converges_faster(FAST, SLOW)
            ),
            tolerance="none: a sign, on both sides of the condition",
            kind=Kind.THEORY,
            show=lambda value: f"{rate_text(value)}/ns",
        ),
        Claim(
            "B23",
            "the advantage is positive at once and decays to nearly nothing",
            claimed="positive, then → 0",
            measure=_course,
            holds=lambda values: (
                values["1 µs"] > 0
                and values["10 µs"] > values["100 µs"] > values["400 µs"] >= 0
                and values["400 µs"] < 0.01 * values["10 µs"]
            ),
            tolerance="after 400 µs less than 1 % of what it was after 10 µs",
            kind=Kind.THEORY,
            show=rate_text,
            note="Beyond half a millisecond it is below zero by a hair: rates that sample fall as "
            "1/t, the others exponentially; both gaps are then below 0.02 % of the first one.",
        ),
        Claim(
            "B23-peak",
            "the advantage is at most 4.32 B/ns",
            claimed="34.6 Gb/s (our value of the formula)",
            measure=_peak,
            holds=both(close_to(4.3235 * _BITS_PER_SECOND, 0.001)),
            tolerance="0.1 %: a formula",
            kind=Kind.THEORY,
            show=rate_text,
        ),
    ],
)
