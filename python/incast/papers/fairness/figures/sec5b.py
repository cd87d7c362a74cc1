"""Section V-B: Swift that always adds."""

from __future__ import annotations

from incast.measure.metrics import queue_mean
from incast.papers.fairness.algorithms import ALGORITHMS, SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.networks import star, stars
from incast.papers.framework import panels
from incast.papers.framework.conditions import at_most
from incast.papers.framework.paper import Claim, Figure, Kind
from incast.present.units import seconds_text

_LINE = 100e9
_TARGET, _BASE = 7e-6, 4.16e-6
"""Seconds: Swift's target on the star, one switch, without flow scaling; and the base RTT."""


SWIFT_SF = "Swift SF"
"""With Sampling Frequency Swift always adds; without Variable AI it adds no more than that."""


def _extra_delay(
    number: str, label: str, says: str, kind: Kind, note: str = "", explanation: str = ""
) -> Claim:
    """Seconds of queueing above the target."""
    return Claim(
        number,
        says,
        claimed="small",
        measure=lambda runs: {
            label: queue_mean(runs[label]) * 8 / _LINE - (_TARGET - _BASE),
        },
        holds=at_most(0.1 * _TARGET),
        tolerance="queueing above the target at most a tenth of the target, 0.7 µs: mean from "
        "100 µs after the last arrival to the first finish",
        kind=kind,
        show=lambda value: seconds_text(value) if value >= 0 else f"−{seconds_text(-value)}",
        note=note,
        explanation=explanation,
    )


FIGURE = Figure(
    id="sec5b",
    title="Swift that always adds",
    where="§V-B",
    setup="The incast of Fig. 1 under Swift with Sampling Frequency alone, which always adds 50 "
    "Mb/s, and with Variable AI, which adds more.",
    runs=lambda scale: {
        SWIFT_SF: star(
            {**ALGORITHMS[SWIFT], "algorithm": "swift+sf"}, 16, name=f"star-16 {SWIFT_SF}"
        ),
        **stars(SWIFT_VAI_SF),
    },
    charts={"queue": panels.queue("Queue, Swift that always adds", SWIFT_SF, SWIFT_VAI_SF)},
    claims=[
        _extra_delay(
            "B25",
            SWIFT_SF,
            "adding also while it decreases costs Swift little extra delay",
            Kind.TREND,
            note="Where decrease and increase are equal, β·(d − t)/d · W = AI, the formula gives "
            "0.04 µs.",
        ),
        _extra_delay(
            "B25-vai",
            SWIFT_VAI_SF,
            "adding also while it decreases, with Variable AI, costs little extra delay",
            Kind.OURS,
            explanation="Tokens that are left from the arrivals make it add several times 50 Mb/s.",
        ),
    ],
)
