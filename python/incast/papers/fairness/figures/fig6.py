"""Figure 6: fairness and queue of incasts under Swift with Variable AI and Sampling Frequency."""

from __future__ import annotations

from collections.abc import Callable

from incast.measure.metrics import queue_mean, queue_oscillation
from incast.papers.fairness.algorithms import SWIFTS
from incast.papers.fairness.figures.fig5 import (
    SETUP,
    STARTS_DECIDE,
    charts,
    fair,
    fair_large,
    incasts,
    large,
)
from incast.papers.fairness.metrics import SETTLED, plain_deviation
from incast.papers.framework import seeds
from incast.papers.framework.claim import Claim, Measured, Values
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure, Runs
from incast.papers.framework.tolerances import both
from incast.present.units import bytes_text

_DEFAULT, _LARGER, _, _BOTH_PARTS = SWIFTS
_METRIC = "mean queue, and its standard deviation about the mean of each 100 µs ('oscillation')"


def _queue_claim(
    number: str,
    says: str,
    rename: Callable[[str], str],
    steadier_than: str,
    replaced: Text,
    tolerance: str,
) -> Claim:
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

    return Claim(
        number,
        says,
        claimed="smallest; small oscillations" if number == "B06" else "smallest; smaller ones",
        metric=_METRIC,
        measure=measure,
        holds=both(
            shortest,
            lambda values: (
                values[f"{_BOTH_PARTS} oscillation"] <= values[f"{steadier_than} oscillation"]
            ),
        ),
        trend=shortest,
        tolerance=f"{tolerance}, {SETTLED}; as a trend, the mean alone",
        show=bytes_text,
        replaced=replaced,
    )


def _of_default(runs: Runs) -> str:
    return (
        "oscillations were asked to be no larger than the default's, which the text says of 96 "
        f"senders only; and before, {plain_deviation(runs, _DEFAULT, _BOTH_PARTS)}"
    )


FIGURE = Figure(
    id="fig6",
    title="Fairness and queue with Variable AI and Sampling Frequency, Swift",
    where="Fig. 6; dissertation Figs. 4.5 and 4.6",
    setup=SETUP,
    runs=incasts(SWIFTS),
    charts=charts("Swift", SWIFTS),
    claims=[
        fair("B04", "Swift", SWIFTS),
        _queue_claim(
            "B06",
            "with 16 senders Swift VAI SF has the smallest queue of all variants, and small "
            "oscillations",
            str,
            _LARGER,
            _of_default,
            "none: mean below all others'; 'small' is no larger than with 1 Gb/s, of which the "
            "text says that they are large",
        ),
        fair_large("B08", "Swift", SWIFTS, STARTS_DECIDE),
        _queue_claim(
            "B10",
            "with 96 senders Swift VAI SF has the smallest queue of all variants, and smaller "
            "oscillations than the default",
            large,
            _DEFAULT,
            lambda runs: plain_deviation(runs, _DEFAULT, _BOTH_PARTS, rename=large),
            "none: mean below all others', oscillation not above the default's",
        ),
    ],
)
