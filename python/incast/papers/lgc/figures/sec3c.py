"""Section III-C: a congested link that is faster than the sources."""

from __future__ import annotations

import numpy as np

from incast.fluid.lgc import poisson_equilibrium
from incast.papers.framework.paper import Claim, Figure, Kind, RunPlan, Runs, Scale, Values
from incast.papers.lgc.algorithms import LGC
from incast.papers.lgc.metrics import rates
from incast.papers.lgc.networks import (
    of,
    seeded,
    uplink,
)

_SENDERS, _RATIO = 8, 4


def _uplinks(scale: Scale) -> dict[str, RunPlan]:
    stop_ms = scale.pick(quick=60, full=200)
    return seeded(scale, LGC, lambda seed: uplink(LGC, seed, stop_ms=stop_ms))


def _reaction(runs: Runs) -> Values:
    nodes = np.mean([rates(run) for run in of(runs, LGC)], axis=0)
    jain = nodes.sum() ** 2 / (len(nodes) * (nodes**2).sum())
    return {"x": float(nodes.mean()), "Jain's index": float(jain)}


FIGURE = Figure(
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
