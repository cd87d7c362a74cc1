"""Figure 5: fairness and queue of incasts under HPCC with Variable AI and Sampling Frequency.

Figure 6 makes the same claims for Swift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from incast.measure.metrics import fair_after, first_fair, queue_low, queue_mean, unfairness
from incast.measure.run import Run
from incast.papers import panels, seeds
from incast.papers.claim import Claim, Measured, Values
from incast.papers.explanation import Text
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.tolerances import at_least, at_most, both, of
from incast.papers.variations import Variation
from incast.present.units import bytes_text, seconds_text

from incast_papers.fairness.algorithms import ALGORITHMS, HPCCS, RANDOM
from incast_papers.fairness.metrics import (
    HALF,
    NEAR_ZERO,
    each,
    fairness,
    lost,
)
from incast_papers.fairness.networks import RANDOM_SEEDS, star, stars
from incast_papers.fairness.words import WORDS


def incasts(labels: Sequence[str]) -> Callable[[Scale], dict[str, RunPlan]]:
    """The small incast under the labels, and the large one under labels with `96`."""
    return lambda scale: {
        **stars(*labels),
        **{large(label): run for label, run in stars(*labels, senders=96).items()},
    }


def large(label: str) -> str:
    """The label of the run with 96 senders."""
    name, mark, seed = label.partition(seeds.MARK)
    return f"{name}, 96{mark}{seed}"


def first_times(labels: Sequence[str], rename: Callable[[str], str]) -> Text:
    """The text on the rule for trends that was used first, for the first and the last label."""

    def told(runs: Runs) -> str:
        found = {label: seeds.first(runs, rename(label)) for label in (labels[0], labels[-1])}
        return ", ".join(f"{label} {seconds_text(first_fair(run))}" for label, run in found.items())

    return told


def about_as_soon(both_parts: str, others: Sequence[str]) -> Callable[[Values], bool]:
    """Whether both numbers of fairness exceed those of each other variant by a quarter at most."""
    return lambda values: all(
        values[name(both_parts)] <= _ABOUT * values[name(each)]
        for each in others
        for name in (str, lost)
    )


_ABOUT = 1.25
"""'About as soon': a time is at most this factor longer, the inverse of :data:`SOONER`."""


def _seconds(metric: Callable[[Run], float], label: str) -> Text:
    return lambda runs: seconds_text(metric(seeds.first(runs, label)))


def fair(number: str, labels: Sequence[str]) -> Claim:
    """A claim about fairness with 16 senders."""
    default, larger, chance, both_parts = labels
    return WORDS.claim(
        number,
        measure=fairness(*labels),
        holds=both(HALF.holds(default, both_parts), about_as_soon(both_parts, (larger, chance))),
        trend=HALF.trend(default, both_parts),
        show=seconds_text,
        values={
            "both_parts": both_parts,
            "larger": larger,
            "loss_of_both_parts": _seconds(unfairness, both_parts),
            "loss_of_larger": _seconds(unfairness, larger),
            "time_of_both_parts": _seconds(fair_after, both_parts),
            "time_of_larger": _seconds(fair_after, larger),
            "times": first_times(labels, str),
        },
    )


def fair_large(
    number: str,
    labels: Sequence[str],
    *,
    rename: Callable[[str], str] = large,
) -> Claim:
    """The claim on 96 senders; under another reading, the runs have other labels."""
    default, *_, both_parts = labels
    return WORDS.claim(
        number,
        measure=fairness(*labels, rename=rename),
        holds=HALF.holds(default, both_parts),
        trend=HALF.trend(default, both_parts),
        show=seconds_text,
        values={"times": first_times(labels, rename)},
    )


def _hpcc_queue() -> Claim:
    default, *_, both_parts = HPCCS
    return WORDS.claim(
        "B05",
        measure=each(queue_mean, default, both_parts),
        holds=at_most(NEAR_ZERO),
        show=bytes_text,
    )


def _hpcc_queue_large() -> Claim:
    default, larger, chance, both_parts = HPCCS

    def measure(runs: Runs) -> Measured:
        means = {label: seeds.value(runs, large(label), queue_mean) for label in HPCCS}
        lows = {label: seeds.value(runs, large(label), queue_low) for label in (larger, chance)}
        return {f"{label} mean": value for label, value in means.items()} | {
            f"{label} low": value for label, value in lows.items()
        }

    near = [of(f"{label} mean", at_most(NEAR_ZERO)) for label in (default, both_parts)]
    held = [of(f"{label} low", at_least(NEAR_ZERO)) for label in (larger, chance)]
    return WORDS.claim(
        "B09",
        measure=measure,
        holds=both(*near, *held),
        trend=both(
            near[1],
            lambda values: values[f"{both_parts} mean"] < values[f"{larger} low"],
        ),
        show=bytes_text,
    )


def charts(name: str, labels: Sequence[str]) -> dict[str, panels.Panel]:
    """Charts of Jain's index and the queue, with 16 and with 96 senders."""
    larger = {large(label): label for label in labels}
    return {
        "a-jain-16": panels.jain(f"(a) Jain's index, {name}, 16 senders", *labels),
        "b-queue-16": panels.queue(f"(b) Queue, {name}, 16 senders", *labels, mean_of_us=10),
        "b-queue-16-settled": panels.queue(
            f"(b) Queue, {name}, 16 senders, after the arrivals", *labels, between=(240e-6, 540e-6)
        ),
        "c-jain-96": panels.jain(f"(c) Jain's index, {name}, 96 senders", renamed=larger),
        "d-queue-96": panels.queue(f"(d) Queue, {name}, 96 senders", renamed=larger, mean_of_us=50),
    }


_CHOICES: Mapping[str, Mapping[str, Any]] = {
    "no rate below 1 Gb/s": {"min_rate": "1Gbps"},
    "reactions once per RTT": {"fast_react": False},
    "no additive stage": {"max_stage": 0},
}
"""Alternatives for parameters of HPCC that the paper does not give."""


def _runs(scale: Scale) -> dict[str, RunPlan]:
    planned = incasts(HPCCS)(scale)
    for choice, changes in _CHOICES.items():
        for label in HPCCS:
            cc = {**ALGORITHMS[label], **changes}
            make = partial(star, cc, 96, name=f"star-96 {label}, {choice}")
            chosen = _chosen(label, choice)
            planned |= _seeded(chosen, make) if label in RANDOM else {chosen: make()}
    return planned


def _seeded(label: str, make: Callable[..., RunPlan]) -> dict[str, RunPlan]:
    """Runs with several seeds, for algorithms that draw random numbers."""
    return seeds.over(RANDOM_SEEDS, label, lambda seed: make(seed=seed))


def _chosen(label: str, choice: str) -> str:
    return f"{large(label)} [{choice}]"


_VARIATIONS = [
    Variation(choice, {large(label): _chosen(label, choice) for label in HPCCS})
    for choice in _CHOICES
]

FIGURE = WORDS.figure(
    "fig5",
    runs=_runs,
    charts=charts("HPCC", HPCCS),
    claims=[
        fair("B03", HPCCS),
        _hpcc_queue(),
        *(
            replace(claim, variations=_VARIATIONS)
            for claim in (fair_large("B07", HPCCS), _hpcc_queue_large())
        ),
    ],
)
