"""Dissertation, figure 3.6: long flows' tail in a data centre, with small and large additive
increase.
"""

from __future__ import annotations

from incast.papers.fairness.algorithms import HPCC, HPCC_1G, SWIFT, SWIFT_1G
from incast.papers.fairness.metrics import RANGE_SLACK, RANGE_WHY, each, large_tail
from incast.papers.fairness.networks import DATACENTER_SCALED, hadoop
from incast.papers.framework import panels
from incast.papers.framework.conditions import of, within
from incast.papers.framework.paper import Claim, Figure, Kind


def _default(number: str, label: str) -> Claim:
    return Claim(
        number,
        f"with 50 Mb/s, flows above 1 MB have a tail slowdown of 35 to 45 under {label}",
        claimed="35–45",
        measure=each(large_tail, label),
        holds=within(35, 45, slack=RANGE_SLACK),
        tolerance=RANGE_WHY,
        kind=Kind.NUMBER,
        full_only=True,
    )


_NO_READING = (
    "No reading of what the paper leaves open changes it: in short runs, rates for each hop, a "
    "lowest rate of 1 Gb/s and no stages of additive increase hardly move HPCC's tail."
)


def _larger(number: str, default: str, larger: str) -> Claim:
    return Claim(
        number,
        f"with 1 Gb/s, the tail slowdown of flows above 1 MB is 10 to 15 under {default}",
        claimed="10–15",
        measure=each(large_tail, default, larger),
        holds=of(larger, within(10, 15, slack=RANGE_SLACK)),
        trend=lambda values: values[larger] <= values[default] / 1.5,
        tolerance=f"{RANGE_WHY}; as a trend, at most two thirds of the default's",
        kind=Kind.NUMBER,
        full_only=True,
        explanation=_NO_READING,
    )


FIGURE = Figure(
    id="thesis_fig3_6",
    title="Tail slowdown under Hadoop traffic by additive increase",
    where="dissertation Fig. 3.6",
    setup="320 hosts in HPCC's fat tree, Hadoop sizes at 50 % load, 50 ms of arrivals. Load and "
    "duration are those of the paper's §VI, the dissertation does not repeat them.",
    scaled=DATACENTER_SCALED,
    runs=lambda scale: hadoop(scale, HPCC, HPCC_1G, SWIFT, SWIFT_1G),
    charts={"tail": panels.slowdown("p99.9 of FCT slowdown", 99.9)},
    claims=[
        _default("A11-hpcc", HPCC),
        _default("A11-swift", SWIFT),
        _larger("A12-hpcc", HPCC, HPCC_1G),
        _larger("A12-swift", SWIFT, SWIFT_1G),
    ],
)
