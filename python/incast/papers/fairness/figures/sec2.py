"""Section II: DCQCN does not have the unfairness of HPCC and Swift."""

from __future__ import annotations

from incast.measure.metrics import finish_slope, last_finish, queue_mean
from incast.papers.fairness.algorithms import HPCC, SWIFT
from incast.papers.fairness.metrics import each
from incast.papers.fairness.networks import star, stars
from incast.papers.framework import panels
from incast.papers.framework.paper import Claim, Figure, Kind, Runs, Values
from incast.present.units import bytes_text, seconds_text

DCQCN = "DCQCN"


def flatter(values: Values) -> bool:
    """DCQCN's slope is at most a quarter of the flatter one of the two others, or it rises."""
    return values[DCQCN] >= max(values[HPCC], values[SWIFT]) / 4


def _in_time(runs: Runs) -> str:
    run = runs[DCQCN]
    return (
        f"The incast is over within {seconds_text(last_finish(run))}, in which DCQCN's timers act "
        "a few times only (its rates rise every 300 µs), while a queue of "
        f"{bytes_text(queue_mean(run))} stands."
    )


FIGURE = Figure(
    id="sec2",
    title="DCQCN in the same incast",
    where="§II",
    setup="The incast of Fig. 1. DCQCN as the artifact runs it, with its marking for 100 Gb/s. No "
    "figure of the paper; its text says it.",
    runs=lambda scale: {
        **stars(HPCC, SWIFT),
        DCQCN: star({"algorithm": "dcqcn"}, 16, name=f"star-16 {DCQCN}"),
    },
    charts={
        "finish": panels.finish("Finish over start"),
        "jain": panels.jain("Jain's index"),
        "queue": panels.queue("Queue"),
    },
    claims=[
        Claim(
            "A16",
            "DCQCN does not suffer from unfairness like Swift and HPCC",
            claimed="fair",
            measure=each(finish_slope, HPCC, SWIFT, DCQCN),
            holds=flatter,
            trend=lambda values: values[DCQCN] > max(values[HPCC], values[SWIFT]),
            tolerance="finish over start falls at most a quarter as steeply as under the better of "
            "the two, the measure of Figs. 2 and 3; as a trend, less steeply",
            explanation=_in_time,
            kind=Kind.TREND,
        ),
    ],
)
