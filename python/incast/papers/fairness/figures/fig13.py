"""Figure 13: median slowdown under web search and storage traffic."""

from __future__ import annotations

from incast.papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.metrics import last_point, pooled_medians, same_median
from incast.papers.fairness.networks import DATACENTER_SCALED, hadoop, websearch_storage
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure, RunPlan, Scale

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)
_OF_HADOOP = "Swift, Hadoop"


def _runs(scale: Scale) -> dict[str, RunPlan]:
    under_hadoop = {
        label.replace(SWIFT, _OF_HADOOP): run for label, run in hadoop(scale, SWIFT).items()
    }
    return websearch_storage(scale, *_ALL) | under_hadoop


FIGURE = Figure(
    id="fig13",
    title="Median slowdown under web search and storage traffic",
    where="Fig. 13; dissertation Fig. 4.10",
    setup="The runs of Fig. 11, and those of Fig. 10 under Swift.",
    scaled=DATACENTER_SCALED,
    runs=_runs,
    charts={"median": panels.slowdown("Median FCT slowdown", 50, *_ALL)},
    claims=[
        same_median("B18-hpcc", HPCC, HPCC_VAI_SF),
        same_median("B18-swift", SWIFT, SWIFT_VAI_SF),
        Claim(
            "B20",
            "the median slowdown that the longest flows have under Swift with Hadoop traffic is "
            "not there",
            claimed="not present",
            metric="median FCT slowdown of the last point, the longest hundredth of flows, median "
            "(range) of the seeds",
            measure=lambda runs: {
                **last_point(runs, HPCC, 50),
                **last_point(runs, SWIFT, 50),
                f"{_OF_HADOOP} traffic": last_point(runs, _OF_HADOOP, 50)[_OF_HADOOP],
            },
            holds=lambda values: (
                values[SWIFT] < 1.5 * values[HPCC]
                and values[f"{_OF_HADOOP} traffic"] >= 1.5 * values[SWIFT]
            ),
            tolerance="less than half as much again as HPCC's, what claim B19 asks for the "
            "contrary; and Swift's own with Hadoop traffic at least half as much again",
            kind=Kind.TREND,
            full_only=True,
            replaced=pooled_medians(HPCC, SWIFT),
        ),
    ],
)
