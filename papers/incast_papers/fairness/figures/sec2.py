"""Section II: DCQCN lacks the unfairness of HPCC and Swift."""

from __future__ import annotations

from functools import partial

from incast.measure.metrics import finish_slope, last_finish, queue_mean
from incast.papers import panels, seeds
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs
from incast.papers.variations import varied
from incast.present.units import bytes_text, seconds_text

from incast_papers.fairness.algorithms import ALGORITHMS, HPCC, SWIFT
from incast_papers.fairness.metrics import fairness, lost
from incast_papers.fairness.networks import RANDOM_SEEDS, star, stars
from incast_papers.fairness.words import WORDS

DCQCN = "DCQCN"


def fairer_than_both(values: Values) -> bool:
    """Whether DCQCN becomes fair no later than HPCC and Swift, and loses no more time to
    unfairness.
    """
    return all(_no_worse_than(label, values) for label in (HPCC, SWIFT))


def fairer_than_one(values: Values) -> bool:
    """Whether DCQCN becomes fair no later than one of the two, and loses no more time than that
    one.
    """
    return any(_no_worse_than(label, values) for label in (HPCC, SWIFT))


def _no_worse_than(label: str, values: Values) -> bool:
    return all(values[name(DCQCN)] <= values[name(label)] for name in (str, lost))


def _last_finish(runs: Runs) -> str:
    return seconds_text(last_finish(seeds.first(runs, DCQCN)))


def _queue(runs: Runs) -> str:
    return bytes_text(queue_mean(seeds.first(runs, DCQCN)))


def _slopes(runs: Runs) -> str:
    slopes = {label: seeds.first(runs, label) for label in (HPCC, SWIFT, DCQCN)}
    found = ", ".join(f"{label} {finish_slope(run):.2f}" for label, run in slopes.items())
    return found.replace("-", "−")


def _dcqcn(seed: int, megabytes: int = 1) -> RunPlan:
    name = _sized(DCQCN, megabytes)
    return star({"algorithm": "dcqcn"}, 16, name=f"star-16 {name}", seed=seed, megabytes=megabytes)


_LONG = (10, 40)
"""Sizes in megabytes of flows that outlast DCQCN's timers."""


def _sized(label: str, megabytes: int) -> str:
    return label if megabytes == 1 else f"{label} [{_size(megabytes)}]"


def _size(megabytes: int) -> str:
    return f"flows of {megabytes} MB"


def _long(megabytes: int) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for label in (HPCC, SWIFT):
        name = _sized(label, megabytes)
        planned[name] = star(ALGORITHMS[label], 16, name=f"star-16 {name}", megabytes=megabytes)
    dcqcn = partial(_dcqcn, megabytes=megabytes)
    return planned | seeds.over(RANDOM_SEEDS, _sized(DCQCN, megabytes), dcqcn)


FIGURE = WORDS.figure(
    "sec2",
    runs=lambda scale: {
        **stars(HPCC, SWIFT),
        **seeds.over(RANDOM_SEEDS, DCQCN, _dcqcn),
        **{label: run for megabytes in _LONG for label, run in _long(megabytes).items()},
    },
    charts={
        "finish": panels.finish("Finish time vs. start time", HPCC, SWIFT, DCQCN),
        "jain": panels.jain("Jain's index", HPCC, SWIFT, DCQCN),
        "queue": panels.queue("Queue", HPCC, SWIFT, DCQCN),
    },
    claims=[
        WORDS.claim(
            "A16",
            measure=fairness(HPCC, SWIFT, DCQCN),
            holds=fairer_than_both,
            trend=fairer_than_one,
            values={"last_finish": _last_finish, "queue": _queue, "slopes": _slopes},
            variations=[varied(_size(megabytes), (HPCC, SWIFT, DCQCN)) for megabytes in _LONG],
            show=seconds_text,
        ),
    ],
)
