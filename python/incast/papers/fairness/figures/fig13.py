"""Figure 13: median slowdown under web search and storage traffic."""

from __future__ import annotations

from incast.papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.metrics import (
    each,
    large_median,
    same_median,
)
from incast.papers.fairness.networks import DATACENTER_SCALED, websearch_storage
from incast.papers.framework import panels
from incast.papers.framework.paper import Claim, Figure, Kind

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)

FIGURE = Figure(
    id="fig13",
    title="Median slowdown under web search and storage traffic",
    where="Fig. 13; dissertation Fig. 4.10",
    setup="The runs of Fig. 11.",
    scaled=DATACENTER_SCALED,
    runs=lambda scale: websearch_storage(scale, *_ALL),
    charts={"median": panels.slowdown("Median FCT slowdown", 50)},
    claims=[
        same_median("B18-hpcc", HPCC, HPCC_VAI_SF),
        same_median("B18-swift", SWIFT, SWIFT_VAI_SF),
        Claim(
            "B20",
            "the median slowdown that Swift has under Hadoop traffic is not there",
            claimed="Swift ≈ HPCC",
            measure=each(large_median, HPCC, SWIFT),
            holds=lambda values: values[SWIFT] < 1.5 * values[HPCC],
            tolerance="less than half as much again as HPCC's, of flows above 1 MB: what claim "
            "B19 asks for the contrary",
            kind=Kind.TREND,
            full_only=True,
        ),
    ],
)
