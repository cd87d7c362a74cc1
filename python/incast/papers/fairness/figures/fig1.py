"""Figure 1: Jain's index and queue of a staggered incast; gain and cost of a larger additive
increase and of probabilistic feedback.
"""

from __future__ import annotations

from incast.measure.metrics import fair_after, queue_oscillation
from incast.papers.fairness.algorithms import HPCC, HPCC_1G, HPCC_PROB, SWIFT, SWIFT_1G, SWIFT_PROB
from incast.papers.fairness.metrics import SEVERAL_HUNDRED_US, each, jain_bounds
from incast.papers.fairness.networks import stars
from incast.papers.framework import panels
from incast.papers.framework.conditions import at_least, falls_to
from incast.papers.framework.paper import Claim, Figure, Kind
from incast.present.units import bytes_text, seconds_text

_HPCC = (HPCC, HPCC_1G, HPCC_PROB)
_SWIFT = (SWIFT, SWIFT_1G, SWIFT_PROB)


def _slow(number: str, default: str) -> Claim:
    return Claim(
        number,
        f"{default} with its default parameters takes several hundred µs until rates are fair",
        claimed="several hundred µs",
        measure=each(fair_after, default),
        holds=at_least(SEVERAL_HUNDRED_US),
        tolerance="at least 300 µs from the last arrival until Jain's index stays ≥ 0.95: the "
        "text gives no more than the order",
        kind=Kind.TREND,
        show=seconds_text,
    )


def _sooner(number: str, default: str, increase: str, probabilistic: str) -> Claim:
    return Claim(
        number,
        f"{default} becomes fair sooner with an additive increase of 1 Gb/s, and with "
        "probabilistic feedback",
        claimed="sooner",
        measure=each(fair_after, default, increase, probabilistic),
        holds=falls_to(0.8, below=default, labels=[increase, probabilistic]),
        trend=lambda values: max(values[increase], values[probabilistic]) < values[default],
        tolerance="at least 20 % sooner: less could be an accident of one run; as a trend, sooner",
        show=seconds_text,
    )


def _swings(number: str, default: str, increase: str) -> Claim:
    return Claim(
        number,
        f"with 1 Gb/s the queue under {default} swings more than by default",
        claimed="larger oscillations",
        measure=each(queue_oscillation, default, increase),
        holds=lambda values: values[increase] >= 1.2 * values[default],
        tolerance="standard deviation about the mean of every 100 µs at least 20 % larger, from "
        "100 µs after the last arrival to the first finish",
        show=bytes_text,
    )


FIGURE = Figure(
    id="fig1",
    title="Fairness and queue of 16 flows to one host",
    where="Fig. 1; dissertation Fig. 3.5",
    setup="16 hosts send 1 MB each to a 17th over one switch, 100 Gb/s, 1 µs a link; two start "
    "every 20 µs.",
    runs=lambda scale: stars(*_HPCC, *_SWIFT),
    charts={
        "a-jain-hpcc": panels.jain("(a) Jain's index, HPCC", *_HPCC),
        "b-queue-hpcc": panels.queue("(b) Queue, HPCC", *_HPCC),
        "c-jain-swift": panels.jain("(c) Jain's index, Swift", *_SWIFT),
        "d-queue-swift": panels.queue("(d) Queue, Swift", *_SWIFT),
    },
    claims=[
        _slow("A07", HPCC),
        _slow("A08", SWIFT),
        _sooner("A09-hpcc", *_HPCC),
        _sooner("A09-swift", *_SWIFT),
        _swings("A10-hpcc", HPCC, HPCC_1G),
        _swings("A10-swift", SWIFT, SWIFT_1G),
        Claim(
            "C06",
            "Jain's index lies between 1/N and 1",
            where="dissertation §2.5",
            claimed="1/N … 1",
            measure=jain_bounds,
            holds=lambda values: values["smallest · N"] >= 1 >= values["largest"],
            tolerance="none: a property of its formula; over all samples of all runs",
            kind=Kind.THEORY,
            show=lambda value: f"{value:.4f}",
        ),
    ],
)
