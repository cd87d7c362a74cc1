"""Figure 1: Jain's index and queue of a staggered incast; gain and cost of a larger additive
increase and of probabilistic feedback.
"""

from __future__ import annotations

from incast.measure.metrics import queue_oscillation
from incast.papers.fairness.algorithms import (
    HPCC,
    HPCC_1G,
    HPCC_PROB,
    HPCC_PROB_RTT,
    SWIFT,
    SWIFT_1G,
    SWIFT_PROB,
    SWIFT_PROB_RTT,
)
from incast.papers.fairness.metrics import (
    FAIRNESS,
    SETTLED,
    SOONER,
    TIME_ALONE,
    each,
    fairness,
    jain_bounds,
    plain_deviation,
)
from incast.papers.fairness.networks import stars
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure
from incast.papers.framework.tolerances import of, within
from incast.present.units import bytes_text, seconds_text

_HPCC = (HPCC, HPCC_1G, HPCC_PROB)
_SWIFT = (SWIFT, SWIFT_1G, SWIFT_PROB)
_PER_RTT = " sampled once per RTT"
_AFTER = (240e-6, 540e-6)
"""Seconds: from 100 µs after the last arrival."""


def _slow(number: str, default: str) -> Claim:
    return Claim(
        number,
        f"{default} with its default parameters takes several hundred µs to converge to fairness",
        claimed="several hundred µs",
        metric=FAIRNESS,
        measure=fairness(default),
        holds=of(default, within(300e-6, 1e-3)),
        tolerance="300 µs to 1 ms until the index stays ≥ 0.95: the text gives no more than the "
        "order",
        kind=Kind.TREND,
        show=seconds_text,
        replaced="no upper end of the range.",
    )


def _sooner(number: str, default: str, increase: str, probabilistic: str, how: str = "") -> Claim:
    return Claim(
        number,
        f"{default} converges to fairness faster with an additive increase of 1 Gb/s, and with "
        f"probabilistic feedback{how}",
        claimed="faster",
        metric=FAIRNESS,
        measure=fairness(default, increase, probabilistic),
        holds=SOONER.holds(default, increase, probabilistic),
        trend=SOONER.trend(default, increase, probabilistic),
        tolerance=f"{SOONER.words}; with random feedback the median of five seeds",
        show=seconds_text,
        replaced=TIME_ALONE,
    )


def _oscillates(number: str, default: str, increase: str) -> Claim:
    return Claim(
        number,
        f"with 1 Gb/s the queue oscillates more than under {default} by default",
        claimed="larger oscillations",
        metric="standard deviation of the queue about its mean in each 100 µs",
        measure=each(queue_oscillation, default, increase),
        holds=lambda values: values[increase] >= 1.2 * values[default],
        tolerance=f"at least 20 % larger, {SETTLED}",
        show=bytes_text,
        replaced=lambda runs: plain_deviation(runs, default, increase),
    )


FIGURE = Figure(
    id="fig1",
    title="Fairness and queue of 16 flows to one host",
    where="Fig. 1; dissertation Fig. 3.5",
    setup="16 hosts send 1 MB each to a 17th over one switch, 100 Gb/s, 1 µs a link; two start "
    "every 20 µs. Probabilistic feedback with five seeds; charts show the first.",
    runs=lambda scale: stars(*_HPCC, HPCC_PROB_RTT, *_SWIFT, SWIFT_PROB_RTT),
    charts={
        "a-jain-hpcc": panels.jain("(a) Jain's index, HPCC", *_HPCC),
        "b-queue-hpcc": panels.queue("(b) Queue, HPCC", *_HPCC),
        "b-queue-hpcc-settled": panels.queue(
            "(b) Queue, HPCC, after the arrivals", *_HPCC, between=_AFTER
        ),
        "c-jain-swift": panels.jain("(c) Jain's index, Swift", *_SWIFT),
        "d-queue-swift": panels.queue("(d) Queue, Swift", *_SWIFT),
        "d-queue-swift-settled": panels.queue(
            "(d) Queue, Swift, after the arrivals", *_SWIFT, between=_AFTER
        ),
    },
    claims=[
        _slow("A07", HPCC),
        _slow("A08", SWIFT),
        _sooner("A09-hpcc", *_HPCC),
        _sooner("A09-swift", *_SWIFT),
        _sooner("A09-hpcc-rtt", HPCC, HPCC_1G, HPCC_PROB_RTT, _PER_RTT).as_reading(),
        _sooner("A09-swift-rtt", SWIFT, SWIFT_1G, SWIFT_PROB_RTT, _PER_RTT).as_reading(),
        _oscillates("A10-hpcc", HPCC, HPCC_1G),
        _oscillates("A10-swift", SWIFT, SWIFT_1G),
        Claim(
            "C06",
            "Jain's index lies between 1/N and 1",
            where="dissertation §2.5",
            claimed="1/N … 1",
            metric="smallest index times the number of flows, and largest index, of all samples",
            measure=jain_bounds,
            holds=lambda values: values["smallest · N"] >= 1 >= values["largest"],
            tolerance="none: a property of its formula",
            kind=Kind.THEORY,
            show=lambda value: f"{value:.4f}",
        ),
    ],
)
