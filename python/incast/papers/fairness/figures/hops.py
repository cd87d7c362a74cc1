"""Beyond the paper's figures: HPCC with a rate for each hop, as its first footnote reads."""

from __future__ import annotations

from dataclasses import replace

from incast.papers.fairness.algorithms import HPCC, HPCC_VAI_SF
from incast.papers.fairness.figures.fig10 import both_parts, halved
from incast.papers.fairness.metrics import same_median, tail_points
from incast.papers.fairness.networks import changed
from incast.papers.framework.claim import Claim
from incast.papers.framework.paper import Figure, RunPlan, Scale

_PER_HOP = {"multi_rate": True}
_OF_ALL_LENGTHS = "; and of the seed with the paper's 50 ms alone"
_NOTE = (
    "A single short seed: compare values, not verdicts. The row of one rate for all hops has three "
    "seeds, of which that of the paper's length decides B12."
)


def _plan(scale: Scale) -> dict[str, RunPlan]:
    return {
        label: changed(scale, f"{label} rate per hop", _PER_HOP, of=label)
        for label in (HPCC, HPCC_VAI_SF)
    }


def _read(claim: Claim, says: str) -> Claim:
    return replace(
        claim.as_reading(),
        id=f"{claim.id}-hops",
        says=says,
        note=_NOTE,
        explanation="",
        replaced="",
    )


_TAIL = both_parts("B12-hpcc", HPCC, HPCC_VAI_SF)

FIGURE = Figure(
    id="hops",
    title="HPCC with a rate for each hop",
    where="beyond the paper; of Figs. 10 and 12, footnote 1",
    setup="Hadoop traffic of Fig. 10, the second seed of 20 ms. HPCC keeps a utilisation, a "
    "reference rate and a stage for every hop, and the lowest rate counts.",
    scaled="2 ms of arrivals",
    runs=_plan,
    claims=[
        replace(
            _read(
                _TAIL,
                "flows above 1 MB have a 99.9th-percentile slowdown of 10 to 15 under HPCC VAI SF "
                "with a rate for each hop",
            ),
            measure=lambda runs: tail_points(runs, HPCC_VAI_SF),
            tolerance=_TAIL.tolerance.replace(_OF_ALL_LENGTHS, ""),
        ),
        _read(
            halved("B13-hpcc", HPCC, HPCC_VAI_SF),
            "with a rate for each hop, HPCC VAI SF halves the 99.9th-percentile slowdown of flows "
            "above 1 MB",
        ),
        _read(
            same_median("B17-hpcc", HPCC, HPCC_VAI_SF),
            "with a rate for each hop, HPCC VAI SF does not make median slowdowns worse",
        ),
    ],
)
