"""Section III-A: effects of a larger additive increase, in several steps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from incast.measure.metrics import queue_mean
from incast.papers import panels
from incast.papers.claim import Claim, Values
from incast.papers.figure import RunPlan
from incast.present.units import bytes_text, seconds_text

from incast_papers.fairness.algorithms import ALGORITHMS, HPCC, SWIFT
from incast_papers.fairness.metrics import each, fairness, lost
from incast_papers.fairness.networks import star
from incast_papers.fairness.words import WORDS

_STEPS = ("50Mbps", "100Mbps", "200Mbps", "500Mbps", "1Gbps")
HPCC_STEPS, SWIFT_STEPS = ([f"{label} {step}" for step in _STEPS] for label in (HPCC, SWIFT))


def _runs() -> dict[str, RunPlan]:
    return {
        f"{label} {step}": _run(ALGORITHMS[label], f"{label} {step}", step)
        for label in (HPCC, SWIFT)
        for step in _STEPS
    }


def _run(cc: Mapping[str, Any], label: str, step: str) -> RunPlan:
    return star({**cc, "additive_increase": step}, 16, name=f"star-16 {label}")


def rising(values: Values) -> bool:
    """Whether every value is larger than the one before."""
    numbers = list(values.values())
    return all(later > earlier for earlier, later in pairwise(numbers))


def falling(values: Values) -> bool:
    """Whether both numbers of fairness fall with every step."""
    labels = [label for label in values if lost(label) in values]
    series = ([values[label] for label in labels], [values[lost(label)] for label in labels])
    return all(later < earlier for numbers in series for earlier, later in pairwise(numbers))


def mostly_falling(values: Values) -> bool:
    """Whether both numbers of fairness are smaller at the last step than at the first."""
    labels = [label for label in values if lost(label) in values]
    return all(values[name(labels[-1])] < values[name(labels[0])] for name in (str, lost))


def _longer_queue(number: str, labels: list[str]) -> Claim:
    return WORDS.claim(
        number,
        measure=each(queue_mean, *labels),
        holds=rising,
        trend=lambda values: values[labels[-1]] > values[labels[0]],
        show=bytes_text,
    )


def _fair_sooner(number: str, labels: list[str]) -> Claim:
    return WORDS.claim(
        number,
        measure=fairness(*labels),
        holds=falling,
        trend=mostly_falling,
        show=seconds_text,
    )


FIGURE = WORDS.figure(
    "sec3a",
    runs=lambda scale: _runs(),
    charts={
        "jain": panels.jain("Jain's index by additive increase, HPCC", *HPCC_STEPS),
        "queue": panels.queue("Queue by additive increase, HPCC", *HPCC_STEPS, mean_of_us=20),
        "jain-swift": panels.jain("Jain's index by additive increase, Swift", *SWIFT_STEPS),
        "queue-swift": panels.queue(
            "Queue by additive increase, Swift", *SWIFT_STEPS, mean_of_us=20
        ),
    },
    claims=[
        _longer_queue("A14", HPCC_STEPS),
        _longer_queue("A14-swift", SWIFT_STEPS),
        _fair_sooner("A14-fair", HPCC_STEPS),
        _fair_sooner("A14-fair-swift", SWIFT_STEPS),
    ],
)
