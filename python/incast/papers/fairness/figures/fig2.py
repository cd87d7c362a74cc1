"""Figures 2 and 3: flows that start last finish first, unless they increase faster or heed feedback
by chance.
"""

from __future__ import annotations

from incast.measure.metrics import finish_slope
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
from incast.papers.fairness.metrics import each, trend_gone
from incast.papers.fairness.networks import stars
from incast.papers.framework import panels
from incast.papers.framework.conditions import at_most
from incast.papers.framework.paper import Claim, Figure


def _last_first(number: str, default: str) -> Claim:
    return Claim(
        number,
        f"under {default} flows that start last finish first",
        claimed="finish falls with start",
        measure=each(finish_slope, default),
        holds=at_most(-1),
        tolerance="slope of finish over start at most −1, a µs sooner for each µs later: a flatter "
        "line would not be called a trend",
    )


def _gone(number: str, why: str, default: str, variant: str, explanation: str = "") -> Claim:
    return Claim(
        number,
        f"with {why} the trend is gone",
        claimed="flat",
        measure=each(finish_slope, default, variant),
        holds=trend_gone(default, variant),
        trend=lambda values: values[variant] >= values[default] / 2,
        tolerance="no steeper downwards than a quarter of the default's slope: 'eliminates' leaves "
        "no more than that; as a trend, half as steep",
        explanation=explanation,
    )


_INCREASE = "an additive increase of 1 Gb/s"
_CHANCE = "probabilistic feedback"
_OFTEN = (
    "An ignored ACK leaves the next one to draw again, so even a slow flow soon heeds one, and "
    "only part of the trend goes; drawn once per RTT, the other reading, it goes."
)
_CHANCE_RTT = "probabilistic feedback drawn once per RTT, the other reading,"

HPCC_FIGURE = Figure(
    id="fig2",
    title="Start and finish of 16 flows, HPCC",
    where="Fig. 2; dissertation Fig. 3.3",
    setup="The runs of Fig. 1.",
    runs=lambda scale: stars(HPCC, HPCC_1G, HPCC_PROB, HPCC_PROB_RTT),
    charts={"finish": panels.finish("Finish over start, HPCC")},
    claims=[
        _last_first("A01", HPCC),
        _gone("A03", _INCREASE, HPCC, HPCC_1G),
        _gone("A04", _CHANCE, HPCC, HPCC_PROB, _OFTEN),
        _gone("A04-rtt", _CHANCE_RTT, HPCC, HPCC_PROB_RTT),
    ],
)

SWIFT_FIGURE = Figure(
    id="fig3",
    title="Start and finish of 16 flows, Swift",
    where="Fig. 3; dissertation Fig. 3.4",
    setup="The runs of Fig. 1.",
    runs=lambda scale: stars(SWIFT, SWIFT_1G, SWIFT_PROB, SWIFT_PROB_RTT),
    charts={"finish": panels.finish("Finish over start, Swift")},
    claims=[
        _last_first("A02", SWIFT),
        _gone("A05", _INCREASE, SWIFT, SWIFT_1G),
        _gone("A06", _CHANCE, SWIFT, SWIFT_PROB, _OFTEN),
        _gone("A06-rtt", _CHANCE_RTT, SWIFT, SWIFT_PROB_RTT),
    ],
)
