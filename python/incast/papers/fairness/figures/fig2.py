"""Figure 2: under HPCC flows that start last finish first, unless they increase faster or react
to a random part of feedback.
"""

from __future__ import annotations

from incast.measure.metrics import finish_slope
from incast.papers.fairness.algorithms import HPCC, HPCC_1G, HPCC_PROB, HPCC_PROB_RTT
from incast.papers.fairness.metrics import (
    EVERY_ACK_IS_SAMPLED,
    LAST_FIRST,
    LAST_FIRST_WHY,
    SLOPE,
    TREND_GONE_WHY,
    each,
    trend_gone,
    trend_halved,
)
from incast.papers.fairness.networks import stars
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure


def start_and_finish(
    number: int, dissertation: str, claims: tuple[str, str, str], *labels: str
) -> Figure:
    """The figure of one algorithm, with its default, a larger increase, and probabilistic feedback
    in both readings; Figure 3 is that of Swift.
    """
    first, larger_increase, random = claims
    default, increase, probabilistic, per_rtt = labels

    def gone(number: str, how: str, label: str, explanation: Text = "") -> Claim:
        return Claim(
            number,
            f"{how} the trend is eliminated",
            claimed="flat",
            metric=SLOPE,
            measure=each(finish_slope, default, label),
            holds=trend_gone(default, label),
            trend=trend_halved(default, label),
            tolerance=TREND_GONE_WHY,
            explanation=explanation,
        )

    return Figure(
        id=f"fig{number}",
        title=f"Start and finish of 16 flows, {default}",
        where=f"Fig. {number}; dissertation Fig. {dissertation}",
        setup="The runs of Fig. 1.",
        runs=lambda scale: stars(*labels),
        charts={"finish": panels.finish(f"Finish time vs. start time, {default}", *labels[:3])},
        claims=[
            Claim(
                first,
                f"under {default} flows that start last finish first",
                claimed="finish falls with start",
                metric=SLOPE,
                measure=each(finish_slope, default),
                holds=LAST_FIRST,
                tolerance=LAST_FIRST_WHY,
            ),
            gone(larger_increase, "with an additive increase of 1 Gb/s", increase),
            gone(random, "with probabilistic feedback", probabilistic, EVERY_ACK_IS_SAMPLED),
            gone(
                f"{random}-rtt", "with probabilistic feedback sampled once per RTT", per_rtt
            ).as_reading(),
        ],
    )


FIGURE = start_and_finish(2, "3.3", ("A01", "A03", "A04"), HPCC, HPCC_1G, HPCC_PROB, HPCC_PROB_RTT)
