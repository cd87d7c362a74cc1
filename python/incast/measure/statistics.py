"""Means of a number over runs with different seeds, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Average"]


@dataclass(frozen=True)
class Average:
    """The mean of a number over runs with different seeds, and its 95 % confidence interval."""

    mean: float
    half_width: float
    """Of Student's interval; missing (nan) if there is one run only."""

    @staticmethod
    def of(values: Sequence[float]) -> Average:
        """The average of the numbers of some runs."""
        count = len(values)
        if count < 2:
            return Average(float(np.mean(values)), float("nan"))
        # SciPy takes a moment to load: only where an interval is asked for.
        from scipy import stats

        spread = float(np.std(values, ddof=1)) / count**0.5
        return Average(float(np.mean(values)), float(stats.t.ppf(0.975, count - 1)) * spread)
