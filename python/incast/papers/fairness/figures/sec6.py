"""Section VI-B: a larger target delay of Swift helps long flows and costs short ones."""

from __future__ import annotations

from incast.papers.fairness.algorithms import ALGORITHMS, SWIFT
from incast.papers.fairness.metrics import large_tail, small_tail
from incast.papers.fairness.networks import DATACENTER_SCALED, datacenter, hadoop
from incast.papers.framework import panels
from incast.papers.framework.paper import Claim, Figure, Kind, Runs, Values

RAISED = "Swift, target +5 µs"

FIGURE = Figure(
    id="sec6",
    title="A larger target delay for Swift",
    where="§VI-B",
    setup="The Hadoop traffic of Fig. 10 under Swift, and with its base target at 10 instead of "
    "5 µs. The paper does not say by how much it was raised.",
    scaled=DATACENTER_SCALED,
    runs=lambda scale: {
        **hadoop(scale, SWIFT),
        RAISED: datacenter(
            {**ALGORITHMS[SWIFT], "fs_max_packets": 100, "base_target": "10us"},
            scale,
            name="hadoop Swift raised",
            loads={"fb-hadoop": 0.5},
        ),
    },
    charts={"tail": panels.slowdown("p99.9 of FCT slowdown", 99.9)},
    claims=[
        Claim(
            "B21",
            "long flows do better, short ones worse",
            claimed="long better, short worse",
            measure=lambda runs: _tails(runs),
            holds=lambda values: (
                values["long, raised"] < values["long"]
                and values["short, raised"] > values["short"]
            ),
            tolerance="none: directions of p99.9 above 1 MB and up to 100 KB",
            kind=Kind.TREND,
            full_only=True,
        ),
    ],
)


def _tails(runs: Runs) -> Values:
    return {
        "long": large_tail(runs[SWIFT]),
        "long, raised": large_tail(runs[RAISED]),
        "short": small_tail(runs[SWIFT]),
        "short, raised": small_tail(runs[RAISED]),
    }
