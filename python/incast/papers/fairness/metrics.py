"""Meanings of the paper's words, as metrics and bounds, for all its figures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from incast.measure.metrics import slowdown_percentile
from incast.measure.run import Run
from incast.measure.series import curves
from incast.papers.framework.conditions import Condition, at_most
from incast.papers.framework.paper import Claim, Kind, Runs, Values

__all__ = [
    "BDP",
    "EVERY_ACK_DRAWS",
    "LARGE",
    "LAST_FIRST",
    "LAST_FIRST_WHY",
    "NEAR_ZERO",
    "RANGE_SLACK",
    "RANGE_WHY",
    "SEVERAL",
    "SEVERAL_HUNDRED_US",
    "SMALL",
    "TREND_GONE_WHY",
    "each",
    "jain_bounds",
    "large_median",
    "large_tail",
    "medians_against",
    "same_median",
    "small_tail",
    "trend_gone",
    "trend_halved",
]

LARGE = 1e6
"""Bytes: the paper's 'long flows' are larger than 1 MB."""
SMALL = 100e3
"""Bytes: the size of a small flow, about two BDPs of a rack."""
SEVERAL = 3
"""'Several times'."""
SEVERAL_HUNDRED_US = 300e-6
"""Seconds: 'several hundred microseconds' are at least three hundred."""
BDP = 52e3
"""Bytes, of the star: 4.16 µs at 100 Gb/s."""
NEAR_ZERO = BDP / 10
"""Bytes: a queue 'near zero' delays by no more than a tenth of the base RTT."""


def each(measure: Callable[[Run], float], *labels: str) -> Callable[[Runs], Values]:
    """One metric of each of these runs."""
    return lambda runs: {label: measure(runs[label]) for label in labels}


def large_tail(run: Run) -> float:
    """p99.9 of the slowdown of flows larger than 1 MB."""
    return slowdown_percentile(run, 99.9, above=LARGE)


def large_median(run: Run) -> float:
    """Median slowdown of flows larger than 1 MB."""
    return slowdown_percentile(run, 50, above=LARGE)


def small_tail(run: Run) -> float:
    """p99.9 of the slowdown of flows up to 100 KB."""
    return slowdown_percentile(run, 99.9, up_to=SMALL)


LAST_FIRST = at_most(-1)
"""A condition on slopes of finish over start: flows that start last finish first."""
LAST_FIRST_WHY = (
    "slope of finish over start at most −1, a µs sooner for each µs later: a flatter line would "
    "not be called a trend"
)
TREND_GONE_WHY = (
    "no steeper downwards than a quarter of the default's slope: 'eliminates' leaves no more than "
    "that; as a trend, half as steep"
)
EVERY_ACK_DRAWS = (
    "An ignored ACK leaves the next one to draw again, so even a slow flow soon heeds one, and "
    "only part of the trend goes; drawn once per RTT, the other reading, it goes."
)
"""The reason for which probabilistic feedback removes part of the trend only."""


def trend_halved(default: str, variant: str) -> Condition:
    """The variant falls half as steeply as the default at most."""
    return lambda values: values[variant] >= values[default] / 2


def trend_gone(default: str, variant: str) -> Condition:
    """A condition on slopes of finish over start: the variant falls a quarter as steeply as the
    default at
    most, or rises.
    """
    return lambda values: values[variant] >= min(values[default], 0) / 4


RANGE_SLACK = 0.2
RANGE_WHY = "20 % beyond the range: it was read off the curves of one seed"


_CLASSES = {
    "≤ 10 KB": (0, 10e3),
    "10–100 KB": (10e3, 100e3),
    "100 KB–1 MB": (100e3, 1e6),
    "> 1 MB": (1e6, float("inf")),
}


def medians_against(default: str, variant: str) -> Callable[[Runs], Values]:
    """The variant's median slowdown over the default's, by class of size."""
    return lambda runs: {
        name: slowdown_percentile(runs[variant], 50, above=low, up_to=high)
        / slowdown_percentile(runs[default], 50, above=low, up_to=high)
        for name, (low, high) in _CLASSES.items()
    }


def jain_bounds(runs: Runs) -> Values:
    """The smallest Jain's index times the number of flows, and the largest, over all samples."""
    smallest, largest = float("inf"), 0.0
    for run in runs.values():
        ((times, index),) = curves(run.series, "jain_index").values()
        ((every, alive),) = curves(run.series, "active_flows").values()
        flows = alive[np.searchsorted(every, times)]
        smallest = min(smallest, float((index * flows).min()))
        largest = max(largest, float(index.max()))
    return {"smallest · N": smallest, "largest": largest}


def same_median(number: str, default: str, label: str) -> Claim:
    """The claim that medians under `label` are no worse than under `default`."""
    return Claim(
        number,
        f"{label} does not make medians worse than {default}'s",
        claimed="no significant difference",
        measure=medians_against(default, label),
        holds=at_most(1.25),
        tolerance="at most a quarter larger in each of four classes of size: a curve beside "
        "another, not above it",
        kind=Kind.TREND,
        full_only=True,
        note="Values: median slowdown over the default's, by flow size.",
    )
