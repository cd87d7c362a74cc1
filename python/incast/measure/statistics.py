"""How sure a number is: over runs with different seeds, or over the time of one long run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from incast.measure.series import Array

__all__ = ["Average", "over_time"]


@dataclass(frozen=True)
class Average:
    """A number with its 95 % confidence interval; of several runs, the mean of theirs."""

    mean: float
    half_width: float
    """Of the interval; missing (nan) if there is one run only."""

    @staticmethod
    def of(values: Sequence[float]) -> Average:
        """The average of the numbers of runs with different seeds, with Student's interval."""
        count = len(values)
        if count < 2:
            return Average(float(np.mean(values)), float("nan"))
        # SciPy takes a moment to load: only where an interval is asked for.
        from scipy import stats

        spread = float(np.std(values, ddof=1)) / count**0.5
        return Average(float(np.mean(values)), float(stats.t.ppf(0.975, count - 1)) * spread)

    def over(self, other: Average) -> Average:
        """The ratio to an independent number; its interval to first order in both."""
        ratio = self.mean / other.mean
        relative = math.hypot(self.half_width / self.mean, other.half_width / other.mean)
        return Average(ratio, abs(ratio) * relative)


def over_time(
    starts: Array,
    statistic: Callable[[Array], float],
    *,
    blocks: int = 50,
    resamples: int = 100,
) -> Average:
    """A statistic of one long run's flows, with a 95 % interval from a block bootstrap: the time
    of the run is cut into blocks, and as many blocks are drawn with replacement, again and again.
    Flows of one block stay together, so bursts and queues shorter than a block keep their weight
    (H. R. Künsch, The Jackknife and the Bootstrap for General Stationary Observations, 1989).

    Args:
        starts: When each flow starts, in any unit.
        statistic: The number, given the places of the flows that were drawn.
        blocks: Blocks of equal length.
        resamples: How often blocks are drawn.
    """
    from scipy import stats

    ends = np.linspace(starts.min(), starts.max(), blocks + 1)[1:-1]
    block_of = np.searchsorted(ends, starts, side="right")
    order = np.argsort(block_of, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(block_of, minlength=blocks))[:-1])

    def drawn(chosen: Array) -> float:
        return statistic(np.concatenate([members[block] for block in chosen.astype(int)]))

    found = stats.bootstrap(
        (np.arange(blocks),),
        drawn,
        vectorized=False,
        n_resamples=resamples,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    quantile = float(stats.norm.ppf(0.975))
    return Average(statistic(np.arange(len(starts))), quantile * float(found.standard_error))
