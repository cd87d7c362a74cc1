"""Confidence intervals of a number: over runs with different seeds, or over the time of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from incast.measure.series import Array

__all__ = [
    "Average",
    "Interval",
    "Median",
    "bounds",
    "log_half_width",
    "over_time",
    "student_quantile",
]

_FEWEST_BLOCKS = 5


@dataclass(frozen=True)
class Average:
    """A number with its 95 % confidence interval; for several runs, the mean of their numbers."""

    mean: float
    half_width: float
    """Half the width of the interval; missing (NaN) with one run."""

    @staticmethod
    def of(values: Sequence[float]) -> Average:
        """The average of the numbers of runs with different seeds, with Student's interval."""
        count = len(values)
        if count < 2:
            return Average(float(np.mean(values)), float("nan"))
        spread = float(np.std(values, ddof=1)) / count**0.5
        return Average(float(np.mean(values)), student_quantile(0.975, count - 1) * spread)


@dataclass(frozen=True)
class Interval:
    """The mean of a number over runs with different seeds, with its 95 % confidence interval."""

    mean: float
    low: float
    """Lower end of the interval; missing (NaN) with one run."""
    high: float
    count: int
    """The number of runs that have the number."""

    def not_below(self, lowest: float) -> Interval:
        """The same interval, cut at the lowest value that the number can have. The mean cannot lie
        in the part that is cut off, so the confidence stays the same.
        """
        return replace(self, low=max(self.low, lowest)) if self.low == self.low else self

    @staticmethod
    def student(values: Sequence[float]) -> Interval:
        """The mean with Student's interval. Missing values (NaN) are left out."""
        present = [value for value in values if value == value]
        if not present:
            return Interval(float("nan"), float("nan"), float("nan"), 0)
        found = Average.of(present)
        ends = (found.mean - found.half_width, found.mean + found.half_width)
        return Interval(found.mean, *ends, len(present))


@dataclass(frozen=True)
class Median:
    """The median of a number over runs with different seeds, with its range."""

    median: float
    lowest: float
    highest: float

    @staticmethod
    def of(values: Sequence[float]) -> Median:
        """The median of the numbers; missing (NaN) if there are none, or if one of them is
        missing.
        """
        numbers = np.asarray(values, dtype=float)
        if not len(numbers) or np.isnan(numbers).any():
            return Median(float("nan"), float("nan"), float("nan"))
        # `np.median` would give NaN for two infinite values; their mean is infinite.
        ordered = np.sort(numbers)
        low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
        middle = low if low == high else (low + high) / 2
        return Median(float(middle), float(ordered[0]), float(ordered[-1]))


def log_half_width(runs: Array) -> Array:
    """Half the width of Student's 95 % interval of the mean logarithm, for each column of positive
    numbers, with a row for each run. Missing (NaN) where a number is missing.
    """
    count = len(runs)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviations = np.std(np.log(runs), axis=0, ddof=1)
    return np.asarray(student_quantile(0.975, count - 1) * deviations / count**0.5)


def student_quantile(probability: float, degrees: int) -> float:
    """The quantile of Student's t distribution with `degrees` degrees of freedom."""
    # Imported only when an interval is asked for. `scipy.stats` has this function, too, but takes a
    # second to import.
    from scipy.special import stdtrit

    return float(stdtrit(degrees, probability))


def bounds(averages: Sequence[Average]) -> tuple[Array, Array]:
    """Lower and upper ends of intervals."""
    means = np.array([each.mean for each in averages])
    widths = np.array([each.half_width for each in averages])
    return means - widths, means + widths


def over_time(
    starts: Array,
    statistic: Callable[[Array], float],
    *,
    block: float,
    resamples: int = 200,
) -> Average:
    """A statistic of one long run's flows, with a 95 % interval from a block bootstrap. The time of
    the run is cut into blocks, and each resample draws as many blocks with replacement. Flows of
    one block stay together, which keeps correlations that are shorter than a block (H. R. Künsch,
    The Jackknife and the Bootstrap for General Stationary Observations, 1989). The half width is
    the bootstrap's standard error times Student's quantile for the number of blocks. It is missing
    (NaN) with fewer than five blocks.

    Args:
        starts: The start time of each flow, in any unit.
        statistic: Gives the number for a sample of flows, from their indices.
        block: The length of a block, in the unit of `starts`.
        resamples: The number of resamples.
    """
    if not len(starts):
        return Average(float("nan"), float("nan"))
    value = statistic(np.arange(len(starts)))
    blocks = round(float(starts.max() - starts.min()) / block)
    if blocks < _FEWEST_BLOCKS:
        return Average(value, float("nan"))
    ends = np.linspace(starts.min(), starts.max(), blocks + 1)[1:-1]
    block_of = np.searchsorted(ends, starts, side="right")
    order = np.argsort(block_of, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(block_of, minlength=blocks))[:-1])
    rng = np.random.default_rng(1)
    found = [
        statistic(np.concatenate([members[each] for each in rng.integers(blocks, size=blocks)]))
        for _ in range(resamples)
    ]
    return Average(value, student_quantile(0.975, blocks - 1) * float(np.std(found, ddof=1)))
