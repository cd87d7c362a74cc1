"""Sections III-C and III-D: a congested link that is faster than the sources, and few ACKs."""

from __future__ import annotations

import numpy as np

from incast.fluid.lgc import poisson_equilibrium
from incast.papers.framework.paper import Claim, Figure, Kind, RunPlan, Runs, Scale, Values
from incast.papers.lgc.algorithms import LGC
from incast.papers.lgc.figures.fig7 import COUNTS
from incast.papers.lgc.metrics import goodput, rates, shares
from incast.papers.lgc.networks import (
    LINK_RATE,
    PACKET,
    RTT,
    incast_name,
    incasts,
    of,
    seeded,
    uplink,
)

_SENDERS, _RATIO = 8, 4
_ACKS = {flows: LINK_RATE * RTT / 8 / PACKET / flows for flows in COUNTS}
"""In an interval, at the fair share."""


def _uplinks(scale: Scale) -> dict[str, RunPlan]:
    stop_ms = scale.pick(quick=60, full=200)
    return seeded(scale, LGC, lambda seed: uplink(LGC, seed, stop_ms=stop_ms))


def _reaction(runs: Runs) -> Values:
    nodes = np.mean([rates(run) for run in of(runs, LGC)], axis=0)
    jain = nodes.sum() ** 2 / (len(nodes) * (nodes**2).sum())
    return {"x": float(nodes.mean()), "Jain's index": float(jain)}


def _robustness(runs: Runs) -> Values:
    found = {}
    for flows in COUNTS:
        chosen = of(runs, incast_name(flows, LGC))
        acks = f"{_ACKS[flows]:.0f} ACKs"
        found[f"Gb/s, {acks}"] = goodput(chosen) / 1e9
        found[f"S·x, {acks}"] = flows * shares(chosen)
    return found


def _robust(values: Values) -> bool:
    through = [value for key, value in values.items() if key.startswith("Gb/s")]
    shared = [value for key, value in values.items() if key.startswith("S·x")]
    return min(through[1:]) >= 0.97 * through[0] and all(abs(each - 1) <= 0.1 for each in shared)


UPLINK = Figure(
    id="sec3c",
    title="A congested link faster than its sources",
    where="§III-C",
    setup="8 hosts of 10 Gb/s, K = 10 Gb/s, send over one link of 40 Gb/s. Ten seeds, 200 ms.",
    scaled="three seeds, 60 ms",
    runs=_uplinks,
    claims=[
        Claim(
            "L35",
            "sources with K = 10 Gb/s react properly to a congested link of 40 Gb/s",
            claimed="reacts properly",
            measure=_reaction,
            holds=lambda values: abs(values["x"] - 0.5) <= 0.05 and values["Jain's index"] >= 0.99,
            trend=lambda values: abs(values["x"] - 0.5) <= 0.1 and values["Jain's index"] >= 0.99,
            tolerance="shares within 10 % of k/S = 0.5 and equal (Jain's index 0.99): the text has "
            "no number; as a trend, within 20 %, as in §IV-E",
            note="The rule for a trend was at least 0.35, before it was made that of L07 to L12 "
            "after data were seen.",
            kind=Kind.TREND,
            show=lambda value: f"{value:.3f}",
            explanation=lambda runs: (
                "It does react, and all sources alike, but random arrivals are marked before the "
                "link is full: the closed equation of Poisson arrivals gives "
                f"x = {poisson_equilibrium(_SENDERS, _RATIO).share:.3f}."
            ),
        )
    ],
)

FEW_ACKS = Figure(
    id="sec3d",
    title="Few ACKs in an interval",
    where="§III-D",
    setup="The incasts of Fig. 7 under LGC: 33, 8 and 4 ACKs in an interval at the fair share.",
    scaled="three seeds, 100 ms",
    runs=incasts(COUNTS, LGC),
    claims=[
        Claim(
            "L33",
            "four ACKs in an interval are enough",
            claimed="performance is robust",
            measure=_robustness,
            holds=_robust,
            tolerance="throughput with 8 and 4 ACKs at least 97 % of that with 33, and shares "
            "within 10 % of 1/S",
            kind=Kind.TREND,
            note="The three numbers of ACKs are three numbers of flows: what more flows and what "
            "fewer ACKs do is not told apart here.",
        )
    ],
)
