"""Section III-C: a congested link that is faster than the sources."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from incast.fluid.lgc import poisson_equilibrium
from incast.measure.run import Run
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average

from incast_papers.lgc.algorithms import LGC, LGC_TWO
from incast_papers.lgc.metrics import rates
from incast_papers.lgc.networks import seeded, uplink
from incast_papers.lgc.words import WORDS

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


_L35 = WORDS.claim(
    "L35",
    measure=_reaction(LGC),
    holds=lambda values: abs(values["x"] - 0.5) <= 0.05 and values["Jain's index"] >= 0.99,
    trend=lambda values: abs(values["x"] - 0.5) <= 0.1 and values["Jain's index"] >= 0.99,
    show=lambda value: f"{value:.3f}",
    values={"share": lambda _: f"{poisson_equilibrium(_SENDERS, _RATIO).share:.3f}"},
)

FIGURE = WORDS.figure(
    "sec3c",
    runs=_uplinks,
    claims=[
        _L35,
        WORDS.again(
            _L35,
            "L35-two",
            measure=_reaction(LGC_TWO),
        ),
    ],
)
