"""Percentiles of a program's own numbers, by the definition of a run's key figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["percentile"]


def percentile(values: ArrayLike, percent: float) -> float:
    """A percentile by the definition of a run's key figures: of n sorted values the one at index
    min(n - 1, ⌊n·p⌋), so always a value that occurred. Missing values (NaN), such as the FCT of
    unfinished flows, are left out. Without any value the percentile is NaN.

    Args:
        values: Numbers, such as ``results["slowdown"]``.
        percent: The percentile, from 0 to 100, such as 99 or 99.9.

    Raises:
        ValueError: ``percent`` is not from 0 to 100.
    """
    import numpy as np

    from incast.measure import series

    if not 0 <= percent <= 100:
        raise ValueError(f"percentile: {percent} is not from 0 to 100; give e.g. 99.9")
    numbers = np.asarray(values, dtype=float).ravel()
    return series.percentile(numbers[~np.isnan(numbers)], percent)
