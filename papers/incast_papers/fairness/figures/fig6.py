"""Figure 6: fairness and queue of incasts under Swift with Variable AI and Sampling Frequency."""

from __future__ import annotations

from collections.abc import Callable

from incast.measure.metrics import queue_mean, queue_oscillation
from incast.papers import seeds
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import Runs
from incast.papers.tolerances import both
from incast.present.units import bytes_text

from incast_papers.fairness.algorithms import SWIFTS
from incast_papers.fairness.figures.fig5 import (
    charts,
    fair,
    fair_large,
    incasts,
    large,
)
from incast_papers.fairness.metrics import deviations
from incast_papers.fairness.words import WORDS

_DEFAULT, _LARGER, _, _BOTH_PARTS = SWIFTS


def _queue_claim(number: str, rename: Callable[[str], str], steadier_than: str) -> Claim:
    def measure(runs: Runs) -> Measured:
        means = {label: seeds.value(runs, rename(label), queue_mean) for label in SWIFTS}
        oscillations = {
            label: seeds.value(runs, rename(label), queue_oscillation) for label in SWIFTS
        }
        return {f"{label} mean": value for label, value in means.items()} | {
            f"{label} oscillation": value for label, value in oscillations.items()
        }

    def shortest(values: Values) -> bool:
        others = [values[f"{label} mean"] for label in SWIFTS if label != _BOTH_PARTS]
        return values[f"{_BOTH_PARTS} mean"] < min(others)

    return WORDS.claim(
        number,
        measure=measure,
        holds=both(
            shortest,
            lambda values: (
                values[f"{_BOTH_PARTS} oscillation"] <= values[f"{steadier_than} oscillation"]
            ),
        ),
        trend=shortest,
        show=bytes_text,
        values={"deviations": deviations(_DEFAULT, _BOTH_PARTS, rename=rename)},
    )


FIGURE = WORDS.figure(
    "fig6",
    runs=incasts(SWIFTS),
    charts=charts("Swift", SWIFTS),
    claims=[
        fair("B04", SWIFTS),
        _queue_claim("B06", str, _LARGER),
        fair_large("B08", SWIFTS),
        _queue_claim("B10", large, _DEFAULT),
    ],
)
