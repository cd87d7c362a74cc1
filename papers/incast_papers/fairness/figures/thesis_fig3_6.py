"""Dissertation, figure 3.6: the tail of long flows in a datacenter, with small and large additive
increase.
"""

from __future__ import annotations

from incast.papers import panels
from incast.papers.claim import Claim
from incast.papers.tolerances import within

from incast_papers.fairness.algorithms import HPCC, HPCC_1G, SWIFT, SWIFT_1G
from incast_papers.fairness.metrics import (
    RANGE_SLACK,
    by_length,
    pooled,
    tails_by_length,
)
from incast_papers.fairness.networks import hadoop
from incast_papers.fairness.words import WORDS


def _default(number: str, label: str) -> Claim:
    return WORDS.claim(
        number,
        measure=lambda runs: tails_by_length(runs, label),
        holds=within(35, 45, slack=RANGE_SLACK),
        values={"by_length": by_length(label), "tails": pooled(label)},
    )


def _larger(number: str, larger: str) -> Claim:
    return WORDS.claim(
        number,
        measure=lambda runs: tails_by_length(runs, larger),
        holds=within(10, 15, slack=RANGE_SLACK),
        trend=lambda values: max(values.values()) <= 35 / 1.5,
        values={"by_length": by_length(larger), "tails": pooled(larger)},
    )


FIGURE = WORDS.figure(
    "thesis_fig3_6",
    runs=lambda scale: hadoop(scale, HPCC, HPCC_1G, SWIFT, SWIFT_1G),
    charts={
        "tail": panels.slowdown(
            "99.9th-percentile FCT slowdown", 99.9, HPCC, HPCC_1G, SWIFT, SWIFT_1G
        )
    },
    claims=[
        _default("A11-hpcc", HPCC),
        _default("A11-swift", SWIFT),
        _larger("A12-hpcc", HPCC_1G),
        _larger("A12-swift", SWIFT_1G),
    ],
)
