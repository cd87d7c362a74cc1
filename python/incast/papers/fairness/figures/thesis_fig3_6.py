"""Dissertation, figure 3.6: long flows' tail in a data centre, with small and large additive
increase.
"""

from __future__ import annotations

from incast.papers.fairness.algorithms import HPCC, HPCC_1G, SWIFT, SWIFT_1G
from incast.papers.fairness.metrics import (
    RANGE_SLACK,
    RANGE_WHY,
    TAIL,
    by_length,
    pooled,
    tails_by_length,
)
from incast.papers.fairness.networks import DATACENTER_SCALED, hadoop
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure
from incast.papers.framework.tolerances import within


def _default(number: str, label: str) -> Claim:
    return Claim(
        number,
        f"with 50 Mb/s, flows above 1 MB have a 99.9th-percentile slowdown of 35 to 45 under "
        f"{label}",
        claimed="35–45",
        metric=TAIL,
        measure=lambda runs: tails_by_length(runs, label),
        holds=within(35, 45, slack=RANGE_SLACK),
        tolerance=RANGE_WHY,
        kind=Kind.NUMBER,
        full_only=True,
        note=by_length(label),
        replaced=pooled(label),
    )


def _larger(number: str, larger: str) -> Claim:
    return Claim(
        number,
        f"with 1 Gb/s, the 99.9th-percentile slowdown of flows above 1 MB is 10 to 15 under "
        f"{larger}",
        claimed="10–15",
        metric=TAIL,
        measure=lambda runs: tails_by_length(runs, larger),
        holds=within(10, 15, slack=RANGE_SLACK),
        trend=lambda values: max(values.values()) <= 35 / 1.5,
        tolerance=f"{RANGE_WHY}; as a trend, at most two thirds of the 35 that the default has at "
        "least",
        kind=Kind.NUMBER,
        full_only=True,
        note=by_length(larger),
        replaced=pooled(larger),
    )


FIGURE = Figure(
    id="thesis_fig3_6",
    title="Tail slowdown under Hadoop traffic by additive increase",
    where="dissertation Fig. 3.6",
    setup="320 hosts in HPCC's fat tree, Hadoop sizes at 50 % load, three seeds: one of 50 ms of "
    "arrivals, two of 20 ms. Load and duration are those of the paper's §VI, the dissertation does "
    "not repeat them.",
    scaled=DATACENTER_SCALED,
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
