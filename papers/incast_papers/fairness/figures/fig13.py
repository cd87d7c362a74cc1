"""Figure 13: median slowdown under web search and storage traffic."""

from __future__ import annotations

from incast.papers import panels
from incast.papers.figure import RunPlan, Scale

from incast_papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast_papers.fairness.metrics import last_point, pooled_medians, same_median
from incast_papers.fairness.networks import hadoop, websearch_storage
from incast_papers.fairness.words import WORDS

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)
_OF_HADOOP = "Swift, Hadoop"


def _runs(scale: Scale) -> dict[str, RunPlan]:
    under_hadoop = {
        label.replace(SWIFT, _OF_HADOOP): run for label, run in hadoop(scale, SWIFT).items()
    }
    return websearch_storage(scale, *_ALL) | under_hadoop


FIGURE = WORDS.figure(
    "fig13",
    runs=_runs,
    charts={"median": panels.slowdown("Median FCT slowdown", 50, *_ALL)},
    claims=[
        same_median("B18-hpcc", HPCC, HPCC_VAI_SF),
        same_median("B18-swift", SWIFT, SWIFT_VAI_SF),
        WORDS.claim(
            "B20",
            measure=lambda runs: {
                **last_point(runs, HPCC, 50),
                **last_point(runs, SWIFT, 50),
                f"{_OF_HADOOP} traffic": last_point(runs, _OF_HADOOP, 50)[_OF_HADOOP],
            },
            holds=lambda values: (
                values[SWIFT] < 1.5 * values[HPCC]
                and values[f"{_OF_HADOOP} traffic"] >= 1.5 * values[SWIFT]
            ),
            values={"medians": pooled_medians(HPCC, SWIFT)},
        ),
    ],
)
