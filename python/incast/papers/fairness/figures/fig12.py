"""Figure 12: median slowdown under Hadoop traffic."""

from __future__ import annotations

from incast.papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.metrics import last_point, pooled_medians, same_median
from incast.papers.fairness.networks import DATACENTER_SCALED, hadoop
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)

FIGURE = Figure(
    id="fig12",
    title="Median slowdown under Hadoop traffic",
    where="Fig. 12; dissertation Fig. 4.9",
    setup="The runs of Fig. 10.",
    scaled=DATACENTER_SCALED,
    runs=lambda scale: hadoop(scale, *_ALL),
    charts={"median": panels.slowdown("Median FCT slowdown", 50, *_ALL)},
    claims=[
        same_median("B17-hpcc", HPCC, HPCC_VAI_SF),
        same_median("B17-swift", SWIFT, SWIFT_VAI_SF),
        Claim(
            "B19",
            "the longest flows have a significant median slowdown under Swift",
            claimed="significant",
            metric="median FCT slowdown of the last point, the longest hundredth of flows, median "
            "(range) of the seeds",
            measure=lambda runs: {
                **last_point(runs, HPCC, 50),
                **last_point(runs, SWIFT, 50),
                **last_point(runs, SWIFT_VAI_SF, 50),
            },
            holds=lambda values: values[SWIFT] >= 1.5 * values[HPCC],
            trend=lambda values: values[SWIFT] >= 1.1 * values[HPCC],
            tolerance="half as much again as HPCC's; as a trend, a tenth",
            kind=Kind.TREND,
            full_only=True,
            replaced=pooled_medians(HPCC, SWIFT),
        ),
    ],
)
