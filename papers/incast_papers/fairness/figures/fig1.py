"""Figure 1: Jain's index and queue of a staggered incast; benefit and cost of a larger additive
increase and of probabilistic feedback.
"""

from __future__ import annotations

from incast.measure.metrics import queue_oscillation
from incast.papers import panels
from incast.papers.claim import Claim
from incast.papers.tolerances import of, within
from incast.present.units import bytes_text, seconds_text

from incast_papers.fairness.algorithms import (
    HPCC,
    HPCC_1G,
    HPCC_PROB,
    HPCC_PROB_RTT,
    SWIFT,
    SWIFT_1G,
    SWIFT_PROB,
    SWIFT_PROB_RTT,
)
from incast_papers.fairness.metrics import (
    SOONER,
    deviations,
    each,
    fairness,
    jain_bounds,
)
from incast_papers.fairness.networks import stars
from incast_papers.fairness.words import WORDS

_HPCC = (HPCC, HPCC_1G, HPCC_PROB)
_SWIFT = (SWIFT, SWIFT_1G, SWIFT_PROB)
_AFTER = (240e-6, 540e-6)
"""The period of panels (b) and (d) in seconds, from 100 µs after the last arrival."""


def _slow(number: str, default: str) -> Claim:
    return WORDS.claim(
        number,
        measure=fairness(default),
        holds=of(default, within(300e-6, 1e-3)),
        show=seconds_text,
    )


def _sooner(number: str, default: str, increase: str, probabilistic: str) -> Claim:
    return WORDS.claim(
        number,
        measure=fairness(default, increase, probabilistic),
        holds=SOONER.holds(default, increase, probabilistic),
        trend=SOONER.trend(default, increase, probabilistic),
        show=seconds_text,
    )


def _oscillates(number: str, default: str, increase: str) -> Claim:
    return WORDS.claim(
        number,
        measure=each(queue_oscillation, default, increase),
        holds=lambda values: values[increase] >= 1.2 * values[default],
        show=bytes_text,
        values={"deviations": deviations(default, increase)},
    )


FIGURE = WORDS.figure(
    "fig1",
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
        _sooner("A09-hpcc-rtt", HPCC, HPCC_1G, HPCC_PROB_RTT),
        _sooner("A09-swift-rtt", SWIFT, SWIFT_1G, SWIFT_PROB_RTT),
        _oscillates("A10-hpcc", HPCC, HPCC_1G),
        _oscillates("A10-swift", SWIFT, SWIFT_1G),
        WORDS.claim(
            "C06",
            measure=jain_bounds,
            holds=lambda values: values["smallest · N"] >= 1 >= values["largest"],
            show=lambda value: f"{value:.4f}",
        ),
    ],
)
