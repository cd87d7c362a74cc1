"""Percentiles as all figures of a run have them, for numbers that a program chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["percentile"]


def percentile(values: ArrayLike, percent: float) -> float:
    """A percentile as all figures of a run have it: of n sorted values the one at index
    min(n - 1, ⌊n·p⌋), so one that occurred. Missing values (nan), as of flows that had not
    completed, are left out; it is missing if there are no others.

    Args:
        values: Numbers, such as ``results["slowdown"]``.
        percent: Which, from 0 to 100: 99, or 99.9.

    Raises:
        ValueError: It is not from 0 to 100.
    """
    import numpy as np

    from incast.measure import series

    if not 0 <= percent <= 100:
        raise ValueError(f"percentile: {percent} is not from 0 to 100; give e.g. 99.9")
    numbers = np.asarray(values, dtype=float).ravel()
    return series.percentile(numbers[~np.isnan(numbers)], percent)
