"""Figure 2: under HPCC flows that start last finish first, unless they increase faster or heed
feedback by chance.
"""

from __future__ import annotations

from incast.measure.metrics import finish_slope
from incast.papers.fairness.algorithms import HPCC, HPCC_1G, HPCC_PROB, HPCC_PROB_RTT
from incast.papers.fairness.metrics import (
    EVERY_ACK_DRAWS,
    LAST_FIRST,
    LAST_FIRST_WHY,
    TREND_GONE_WHY,
    each,
    trend_gone,
    trend_halved,
)
from incast.papers.fairness.networks import stars
from incast.papers.framework import panels
from incast.papers.framework.paper import Claim, Figure, Kind

FIGURE = Figure(
    id="fig2",
    title="Start and finish of 16 flows, HPCC",
    where="Fig. 2; dissertation Fig. 3.3",
    setup="The runs of Fig. 1.",
    runs=lambda scale: stars(HPCC, HPCC_1G, HPCC_PROB, HPCC_PROB_RTT),
    charts={"finish": panels.finish("Finish over start, HPCC")},
    claims=[
        Claim(
            "A01",
            "under HPCC flows that start last finish first",
            claimed="finish falls with start",
            measure=each(finish_slope, HPCC),
            holds=LAST_FIRST,
            tolerance=LAST_FIRST_WHY,
        ),
        Claim(
            "A03",
            "with an additive increase of 1 Gb/s the trend is gone",
            claimed="flat",
            measure=each(finish_slope, HPCC, HPCC_1G),
            holds=trend_gone(HPCC, HPCC_1G),
            trend=trend_halved(HPCC, HPCC_1G),
            tolerance=TREND_GONE_WHY,
        ),
        Claim(
            "A04",
            "with probabilistic feedback the trend is gone",
            claimed="flat",
            measure=each(finish_slope, HPCC, HPCC_PROB),
            holds=trend_gone(HPCC, HPCC_PROB),
            trend=trend_halved(HPCC, HPCC_PROB),
            tolerance=TREND_GONE_WHY,
            explanation=EVERY_ACK_DRAWS,
        ),
        Claim(
            "A04-rtt",
            "with probabilistic feedback drawn once per RTT, the other reading, the trend is gone",
            claimed="flat",
            measure=each(finish_slope, HPCC, HPCC_PROB_RTT),
            holds=trend_gone(HPCC, HPCC_PROB_RTT),
            trend=trend_halved(HPCC, HPCC_PROB_RTT),
            kind=Kind.READING,
            tolerance=TREND_GONE_WHY,
        ),
    ],
)
