"""Figure 4: the fluid model of Sampling Frequency."""

from __future__ import annotations

import numpy as np
from incast.fluid import SamplingFrequency
from incast.measure.series import Array
from incast.papers.claim import Values
from incast.papers.figure import Runs
from incast.present.charts import Axis, Chart, Curve, Quantity

from incast_papers.fairness.words import WORDS

MODEL = SamplingFrequency(acks=30, packet_bytes=1000, decrease=0.5, rtt_ns=30_000)
FAST, SLOW = 12.5, 6.25
"""Initial rates in bytes per nanosecond: 100 and 50 Gb/s."""


def _chart(_: Runs) -> Chart:
    times = np.linspace(0, 400_000, 801)
    advantage = MODEL.advantage(FAST, SLOW, times)
    return Chart(
        "sampling",
        "Fairness gained by Sampling Frequency",
        Axis("time", Quantity.TIME),
        Axis("difference in fairness (B/ns)", Quantity.RATIO, lower=0),
        [Curve("(R₁ − R₀) − (S₁ − S₀)", times * 1e-9, np.asarray(advantage))],
        note="R: rates that decrease once per RTT; S: rates that decrease every 30 ACKs; 100 and "
        "50 Gb/s at the start.",
    )


def integrated(model: SamplingFrequency, times: Array) -> Array:
    """D(t) at these times, in B/ns, by integrating S' and R' with the classical Runge-Kutta method
    in steps of at most 50 ns.
    """

    def slopes(rates: Array) -> Array:
        sampled, per_rtt = rates[:2], rates[2:]
        sample = model.acks * model.packet_bytes
        return -model.decrease * np.concatenate([sampled**2 / sample, per_rtt / model.rtt_ns])

    rates, now, found = np.array([FAST, SLOW, FAST, SLOW]), 0.0, []
    for time in times:
        steps = max(1, int(np.ceil((time - now) / 50)))
        width = (time - now) / steps
        for _ in range(steps):
            first = slopes(rates)
            second = slopes(rates + width / 2 * first)
            third = slopes(rates + width / 2 * second)
            fourth = slopes(rates + width * third)
            rates = rates + width / 6 * (first + 2 * second + 2 * third + fourth)
        now = time
        found.append((rates[2] - rates[3]) - (rates[0] - rates[1]))
    return np.array(found)


def _course(_: Runs) -> Values:
    times = np.array([1e3, 1e4, 1e5, 2e5, 3e5, 4e5])
    return {
        f"{time / 1e3:g} µs": float(value)
        for time, value in zip(times, integrated(MODEL, times), strict=True)
    }


def _condition(_: Runs) -> Values:
    """D just after the start, by the number of ACKs between decreases. The condition holds up to
    562.
    """
    just_after = np.array([1.0])
    return {
        f"{acks} ACKs": float(integrated(SamplingFrequency(acks=acks), just_after)[0])
        for acks in (10, 30, 100, 500, 562, 563, 600, 1000, 30_000)
    }


def _sign_is_as_claimed(values: Values) -> bool:
    return all(
        (value > 0) == SamplingFrequency(acks=int(label.split()[0])).converges_faster(FAST, SLOW)
        for label, value in values.items()
    )


FIGURE = WORDS.figure(
    "fig4",
    charts={"advantage": _chart},
    claims=[
        WORDS.claim(
            "B22",
            measure=_condition,
            holds=_sign_is_as_claimed,
            show=lambda value: f"{value:.1e}",
        ),
        WORDS.claim(
            "B23",
            measure=_course,
            holds=lambda values: (
                min(values.values()) > 0
                and values["10 µs"] > values["100 µs"] > values["400 µs"]
                and values["400 µs"] < 0.01 * values["10 µs"]
            ),
        ),
    ],
)
