"""Sections VI and VII: throughput of long flows, and queues, in datacenter traffic and incasts."""

from __future__ import annotations

import numpy as np

from incast.measure.metrics import queue_mean
from incast.measure.run import Run
from incast.measure.series import Array
from incast.papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.metrics import LARGE, SETTLED, each
from incast.papers.fairness.networks import DATACENTER_SCALED, hadoop, stars
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure, RunPlan, Runs
from incast.present.units import bytes_text, rate_text
from incast.time_units import PICOSECOND

_SENDERS = (16, 96)
_STILL_SHORT = (
    "Queues are at least twice as long, and short all the same: with 16 senders less than a tenth "
    "of the BDP (B05)."
)
_PAIRS = {"hpcc": (HPCC, HPCC_VAI_SF), "swift": (SWIFT, SWIFT_VAI_SF)}


def _mean_throughput(run: Run) -> float:
    """Mean throughput of flows above 1 MB, in bit/s."""
    bits, seconds = _long_flows(run)
    return float(np.mean(bits / seconds))


def _all_throughput(run: Run) -> float:
    """Bits of flows above 1 MB over the time that they took together."""
    bits, seconds = _long_flows(run)
    return float(bits.sum() / seconds.sum())


def _long_flows(run: Run) -> tuple[Array, Array]:
    """Their bits, and the seconds that they took."""
    sizes = run.completed.numbers("size_bytes")
    large = sizes > LARGE
    return sizes[large] * 8, run.completed.numbers("fct_ps")[large] * PICOSECOND


def _queue(run: Run) -> float:
    return float(run.summary["queue_bytes"]["mean"])


def _faster(number: str, default: str, label: str) -> Claim:
    means, together = each(_mean_throughput, default, label), each(_all_throughput, default, label)

    def measure(runs: Runs) -> Measured:
        return {
            **{f"{name}, mean": value for name, value in means(runs).items()},
            **{f"{name}, together": value for name, value in together(runs).items()},
        }

    def better(values: Values, kind: str) -> bool:
        return values[f"{label}, {kind}"] > values[f"{default}, {kind}"]

    return Claim(
        number,
        f"{label} improves the throughput of long flows",
        where="§VI; dissertation §4.3",
        claimed="improves",
        metric="throughput of flows above 1 MB: mean of size over FCT; all sizes over all FCTs "
        "('together')",
        measure=measure,
        holds=lambda values: better(values, "mean") and better(values, "together"),
        trend=lambda values: better(values, "mean") or better(values, "together"),
        tolerance="none: both more, in the median of the seeds; as a trend, one of them",
        kind=Kind.TREND,
        full_only=True,
        show=rate_text,
        explanation="A mean over flows prefers unfair shares: a flow that has the link alone "
        "counts as much as all those that wait for it.",
    )


def incast_labels(*labels: str) -> list[str]:
    """Labels of the incasts under these algorithms, from few to many senders."""
    return [_incast(label, senders) for senders in _SENDERS for label in labels]


def _incast(label: str, senders: int) -> str:
    return f"{label}, {senders} senders"


def _in_incasts(number: str, default: str, label: str, explanation: Text) -> Claim:
    labels = incast_labels(default, label)

    def longer(values: Values) -> float:
        return max(values[_incast(label, n)] / values[_incast(default, n)] for n in _SENDERS)

    return Claim(
        number,
        f"{label} has almost no effect on queues during incasts",
        where="§VII",
        claimed="almost no impact",
        metric=f"mean queue, {SETTLED}",
        measure=each(queue_mean, *labels),
        holds=lambda values: longer(values) <= 1.1,
        trend=lambda values: longer(values) <= 1.5,
        tolerance="as in datacenter traffic: at most 10 % longer, with 16 and with 96 senders; as "
        "a trend, half as long again",
        kind=Kind.TREND,
        show=bytes_text,
        explanation=explanation,
    )


def _incasts() -> dict[str, RunPlan]:
    labels = [label for pair in _PAIRS.values() for label in pair]
    return {
        _incast(label, senders): run
        for senders in _SENDERS
        for label, run in stars(*labels, senders=senders).items()
    }


def _same_queue(number: str, default: str, label: str) -> Claim:
    return Claim(
        number,
        f"{label} has almost no effect on queues in datacenter traffic",
        where="§VII",
        claimed="almost no impact",
        metric="mean queue depth of all switch ports over the run, median (range) of the seeds",
        measure=each(_queue, default, label),
        holds=lambda values: values[label] <= 1.1 * values[default],
        trend=lambda values: values[label] <= 1.5 * values[default],
        tolerance="at most 10 % longer; as a trend, half as long again",
        kind=Kind.TREND,
        full_only=True,
        show=bytes_text,
    )


FIGURE = Figure(
    id="sec7",
    title="Throughput and queues in datacenter traffic",
    where="§VI, §VII",
    setup="The runs of Fig. 10, and for queues the incasts of Figs. 5 and 6.",
    scaled=DATACENTER_SCALED,
    runs=lambda scale: {**hadoop(scale, HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF), **_incasts()},
    claims=[
        *(_faster(f"B33-{name}", *pair) for name, pair in _PAIRS.items()),
        *(_same_queue(f"B34-{name}", *pair) for name, pair in _PAIRS.items()),
        _in_incasts("B34-hpcc-incast", HPCC, HPCC_VAI_SF, _STILL_SHORT),
        _in_incasts("B34-swift-incast", SWIFT, SWIFT_VAI_SF, ""),
    ],
)
