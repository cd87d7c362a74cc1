"""Section III-A: effects of a larger additive increase, step by step."""

from __future__ import annotations

from itertools import pairwise

from incast.measure.metrics import fair_after, queue_mean
from incast.papers.fairness.algorithms import HPCC_CC
from incast.papers.fairness.metrics import each
from incast.papers.fairness.networks import star
from incast.papers.framework import panels
from incast.papers.framework.paper import Claim, Figure, Kind, RunPlan, Values
from incast.present.units import bytes_text, seconds_text

STEPS = ["50Mbps", "100Mbps", "200Mbps", "500Mbps", "1Gbps"]


def _runs() -> dict[str, RunPlan]:
    return {
        step: star({**HPCC_CC, "additive_increase": step}, 16, name=f"star-16 HPCC {step}")
        for step in STEPS
    }


def rising(values: Values) -> bool:
    """Every value is larger than the one before."""
    numbers = list(values.values())
    return all(later > earlier for earlier, later in pairwise(numbers))


def falling(values: Values) -> bool:
    """Every value is smaller than the one before."""
    return rising({label: -value for label, value in values.items()})


FIGURE = Figure(
    id="sec3a",
    title="Additive increase, queue and fairness",
    where="§III-A",
    setup="The 16-to-1 incast of Fig. 1 under HPCC with five additive increases. No figure of the "
    "paper; its text says it.",
    runs=lambda scale: _runs(),
    charts={
        "jain": panels.jain("Jain's index by additive increase"),
        "queue": panels.queue("Queue by additive increase"),
    },
    claims=[
        Claim(
            "A14",
            "the larger the additive increase, the longer the queue",
            claimed="rises",
            measure=each(queue_mean, *STEPS),
            holds=rising,
            tolerance="none: every step up; mean queue from 100 µs after the last arrival to the "
            "first finish",
            kind=Kind.TREND,
            show=bytes_text,
        ),
        Claim(
            "A14-fair",
            "the larger the additive increase, the sooner rates are fair",
            claimed="falls",
            measure=each(fair_after, *STEPS),
            holds=falling,
            tolerance="none: every step down; time from the last arrival until Jain's index stays "
            "≥ 0.95",
            kind=Kind.TREND,
            show=seconds_text,
        ),
    ],
)
