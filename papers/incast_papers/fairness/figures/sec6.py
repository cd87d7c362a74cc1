"""Sections III-C and VI-B: effects of Swift's flow scaling and of its target on the tail."""

from __future__ import annotations

from typing import Any

from incast.papers import panels
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale

from incast_papers.fairness.algorithms import SWIFT, SWIFT_VAI_SF
from incast_papers.fairness.metrics import large_tail, small_tail
from incast_papers.fairness.networks import changed
from incast_papers.fairness.words import WORDS

RAISED = "Swift, target +5 µs"
UNSCALED = "Swift, no flow scaling"

SCALED = (UNSCALED, SWIFT, SWIFT_VAI_SF)
"""Labels in order: without flow scaling, with it, and with Variable AI and Sampling Frequency,
too.
"""

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


def _taken(values: Values) -> float:
    """The reduction of the tail by flow scaling."""
    return values[UNSCALED] - values[SWIFT]


def _left(values: Values) -> float:
    """The reduction of the tail by Variable AI and Sampling Frequency."""
    return values[SWIFT] - values[SWIFT_VAI_SF]


def _does_less(values: Values) -> bool:
    """Whether flow scaling reduces the tail by less than Variable AI and Sampling Frequency do."""
    return _taken(values) < _left(values)


FIGURE = WORDS.figure(
    "sec6",
    runs=_runs,
    charts={"tail": panels.slowdown("99.9th-percentile FCT slowdown", 99.9, *_CHANGES)},
    claims=[
        WORDS.claim(
            "B21",
            measure=_tails,
            holds=lambda values: (
                values["long, raised"] < values["long"]
                and values["short, raised"] > values["short"]
            ),
        ),
        WORDS.claim(
            "B30",
            measure=_scaling,
            holds=_does_less,
            trend=lambda values: values[SWIFT] >= 1.2 * values[SWIFT_VAI_SF],
            values={
                "taken": lambda runs: f"{_taken(_scaling(runs)):.0f}",
                "left": lambda runs: f"{_left(_scaling(runs)):.0f}",
            },
        ),
    ],
)
