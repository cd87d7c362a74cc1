"""FCT slowdown over flow size as HPCC's paper and its followers plot it: flows sorted by size, in a
hundred groups of equal count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incast.measure.run import Run, Runs
from incast.measure.series import Array, in_classes, slowdown_by_size
from incast.measure.statistics import Median
from incast.papers import seeds

__all__ = ["Points"]


@dataclass(frozen=True)
class Points:
    """A percentile of FCT slowdown by flow size, for one or several seeds."""

    sizes: Array
    """The size of the largest flow in each group, in bytes."""
    values: Array
    """The percentile by seed (rows) and group (columns)."""

    @staticmethod
    def of(runs: Runs, label: str, percentile: float) -> Points:
        """The points of a label's runs. The first seed's flows determine the groups."""
        first, *others = seeds.of(runs, label)
        groups = slowdown_by_size(first.completed, [percentile])
        rows = [groups.percentiles[percentile]]
        rows += [_row(run, groups.largest_bytes, percentile) for run in others]
        return Points(groups.largest_bytes, np.array(rows))

    def over(self, other: Points) -> Points:
        """Ratios to another label's points, paired by seed, as equal seeds have equal flows."""
        return Points(self.sizes, self.values / other.values)

    def beyond(self, size: float) -> Points:
        """The points of groups whose largest flow exceeds `size` bytes."""
        chosen = self.sizes > size
        return Points(self.sizes[chosen], self.values[:, chosen])

    def up_to(self, size: float) -> Points:
        """The points of groups whose largest flow has at most `size` bytes."""
        chosen = self.sizes <= size
        return Points(self.sizes[chosen], self.values[:, chosen])

    def medians(self) -> list[Median]:
        """The median of each point, over the seeds."""
        return [Median.of(column) for column in self.values.T]


def _row(run: Run, edges: Array, percentile: float) -> Array:
    flows = run.completed
    return in_classes(flows.numbers("size_bytes"), flows.numbers("slowdown"), edges, percentile)
