"""Sections III-C and VI-B: what Swift's own means, flow scaling and the target, do for tails."""

from __future__ import annotations

from typing import Any

from incast.papers.fairness.algorithms import SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.metrics import large_tail, small_tail
from incast.papers.fairness.networks import DATACENTER_SCALED, changed
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale

RAISED = "Swift, target +5 µs"
UNSCALED = "Swift, no flow scaling"

SCALED = (UNSCALED, SWIFT, SWIFT_VAI_SF)
"""What flow scaling and both parts take off the tail."""

_CHANGES: dict[str, dict[str, Any]] = {
    SWIFT: {},
    RAISED: {"base_target": "10us"},
    UNSCALED: {"flow_scaling": False},
}


def _runs(scale: Scale) -> dict[str, RunPlan]:
    return {
        **{label: changed(scale, label, change) for label, change in _CHANGES.items()},
        SWIFT_VAI_SF: changed(scale, SWIFT_VAI_SF, {}, of=SWIFT_VAI_SF),
    }


def _tails(runs: Runs) -> Values:
    return {
        f"{size}{which}": tail(runs[label])
        for size, tail in (("long", large_tail), ("short", small_tail))
        for which, label in (("", SWIFT), (", raised", RAISED))
    }


def _scaling(runs: Runs) -> Values:
    return {label: large_tail(runs[label]) for label in SCALED}


def _more_than_half(runs: Runs) -> str:
    tails = _scaling(runs)
    taken, left = tails[UNSCALED] - tails[SWIFT], tails[SWIFT] - tails[SWIFT_VAI_SF]
    return f"It takes {taken:.0f} off the tail; Variable AI and Sampling Frequency take {left:.0f}."


def _does_less(values: Values) -> bool:
    """Than what is left to do."""
    return values[UNSCALED] - values[SWIFT] < values[SWIFT] - values[SWIFT_VAI_SF]


FIGURE = Figure(
    id="sec6",
    title="Flow scaling and target delay of Swift",
    where="§III-C, §VI-B",
    setup="The Hadoop traffic of Fig. 10 under Swift, with its second seed, 20 ms of arrivals: "
    "as it is, without flow scaling, and with its base target at 10 instead of 5 µs. The paper "
    "does not say by how much it was raised.",
    scaled=DATACENTER_SCALED,
    runs=_runs,
    charts={"tail": panels.slowdown("99.9th-percentile FCT slowdown", 99.9, *_CHANGES)},
    claims=[
        Claim(
            "B21",
            "with a larger target delay long flows do better, short ones worse",
            claimed="long better, short worse",
            metric="p99.9 of the FCT slowdown of flows above 1 MB ('long') and up to 100 KB",
            where="§VI-B",
            measure=_tails,
            holds=lambda values: (
                values["long, raised"] < values["long"]
                and values["short, raised"] > values["short"]
            ),
            tolerance="none: directions",
            kind=Kind.TREND,
            full_only=True,
        ),
        Claim(
            "B30",
            "Swift's flow scaling does not suffice for the tail of long flows",
            claimed="insufficient",
            metric="p99.9 of the FCT slowdown of flows above 1 MB",
            where="§III-C; dissertation §3.3",
            measure=_scaling,
            holds=_does_less,
            trend=lambda values: values[SWIFT] >= 1.2 * values[SWIFT_VAI_SF],
            tolerance="none: what it takes off the tail is less than what Variable AI and Sampling "
            "Frequency take off the rest; as a trend, with it the tail is a fifth above theirs",
            explanation=_more_than_half,
            replaced="with it a tail of 20 or more, which is claim B11 again: it held.",
            kind=Kind.TREND,
            full_only=True,
        ),
    ],
)
