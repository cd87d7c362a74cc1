"""Compares two sets of runs, paired by seed: the ratio of a number, and its confidence interval.

Runs with the same seed have the same flows, so the seed's effect cancels out of their ratio::

    d_i = ln(x_i / y_i)                          of seed i
    ratio = exp(mean d)                          the geometric mean
    interval = exp(mean d ± t(0.975, n − 1) · s / √n)

with s the standard deviation of the d_i (Student 1908). Five seeds are the fewest for an interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from incast.measure.statistics import student_quantile

__all__ = ["FEWEST_SEEDS", "MOST_SEEDS", "PairedRatio", "seeds_to_tell", "told"]

FEWEST_SEEDS = 5
"""The fewest seeds for an interval."""
MOST_SEEDS = 10_000
"""The most seeds that are recommended. If more are needed, no number is given."""
_LEVEL = 0.95
_POWER = 0.8


@dataclass(frozen=True)
class PairedRatio:
    """The geometric mean of a number's ratio to the baseline's, paired by seed, with its 95 %
    interval.
    """

    ratio: float
    """Missing (NaN) if no seed has both numbers, or if one of them is infinite or not above 0."""
    low: float
    """Lower end of the interval; missing (NaN) with fewer than five seeds."""
    high: float
    seeds: int
    """Seeds that have both numbers."""
    zeros: int
    """Seeds without a ratio, because one of the two numbers is 0, negative or infinite."""
    deviation: float
    """Standard deviation of the logarithms of the ratios; missing (NaN) with one seed."""
    equal: bool = False
    """Whether the two numbers are equal with every seed; both may be 0."""
    beyond: int = 0
    """Seeds for which one of the two numbers is negative or infinite."""
    cut: bool = False
    """Whether late flows could undo the difference: then the two are not told apart."""
    alike: bool = False
    """Whether all of several seeds give the same two numbers, so that seeds add no information."""

    @staticmethod
    def of(values: Sequence[float], base: Sequence[float], *, cut: bool = False) -> PairedRatio:
        """The ratio of numbers to the baseline's, paired by seed. Pairs with a missing number (NaN)
        are left out.

        Args:
            values: A number for each seed.
            base: The baseline's number for each seed, in the same order.
            cut: Whether late flows could move some of the numbers without limit.
        """
        pairs = [(x, y) for x, y in zip(values, base, strict=True) if x == x and y == y]
        count = len(pairs)
        zeros = sum(not (0 < x < math.inf and 0 < y < math.inf) for x, y in pairs)
        beyond = sum(not (0 <= x < math.inf and 0 <= y < math.inf) for x, y in pairs)
        equal = count > 0 and all(x == y for x, y in pairs)
        alike = count > 1 and len(set(pairs)) == 1
        missing = float("nan")
        if zeros or not count:
            none = missing, missing, missing
            return PairedRatio(*none, count, zeros, missing, equal, beyond, cut, alike)
        logs = [math.log(x) - math.log(y) for x, y in pairs]
        mean = math.fsum(logs) / count
        if count == 1:
            return PairedRatio(math.exp(mean), missing, missing, count, 0, missing, equal, cut=cut)
        deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in logs) / (count - 1))
        half = _half_width(deviation, count) if count >= FEWEST_SEEDS else missing
        ends = math.exp(mean - half), math.exp(mean + half)
        return PairedRatio(math.exp(mean), *ends, count, 0, deviation, equal, cut=cut, alike=alike)

    def between(self, lowest: PairedRatio, highest: PairedRatio) -> PairedRatio:
        """The same ratio, marked as `cut` unless both bounds show the same difference.

        Args:
            lowest: The ratio with late flows at one end of their range.
            highest: The ratio with late flows at the other end.
        """
        holds = (self.low > 1 and lowest.low > 1) or (self.high < 1 and highest.high < 1)
        return replace(self, cut=self.cut or (self.is_different and not holds))

    @property
    def has_interval(self) -> bool:
        """Whether there are enough seeds for an interval."""
        return self.low == self.low

    @property
    def is_different(self) -> bool:
        """Whether the interval leaves out 1, and late flows could not undo that."""
        return not self.cut and (self.low > 1 or self.high < 1)

    def is_within(self, difference: float) -> bool:
        """Whether the whole interval is closer to 1 than a relative difference: from 1/(1 +
        difference) to 1 + difference. That is the same whichever of the two is the baseline.
        """
        return 1 / (1 + difference) < self.low and self.high < 1 + difference

    def seeds_to_tell(self, difference: float) -> int | None:
        """The total number of seeds that would detect a relative difference: see
        :func:`seeds_to_tell`.
        """
        return seeds_to_tell(self.deviation, self.seeds, difference)


def seeds_to_tell(deviation: float, of: int, difference: float) -> int | None:
    """The fewest seeds with which a comparison detects a true relative difference with a power of
    80 %, at 95 % confidence. ``None`` if more than ten thousand are needed.

    The deviation is estimated from few seeds, and may be too low by chance. To hold the power on
    average over such estimates, it is taken from a noncentral t distribution with the degrees of
    freedom of the estimate (S. A. Julious and R. J. Owen, Sample size calculations for clinical
    studies allowing for uncertainty about the variance, 2006)::

        P[t(m, t(0.975, N − 1)) ≤ ln(1 + difference) · √N / deviation] ≥ 0.8,   m = of − 1

    Args:
        deviation: Standard deviation of the logarithms of ratios.
        of: The number of seeds in that estimate, at least two.
        difference: The true difference to detect, such as 0.05.
    """
    from scipy.special import nctdtr

    if deviation == 0:
        return FEWEST_SEEDS

    def finds(seeds: int) -> bool:
        reach = math.log1p(difference) * math.sqrt(seeds) / deviation
        return bool(nctdtr(of - 1, _quantile(seeds), min(reach, 1e3)) >= _POWER)

    if not finds(MOST_SEEDS):
        return None
    low, high = FEWEST_SEEDS - 1, MOST_SEEDS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if finds(middle) else (middle, high)
    return high


def told(found: PairedRatio, difference: float) -> dict[str, Any]:
    """A ratio as plain values for programs; missing numbers are ``None``.

    Args:
        found: The ratio.
        difference: The relative difference for which ``seeds_to_tell`` is given.
    """
    numbers = {"ratio": found.ratio, "low": found.low, "high": found.high}
    return {
        **{name: number if number == number else None for name, number in numbers.items()},
        "seeds": found.seeds,
        "zeros": found.zeros,
        "cut": found.cut,
        "seeds_alike": found.alike,
        "different": found.is_different if found.has_interval and not found.cut else None,
        "seeds_to_tell": (
            found.seeds_to_tell(difference) if found.deviation == found.deviation else None
        ),
    }


def _half_width(deviation: float, count: int) -> float:
    """Half the width of Student's confidence interval of a mean."""
    return _quantile(count) * deviation / math.sqrt(count)


@lru_cache(maxsize=1024)
def _quantile(count: int) -> float:
    """Student's t quantile for the interval of `count` seeds."""
    return student_quantile((1 + _LEVEL) / 2, count - 1)
