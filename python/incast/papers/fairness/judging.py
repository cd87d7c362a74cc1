"""What the paper's words are taken to mean, said once for all its figures."""

from __future__ import annotations

from collections.abc import Callable

from incast.measures import slowdown_percentile
from incast.papers.conditions import Condition
from incast.papers.paper import Runs, Values
from incast.results import Results

__all__ = [
    "BDP",
    "LARGE",
    "NEAR_ZERO",
    "SEVERAL",
    "SEVERAL_HUNDRED_US",
    "SMALL",
    "each",
    "large_median",
    "large_tail",
    "small_tail",
    "trend_gone",
]

LARGE = 1e6
"""Bytes: the paper's 'long flows' are larger than 1 MB."""
SMALL = 100e3
"""Bytes: what counts as a small flow, about two BDPs of a rack."""
SEVERAL = 3
"""'Several times'."""
SEVERAL_HUNDRED_US = 300e-6
"""Seconds: 'several hundred microseconds' are at least three hundred."""
BDP = 52e3
"""Bytes, of the star: 4.16 µs at 100 Gb/s."""
NEAR_ZERO = BDP / 10
"""Bytes: a queue 'near zero' delays by no more than a tenth of the base RTT."""


def each(measure: Callable[[Results], float], *labels: str) -> Callable[[Runs], Values]:
    """The same number of each of these runs."""
    return lambda runs: {label: measure(runs[label]) for label in labels}


def large_tail(run: Results) -> float:
    """p99.9 of the slowdown of flows larger than 1 MB."""
    return slowdown_percentile(run, 99.9, above=LARGE)


def large_median(run: Results) -> float:
    """Median slowdown of flows larger than 1 MB."""
    return slowdown_percentile(run, 50, above=LARGE)


def small_tail(run: Results) -> float:
    """p99.9 of the slowdown of flows up to 100 KB."""
    return slowdown_percentile(run, 99.9, up_to=SMALL)


def trend_gone(default: str, variant: str) -> Condition:
    """Of slopes of finish over start: the variant falls a quarter as steeply as the default at
    most, or rises.
    """
    return lambda values: values[variant] >= min(values[default], 0) / 4
