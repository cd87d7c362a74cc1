"""Sections VI and VII: throughput of long flows, and queues, in datacenter traffic and incasts."""

from __future__ import annotations

import numpy as np
from incast.measure.metrics import queue_mean
from incast.measure.run import Run
from incast.measure.series import Array
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs
from incast.present.units import bytes_text, rate_text
from incast.time_units import PICOSECOND

from incast_papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast_papers.fairness.metrics import LARGE, each
from incast_papers.fairness.networks import hadoop, stars
from incast_papers.fairness.words import WORDS

_SENDERS = (16, 96)
_PAIRS = {"hpcc": (HPCC, HPCC_VAI_SF), "swift": (SWIFT, SWIFT_VAI_SF)}


def _mean_throughput(run: Run) -> float:
    """Mean throughput of flows above 1 MB, in bit/s."""
    bits, seconds = _long_flows(run)
    return float(np.mean(bits / seconds))


def _all_throughput(run: Run) -> float:
    """Bits of all flows above 1 MB over the sum of their completion times."""
    bits, seconds = _long_flows(run)
    return float(bits.sum() / seconds.sum())


def _long_flows(run: Run) -> tuple[Array, Array]:
    """For each flow above 1 MB, its bits and its completion time in seconds."""
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

    return WORDS.claim(
        number,
        measure=measure,
        holds=lambda values: better(values, "mean") and better(values, "together"),
        trend=lambda values: better(values, "mean") or better(values, "together"),
        show=rate_text,
    )


def incast_labels(*labels: str) -> list[str]:
    """Labels of the incasts under these algorithms, by number of senders."""
    return [_incast(label, senders) for senders in _SENDERS for label in labels]


def _incast(label: str, senders: int) -> str:
    return f"{label}, {senders} senders"


def _in_incasts(number: str, default: str, label: str) -> Claim:
    labels = incast_labels(default, label)

    def longer(values: Values) -> float:
        return max(values[_incast(label, n)] / values[_incast(default, n)] for n in _SENDERS)

    return WORDS.claim(
        number,
        measure=each(queue_mean, *labels),
        holds=lambda values: longer(values) <= 1.1,
        trend=lambda values: longer(values) <= 1.5,
        show=bytes_text,
    )


def _incasts() -> dict[str, RunPlan]:
    labels = [label for pair in _PAIRS.values() for label in pair]
    return {
        _incast(label, senders): run
        for senders in _SENDERS
        for label, run in stars(*labels, senders=senders).items()
    }


def _same_queue(number: str, default: str, label: str) -> Claim:
    return WORDS.claim(
        number,
        measure=each(_queue, default, label),
        holds=lambda values: values[label] <= 1.1 * values[default],
        trend=lambda values: values[label] <= 1.5 * values[default],
        show=bytes_text,
    )


FIGURE = WORDS.figure(
    "sec7",
    runs=lambda scale: {**hadoop(scale, HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF), **_incasts()},
    claims=[
        *(_faster(f"B33-{name}", *pair) for name, pair in _PAIRS.items()),
        *(_same_queue(f"B34-{name}", *pair) for name, pair in _PAIRS.items()),
        _in_incasts("B34-hpcc-incast", HPCC, HPCC_VAI_SF),
        _in_incasts("B34-swift-incast", SWIFT, SWIFT_VAI_SF),
    ],
)
