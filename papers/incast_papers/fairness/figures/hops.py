"""Beyond the paper's figures: HPCC with a rate for each hop, as in the paper's first footnote."""

from __future__ import annotations

from incast.papers.figure import RunPlan, Scale

from incast_papers.fairness.algorithms import HPCC, HPCC_VAI_SF
from incast_papers.fairness.figures.fig10 import both_parts, halved
from incast_papers.fairness.metrics import same_median, tail_points
from incast_papers.fairness.networks import changed
from incast_papers.fairness.words import WORDS

_PER_HOP = {"multi_rate": True}


def _plan(scale: Scale) -> dict[str, RunPlan]:
    return {
        label: changed(scale, f"{label} rate per hop", _PER_HOP, of=label)
        for label in (HPCC, HPCC_VAI_SF)
    }


FIGURE = WORDS.figure(
    "hops",
    runs=_plan,
    claims=[
        WORDS.again(
            both_parts("B12-hpcc", HPCC, HPCC_VAI_SF),
            "B12-hpcc-hops",
            measure=lambda runs: tail_points(runs, HPCC_VAI_SF),
        ),
        WORDS.again(halved("B13-hpcc", HPCC, HPCC_VAI_SF), "B13-hpcc-hops"),
        WORDS.again(same_median("B17-hpcc", HPCC, HPCC_VAI_SF), "B17-hpcc-hops"),
    ],
)
