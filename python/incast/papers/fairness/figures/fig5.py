"""Figure 5: fairness and queue of incasts under HPCC with Variable AI and Sampling Frequency.

Figure 6 makes the same claims of Swift's fairness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from incast.measure.metrics import fair_after, first_fair, queue_low, queue_mean, unfairness
from incast.papers.fairness.algorithms import ALGORITHMS, HPCCS, RANDOM
from incast.papers.fairness.metrics import (
    FAIRNESS,
    HALF,
    NEAR_ZERO,
    SETTLED,
    each,
    fairness,
    lost,
)
from incast.papers.fairness.networks import RANDOM_SEEDS, star, stars
from incast.papers.framework import panels, seeds
from incast.papers.framework.claim import Claim, Measured, Values
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.tolerances import at_least, at_most, both, of
from incast.papers.framework.variations import Variation
from incast.present.units import bytes_text, seconds_text

STARTS_DECIDE = (
    "96 flows get half a packet per RTT each, so 30 ACKs take some 60 RTTs, and rates decrease "
    "rarely while the last flows start. That two start every 20 µs is our assumption: the figure "
    "`readings` has others."
)


def incasts(labels: Sequence[str]) -> Callable[[Scale], dict[str, RunPlan]]:
    """The small incast under the labels themselves, the large one under labels with `96`."""
    return lambda scale: {
        **stars(*labels),
        **{large(label): run for label, run in stars(*labels, senders=96).items()},
    }


def large(label: str) -> str:
    """A label's run with 96 senders."""
    name, mark, seed = label.partition(seeds.MARK)
    return f"{name}, 96{mark}{seed}"


def first_times(labels: Sequence[str], rename: Callable[[str], str]) -> Callable[[Runs], str]:
    """A remark on the rule for trends that was used first."""

    def told(runs: Runs) -> str:
        found = {label: seeds.first(runs, rename(label)) for label in (labels[0], labels[-1])}
        times = ", ".join(
            f"{label} {seconds_text(first_fair(run))}" for label, run in found.items()
        )
        return (
            "the time until Jain's index stays ≥ 0.95 alone; as a trend the time until it first "
            f"reaches 0.95 ({times}). Both hang on the threshold and leave out arrivals."
        )

    return told


def about_as_soon(both_parts: str, others: Sequence[str]) -> Callable[[Values], bool]:
    """Both numbers at most a quarter more than each of the other variants'."""
    return lambda values: all(
        values[name(both_parts)] <= _ABOUT * values[name(each)]
        for each in others
        for name in (str, lost)
    )


_ABOUT = 1.25
"""'About as': no more than what :data:`SOONER` calls sooner, the other way round."""


def _no_sooner(both_parts: str, larger: str) -> Callable[[Runs], str]:
    def told(runs: Runs) -> str:
        ours, theirs = (
            seconds_text(fair_after(seeds.first(runs, label))) for label in (both_parts, larger)
        )
        no_more, than = (
            seconds_text(unfairness(seeds.first(runs, label))) for label in (both_parts, larger)
        )
        return (
            f"{both_parts} loses about as much time to unfairness as {larger}, {no_more} and "
            f"{than}; but until the index stays at 0.95 it takes {ours} and not {theirs}."
        )

    return told


def fair(number: str, name: str, labels: Sequence[str]) -> Claim:
    """With 16 senders."""
    default, larger, chance, both_parts = labels
    return Claim(
        number,
        f"{name} VAI SF converges to fairness much faster than the default, and about as fast as "
        "1 Gb/s and probabilistic feedback",
        claimed="much faster; about as fast",
        metric=FAIRNESS,
        measure=fairness(*labels),
        holds=both(HALF.holds(default, both_parts), about_as_soon(both_parts, (larger, chance))),
        trend=HALF.trend(default, both_parts),
        tolerance=f"'much': {HALF.words}. 'About': both at most a quarter more than each of the "
        "two others: where this is not so it is a trend",
        show=seconds_text,
        explanation=_no_sooner(both_parts, larger),
        replaced=(
            first_times(labels, str),
            "'About' was at most twice the mean of the two others, which differ severalfold, so "
            "that it could not fail.",
        ),
    )


