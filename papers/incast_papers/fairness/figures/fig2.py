"""Figure 2: under HPCC, flows that start last finish first. That changes if flows increase faster,
or react to a random part of feedback.
"""

from __future__ import annotations

from incast.measure.metrics import finish_slope
from incast.papers import panels
from incast.papers.claim import Claim
from incast.papers.figure import Figure

from incast_papers.fairness.algorithms import HPCC, HPCC_1G, HPCC_PROB, HPCC_PROB_RTT
from incast_papers.fairness.metrics import (
    LAST_FIRST,
    each,
    trend_gone,
    trend_halved,
)
from incast_papers.fairness.networks import stars
from incast_papers.fairness.words import WORDS


def start_and_finish(number: int, claims: tuple[str, str, str], *labels: str) -> Figure:
    """The figure of one algorithm: its default, a larger increase, and both readings of
    probabilistic feedback. Figure 3 is the same for Swift.
    """
    first, larger_increase, random = claims
    default, increase, probabilistic, per_rtt = labels

    def gone(number: str, label: str) -> Claim:
        return WORDS.claim(
            number,
            measure=each(finish_slope, default, label),
            holds=trend_gone(default, label),
            trend=trend_halved(default, label),
        )

    return WORDS.figure(
        f"fig{number}",
        runs=lambda scale: stars(*labels),
        charts={"finish": panels.finish(f"Finish time vs. start time, {default}", *labels[:3])},
        claims=[
            WORDS.claim(
                first,
                measure=each(finish_slope, default),
                holds=LAST_FIRST,
            ),
            gone(larger_increase, increase),
            gone(random, probabilistic),
            gone(f"{random}-rtt", per_rtt),
        ],
    )


FIGURE = start_and_finish(2, ("A01", "A03", "A04"), HPCC, HPCC_1G, HPCC_PROB, HPCC_PROB_RTT)
