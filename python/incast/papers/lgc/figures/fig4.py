"""Figure 4: exponentially distributed delays."""

from __future__ import annotations

import math

import numpy as np

from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, Runs
from incast.papers.framework.seeds import average, ratio
from incast.papers.lgc.algorithms import EXPONENTIAL_01, EXPONENTIAL_03
from incast.papers.lgc.figures.fig3 import FLOWS, REGULAR, rate_panel
from incast.papers.lgc.metrics import loads_apart, share_spread
from incast.papers.lgc.networks import LINK_RATE, PACKET, RTT, incast_name, incasts

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
"""In an interval, at the fair share."""


def _chance(flows: int) -> float:
    load = 1 - 1 / flows
    return math.sqrt(load * (1 - load) / _ACKS[flows])


_WITH = [incast_name(flows, label) for flows in FLOWS for label in _EXPONENTIAL]
_WITHOUT = [incast_name(flows, label) for flows in FLOWS for label in REGULAR]

FIGURE = Figure(
    id="fig4",
    title="Exponentially distributed delays",
    where="Fig. 4, §V-A",
    setup="As Fig. 3, with and without exponential delays.",
    scaled="three seeds, 100 ms",
    runs=incasts(FLOWS, *REGULAR, *_EXPONENTIAL),
    charts={
        "a-rates-5": rate_panel(5, EXPONENTIAL_01),
        "b-rates-20": rate_panel(20, EXPONENTIAL_01),
    },
    claims=[
        Claim(
            "L14",
            "rates are steadier with exponential delays",
            claimed="more stable",
            metric="deviation of a flow's settled rate over time, with over without",
            measure=_spreads,
            holds=lambda values: all(value <= 0.8 for value in values.values()),
            trend=lambda values: float(np.mean(list(values.values()))) < 1,
            tolerance="at least 20 % smaller; as a trend, smaller on average",
            explanation="With 5 flows, yes. With 20, a flow gets 8 ACKs in an interval, and how "
            "many of so few are marked is chance where arrivals are random; and without random "
            "delays 20 flows swing less than one flow in step with all others would (L04-rates).",
        ),
        Claim(
            "L14-alike",
            "with exponential delays all sources see alike: l of one is l of another",
            claimed="alike",
            metric="standard deviation of the flows' l at one time, mean over the second half",
            measure=_alike,
            holds=lambda values: all(
                values[own] <= 0.1 and values[own] < values[other]
                for own, other in zip(_WITH, _WITHOUT, strict=True)
            ),
            trend=lambda values: all(
                values[own] < values[other] for own, other in zip(_WITH, _WITHOUT, strict=True)
            ),
            tolerance="0.1 at most, and less than without; as a trend, the latter",
            kind=Kind.TREND,
            show=lambda value: f"{value:.3f}",
            explanation="PASTA is about averages over a long time. An interval has "
            f"{_ACKS[5]:.0f} ACKs of each of 5 flows and {_ACKS[20]:.0f} of each of 20, and of so "
            "few the marked share is a matter of chance: independent marks would have a deviation "
            f"of √(l·(1 − l)/ACKs), {_chance(5):.3f} and {_chance(20):.3f}. Packets at equal gaps "
            "of many flows meet the queue at times spread evenly, and so count it better.",
        ),
    ],
)