def fair_large(
    number: str,
    name: str,
    labels: Sequence[str],
    explanation: Text = "",
    *,
    rename: Callable[[str], str] = large,
    reading: str = "",
    note: str = "",
) -> Claim:
    """With 96 senders; in another reading under other labels."""
    default, *_, both_parts = labels
    return Claim(
        number,
        f"with 96 senders {name} VAI SF converges to fairness quickly{reading}",
        claimed="quickly",
        metric=FAIRNESS,
        measure=fairness(*labels, rename=rename),
        holds=HALF.holds(default, both_parts),
        trend=HALF.trend(default, both_parts),
        tolerance=f"as with 16 senders ('the same trends continue'): {HALF.words}",
        explanation=explanation,
        note=note,
        show=seconds_text,
        replaced="" if reading else first_times(labels, rename),
    )


def _hpcc_queue() -> Claim:
    default, *_, both_parts = HPCCS
    return Claim(
        "B05",
        "HPCC VAI SF keeps the queue near zero, as the default does",
        claimed="near zero",
        metric="mean queue",
        measure=each(queue_mean, default, both_parts),
        holds=at_most(NEAR_ZERO),
        tolerance=f"at most 5.2 KB, a tenth of the BDP, {SETTLED}",
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
    return Claim(
        "B09",
        "with 96 senders HPCC VAI SF keeps the queue near zero, as the default does, while with 1 "
        "Gb/s and with probabilistic feedback there are queues throughout",
        claimed="near zero; sustained",
        metric="mean of the queue, and its 5th percentile ('low')",
        measure=measure,
        holds=both(*near, *held),
        trend=both(
            near[1],
            lambda values: values[f"{both_parts} mean"] < values[f"{larger} low"],
        ),
        tolerance=f"near zero: mean at most 5.2 KB; throughout: above that 95 % of the time; "
        f"{SETTLED}. As a trend: VAI SF near zero, 1 Gb/s above it throughout",
        show=bytes_text,
        explanation="The queue of the arrivals takes milliseconds to drain, because 30 ACKs of a "
        "flow take some 60 RTTs. Probabilistic feedback keeps no queue throughout in any reading "
        "tried: each ACK or each RTT sampled, a lowest rate of 1 Gb/s.",
    )


def charts(name: str, labels: Sequence[str]) -> dict[str, panels.Panel]:
    """Jain's index and the queue, with 16 and with 96 senders."""
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
"""Parameters of HPCC that the paper does not give, otherwise."""


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
    """A run with each of the seeds of algorithms that draw random numbers."""
    return seeds.over(RANDOM_SEEDS, label, lambda seed: make(seed=seed))


def _chosen(label: str, choice: str) -> str:
    return f"{large(label)} [{choice}]"


_VARIATIONS = [
    Variation(choice, {large(label): _chosen(label, choice) for label in HPCCS})
    for choice in _CHOICES
]

SETUP = (
    "The incast of Fig. 1, and the same with 96 senders; there, too, two start every 20 µs, which "
    "the paper does not say."
)

FIGURE = Figure(
    id="fig5",
    title="Fairness and queue with Variable AI and Sampling Frequency, HPCC",
    where="Fig. 5; dissertation Figs. 4.5 and 4.6",
    setup=SETUP,
    runs=_runs,
    charts=charts("HPCC", HPCCS),
    claims=[
        fair("B03", "HPCC", HPCCS),
        _hpcc_queue(),
        *(
            replace(claim, variations=_VARIATIONS)
            for claim in (fair_large("B07", "HPCC", HPCCS, STARTS_DECIDE), _hpcc_queue_large())
        ),
    ],
)
