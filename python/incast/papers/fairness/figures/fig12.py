"""Figure 12: median slowdown under Hadoop traffic."""

from __future__ import annotations

from incast.papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.metrics import (
    each,
    large_median,
    same_median,
)
from incast.papers.fairness.networks import DATACENTER_SCALED, hadoop
from incast.papers.framework import panels
from incast.papers.framework.paper import Claim, Figure, Kind

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)

FIGURE = Figure(
    id="fig12",
    title="Median slowdown under Hadoop traffic",
    where="Fig. 12; dissertation Fig. 4.9",
    setup="The runs of Fig. 10.",
    scaled=DATACENTER_SCALED,
    runs=lambda scale: hadoop(scale, *_ALL),
    charts={"median": panels.slowdown("Median FCT slowdown", 50)},
    claims=[
        same_median("B17-hpcc", HPCC, HPCC_VAI_SF),
        same_median("B17-swift", SWIFT, SWIFT_VAI_SF),
        Claim(
            "B19",
            "long flows have a significant median slowdown under Swift, which HPCC has not",
            claimed="Swift ≫ HPCC",
            measure=each(large_median, HPCC, SWIFT),
            holds=lambda values: values[SWIFT] >= 1.5 * values[HPCC],
            trend=lambda values: values[SWIFT] >= 1.1 * values[HPCC],
            tolerance="half as much again, of flows above 1 MB; as a trend, a tenth",
            kind=Kind.TREND,
            full_only=True,
            explanation="Swift's target leaves 2.8 µs of queue, and more to small windows, so "
            "links are full where HPCC keeps them at 95 %: long flows take less in the median. "
            "That a constant increase recovers slowly does not outweigh it here.",
        ),
    ],
)
