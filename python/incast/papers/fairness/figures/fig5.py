"""Figure 5: fairness and queue of incasts under HPCC with Variable AI and Sampling Frequency.

Figure 6 makes the same claims of Swift's fairness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from incast.measure.metrics import fair_after, first_fair, queue_low, queue_mean
from incast.papers.fairness.algorithms import HPCCS
from incast.papers.fairness.metrics import NEAR_ZERO, each
from incast.papers.fairness.networks import stars
from incast.papers.framework import panels
from incast.papers.framework.conditions import at_least, at_most, both, falls_to, of
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Claim, Figure, RunPlan, Runs, Scale, Values
from incast.present.units import bytes_text, seconds_text

SETTLED = "from 100 µs after the last arrival to the first finish"


STARTS_DECIDE = (
    "96 flows get half a packet per RTT each, so 30 ACKs take some 60 RTTs, and rates decrease "
    "rarely while the last flows start. That two start every 20 µs is our assumption: if all start "
    "at once, fairness comes at once, too; see the figure `readings`."
)


def incasts(labels: Sequence[str]) -> Callable[[Scale], dict[str, RunPlan]]:
    """The small incast under the labels themselves, the large one under labels with `96`."""
    return lambda scale: {
        **stars(*labels),
        **{large(label): run for label, run in stars(*labels, senders=96).items()},
    }


def large(label: str) -> str:
    """A label's run with 96 senders."""
    return f"{label}, 96"


def _times(labels: Sequence[str], rename: Callable[[str], str]) -> Callable[[Runs], Values]:
    """When rates are fair for good, of all; and of the first and the last, when they first are."""
    return lambda runs: {
        **{label: fair_after(runs[rename(label)]) for label in labels},
        **{f"{label} first": first_fair(runs[rename(label)]) for label in (labels[0], labels[-1])},
    }


def fair(number: str, name: str, labels: Sequence[str]) -> Claim:
    """With 16 senders."""
    default, larger, chance, both_parts = labels
    return Claim(
        number,
        f"{name} VAI SF is fair much sooner than by default, and about as soon as with 1 Gb/s and "
        "with probabilistic feedback",
        claimed="much sooner; about as soon",
        measure=_times(labels, str),
        holds=both(
            falls_to(0.5, below=default, labels=[both_parts]),
            lambda values: values[both_parts] <= 2 * max(values[larger], values[chance]),
        ),
        trend=falls_to(0.5, below=f"{default} first", labels=[f"{both_parts} first"]),
        tolerance="time until Jain's index stays ≥ 0.95; 'much': half; 'about': twice that of the "
        "slower of the two. As a trend: half the time until it first reaches 0.95",
        show=seconds_text,
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
        f"with 96 senders {name} VAI SF becomes fair quickly{reading}",
        claimed="quickly",
        measure=_times(labels, rename),
        holds=falls_to(0.5, below=default, labels=[both_parts]),
        trend=falls_to(0.5, below=f"{default} first", labels=[f"{both_parts} first"]),
        tolerance="as with 16 senders ('the same trends continue'): half the default's time until "
        "Jain's index stays ≥ 0.95; as a trend, until it first reaches 0.95",
        explanation=explanation,
        note=note,
        show=seconds_text,
    )


def _hpcc_queue() -> Claim:
    default, *_, both_parts = HPCCS
    return Claim(
        "B05",
        "HPCC VAI SF keeps the queue near zero, as the default does",
        claimed="near zero",
        measure=each(queue_mean, default, both_parts),
        holds=at_most(NEAR_ZERO),
        tolerance=f"mean at most 5.2 KB, a tenth of the BDP, {SETTLED}",
        show=bytes_text,
    )


def _hpcc_queue_large() -> Claim:
    default, larger, chance, both_parts = HPCCS

    def measure(runs: Runs) -> Values:
        return {
            **{f"{label} mean": queue_mean(runs[large(label)]) for label in (default, both_parts)},
            **{f"{label} low": queue_low(runs[large(label)]) for label in (larger, chance)},
        }

    near = [of(f"{label} mean", at_most(NEAR_ZERO)) for label in (default, both_parts)]
    held = [of(f"{label} low", at_least(NEAR_ZERO)) for label in (larger, chance)]
    return Claim(
        "B09",
        "with 96 senders HPCC VAI SF keeps the queue near zero, as the default does, while with 1 "
        "Gb/s and with probabilistic feedback there are queues throughout",
        claimed="near zero; sustained",
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
        "flow take some 60 RTTs. Probabilistic feedback keeps no queue throughout here.",
    )


def charts(name: str, labels: Sequence[str]) -> dict[str, panels.Panel]:
    """Jain's index and the queue, with 16 and with 96 senders."""
    larger = {large(label): label for label in labels}
    return {
        "a-jain-16": panels.jain(f"(a) Jain's index, {name}, 16 senders", *labels),
        "b-queue-16": panels.queue(f"(b) Queue, {name}, 16 senders", *labels),
        "c-jain-96": panels.jain(f"(c) Jain's index, {name}, 96 senders", renamed=larger),
        "d-queue-96": panels.queue(f"(d) Queue, {name}, 96 senders", renamed=larger, mean_of_us=50),
    }


SETUP = (
    "The incast of Fig. 1, and the same with 96 senders; there, too, two start every 20 µs, which "
    "the paper does not say."
)

FIGURE = Figure(
    id="fig5",
    title="Fairness and queue with Variable AI and Sampling Frequency, HPCC",
    where="Fig. 5; dissertation Figs. 4.5 and 4.6",
    setup=SETUP,
    runs=incasts(HPCCS),
    charts=charts("HPCC", HPCCS),
    claims=[
        fair("B03", "HPCC", HPCCS),
        _hpcc_queue(),
        fair_large("B07", "HPCC", HPCCS, STARTS_DECIDE),
        _hpcc_queue_large(),
    ],
)
