"""Figure 12: median slowdown under Hadoop traffic."""

from __future__ import annotations

from incast.papers import panels

from incast_papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast_papers.fairness.metrics import last_point, pooled_medians, same_median
from incast_papers.fairness.networks import hadoop
from incast_papers.fairness.words import WORDS

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)

FIGURE = WORDS.figure(
    "fig12",
    runs=lambda scale: hadoop(scale, *_ALL),
    charts={"median": panels.slowdown("Median FCT slowdown", 50, *_ALL)},
    claims=[
        same_median("B17-hpcc", HPCC, HPCC_VAI_SF),
        same_median("B17-swift", SWIFT, SWIFT_VAI_SF),
        WORDS.claim(
            "B19",
            measure=lambda runs: {
                **last_point(runs, HPCC, 50),
                **last_point(runs, SWIFT, 50),
                **last_point(runs, SWIFT_VAI_SF, 50),
            },
            holds=lambda values: values[SWIFT] >= 1.5 * values[HPCC],
            trend=lambda values: values[SWIFT] >= 1.1 * values[HPCC],
            values={"medians": pooled_medians(HPCC, SWIFT)},
        ),
    ],
)
