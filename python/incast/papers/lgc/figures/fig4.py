"""Figure 4: exponentially distributed gaps."""

from __future__ import annotations

import numpy as np

from incast.papers.framework.explanation import Recorded
from incast.papers.framework.paper import Claim, Figure, Runs, Values
from incast.papers.lgc.algorithms import EXPONENTIAL_01, EXPONENTIAL_03
from incast.papers.lgc.figures.fig3 import FLOWS, REGULAR, rate_panel
from incast.papers.lgc.metrics import share_spread
from incast.papers.lgc.networks import incast_name, incasts, of

_EXPONENTIAL = (EXPONENTIAL_01, EXPONENTIAL_03)


def _spreads(runs: Runs) -> Values:
    found = {}
    for flows in FLOWS:
        for exponential, regular in zip(_EXPONENTIAL, REGULAR, strict=True):
            ratio = share_spread(of(runs, incast_name(flows, exponential))) / share_spread(
                of(runs, incast_name(flows, regular))
            )
            found[incast_name(flows, exponential)] = ratio
    return found


FIGURE = Figure(
    id="fig4",
    title="Exponentially distributed gaps",
    where="Fig. 4, §V-A",
    setup="As Fig. 3, with and without exponential gaps.",
    scaled="three seeds, 100 ms",
    runs=incasts(FLOWS, *REGULAR, *_EXPONENTIAL),
    charts={
        "a-rates-5": rate_panel(5, EXPONENTIAL_01),
        "b-rates-20": rate_panel(20, EXPONENTIAL_01),
    },
    claims=[
        Claim(
            "L14",
            "rates are steadier with exponential gaps",
            claimed="more stable",
            measure=_spreads,
            holds=lambda values: all(value <= 0.8 for value in values.values()),
            trend=lambda values: float(np.mean(list(values.values()))) < 1,
            tolerance="the settled deviation of a flow's rate over time at least 20 % smaller; as "
            "a trend, smaller on average",
            note="With exponential gaps over without.",
            explanation=(
                "With 5 flows, yes. With 20, a flow gets 8 ACKs in an interval, and how many of so "
                "few are marked is chance where arrivals are random.",
                Recorded(
                    "And without exponential gaps 20 flows swing little in step anyway (0.39 of "
                    "what they could, with r = 0.1), so there is little for random gaps to break.",
                    {"20 flows, r = 0.1, no exp. #1": "f33453a388a958d8"},
                ),
            ),
        )
    ],
)
