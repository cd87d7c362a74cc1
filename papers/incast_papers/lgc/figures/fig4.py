"""Figure 4: exponentially distributed delays."""

from __future__ import annotations

import math

import numpy as np
from incast.papers.claim import Measured
from incast.papers.figure import Runs
from incast.papers.seeds import average, ratio

from incast_papers.lgc.algorithms import EXPONENTIAL_01, EXPONENTIAL_03
from incast_papers.lgc.figures.fig3 import FLOWS, REGULAR, rate_panel
from incast_papers.lgc.metrics import loads_apart, share_spread
from incast_papers.lgc.networks import LINK_RATE, PACKET, RTT, incast_name, incasts
from incast_papers.lgc.words import WORDS

_EXPONENTIAL = (EXPONENTIAL_01, EXPONENTIAL_03)


def _spreads(runs: Runs) -> Measured:
    return {
        incast_name(flows, exponential): ratio(
            runs, incast_name(flows, exponential), incast_name(flows, regular), share_spread
        )
        for flows in FLOWS
        for exponential, regular in zip(_EXPONENTIAL, REGULAR, strict=True)
    }


def _alike(runs: Runs) -> Measured:
    return {
        incast_name(flows, label): average(runs, incast_name(flows, label), loads_apart)
        for label in (*_EXPONENTIAL, *REGULAR)
        for flows in FLOWS
    }


_ACKS = {flows: LINK_RATE * RTT / 8 / PACKET / flows for flows in FLOWS}
"""ACKs of a flow per update interval, at the fair share."""


def _chance(flows: int) -> float:
    load = 1 - 1 / flows
    return math.sqrt(load * (1 - load) / _ACKS[flows])


_WITH = [incast_name(flows, label) for flows in FLOWS for label in _EXPONENTIAL]
_WITHOUT = [incast_name(flows, label) for flows in FLOWS for label in REGULAR]

FIGURE = WORDS.figure(
    "fig4",
    runs=incasts(FLOWS, *REGULAR, *_EXPONENTIAL),
    charts={
        "a-rates-5": rate_panel(5, EXPONENTIAL_01),
        "b-rates-20": rate_panel(20, EXPONENTIAL_01),
    },
    claims=[
        WORDS.claim(
            "L14",
            measure=_spreads,
            holds=lambda values: all(value <= 0.8 for value in values.values()),
            trend=lambda values: float(np.mean(list(values.values()))) < 1,
        ),
        WORDS.claim(
            "L14-alike",
            measure=_alike,
            holds=lambda values: all(
                values[own] <= 0.1 and values[own] < values[other]
                for own, other in zip(_WITH, _WITHOUT, strict=True)
            ),
            trend=lambda values: all(
                values[own] < values[other] for own, other in zip(_WITH, _WITHOUT, strict=True)
            ),
            show=lambda value: f"{value:.3f}",
            values={
                **{f"acks_of_{flows}": f"{_ACKS[flows]:.0f}" for flows in FLOWS},
                **{f"chance_of_{flows}": f"{_chance(flows):.3f}" for flows in FLOWS},
            },
        ),
    ],
)
