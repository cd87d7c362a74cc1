"""Figure 6: fairness and queue of incasts under Swift with Variable AI and Sampling Frequency."""

from __future__ import annotations

from collections.abc import Callable

from incast.measure.metrics import queue_mean, queue_oscillation
from incast.papers.fairness.algorithms import SWIFTS
from incast.papers.fairness.figures.fig5 import (
    SETTLED,
    SETUP,
    STARTS_DECIDE,
    charts,
    fair,
    fair_large,
    incasts,
    large,
)
from incast.papers.framework.conditions import both
from incast.papers.framework.paper import Claim, Figure, Runs, Values
from incast.present.units import bytes_text


def _swift_queue(number: str, senders: str, rename: Callable[[str], str]) -> Claim:
    *others, both_parts = SWIFTS
    default = SWIFTS[0]

    def measure(runs: Runs) -> Values:
        return {
            **{f"{label} mean": queue_mean(runs[rename(label)]) for label in SWIFTS},
            **{
                f"{label} swing": queue_oscillation(runs[rename(label)])
                for label in (default, both_parts)
            },
        }

    return Claim(
        number,
        f"with {senders} senders Swift VAI SF has the smallest queue of all variants, and it "
        "swings little",
        claimed="smallest; small oscillations",
        measure=measure,
        holds=both(
            lambda values: all(
                values[f"{both_parts} mean"] < values[f"{label} mean"] for label in others
            ),
            lambda values: values[f"{both_parts} swing"] <= values[f"{default} swing"],
        ),
        trend=lambda values: values[f"{both_parts} mean"] < values[f"{default} mean"],
        tolerance=f"none: mean below all others'; standard deviation about the mean of every "
        f"100 µs not above the default's; {SETTLED}. As a trend, mean below the default's",
        show=bytes_text,
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
        _swift_queue("B06", "16", str),
        fair_large("B08", "Swift", SWIFTS, STARTS_DECIDE),
        _swift_queue("B10", "96", large),
    ],
)
