"""Section III-C: a congested link that is faster than the sources."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

from incast.fluid.lgc import poisson_equilibrium
from incast.measure.run import Run
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import average
from incast.papers.lgc.algorithms import LGC, LGC_TWO
from incast.papers.lgc.figures.fig7 import TWO_WAITING
from incast.papers.lgc.metrics import rates
from incast.papers.lgc.networks import seeded, uplink

_SENDERS, _RATIO = 8, 4


def _uplinks(scale: Scale) -> dict[str, RunPlan]:
    stop_ms = scale.pick(quick=60, full=200)
    planned: dict[str, RunPlan] = {}
    for label in (LGC, LGC_TWO):
        planned |= seeded(scale, label, partial(uplink, label, stop_ms=stop_ms))
    return planned


def _mean(run: Run) -> float:
    return float(rates(run).mean())


def _jain(run: Run) -> float:
    nodes = rates(run)
    return float(nodes.sum() ** 2 / (len(nodes) * (nodes**2).sum()))


def _reaction(label: str) -> Callable[[Runs], Measured]:
    return lambda runs: {
        "x": average(runs, label, _mean),
        "Jain's index": average(runs, label, _jain),
    }


_L35 = Claim(
    "L35",
    "sources with K = 10 Gb/s react properly to a congested link of 40 Gb/s",
    claimed="reacts properly",
    metric="rate over K in the second half, mean of nodes; Jain's index of nodes",
    measure=_reaction(LGC),
    holds=lambda values: abs(values["x"] - 0.5) <= 0.05 and values["Jain's index"] >= 0.99,
    trend=lambda values: abs(values["x"] - 0.5) <= 0.1 and values["Jain's index"] >= 0.99,
    tolerance="shares within 10 % of k/S = 0.5 and equal (Jain's index 0.99): the text has "
    "no number; as a trend, within 20 %, as in §IV-E",
    replaced="as a trend, x of at least 0.35; it became the rule of L07-k1 to L07-k6.",
    kind=Kind.TREND,
    show=lambda value: f"{value:.3f}",
    explanation=lambda runs: (
        "It does react, and all sources alike, but random arrivals are marked before the "
        "link is full: the closed equation of Poisson arrivals gives "
        f"x = {poisson_equilibrium(_SENDERS, _RATIO).share:.3f}."
    ),
)

FIGURE = Figure(
    id="sec3c",
    title="A congested link faster than its sources",
    where="§III-C",
    setup="8 hosts of 10 Gb/s, K = 10 Gb/s, send over one link of 40 Gb/s. Ten seeds, 200 ms.",
    scaled="three seeds, 60 ms",
    runs=_uplinks,
    claims=[
        _L35,
        dataclasses.replace(
            _L35,
            id="L35-two",
            says=f"{_L35.says}, marked from two waiting packets on",
            measure=_reaction(LGC_TWO),
            kind=Kind.READING,
            note=TWO_WAITING,
            explanation="",
            replaced="",
        ),
    ],
)
