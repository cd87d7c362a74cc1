"""The flows that count in a run's statistics of FCT, and which of their percentiles are known.

Of open-loop traffic, the flows that start while the network is steady count;
docs/results/which-flows-count.md has the rule. A counted flow is **late** if it was unfinished when
arrivals ended. Had arrivals gone on, its FCT would be larger; how much is unknown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array, percentile

__all__ = ["Counted", "counted", "is_counted", "is_late", "share_by_then"]


class Counted(NamedTuple):
    """Values of counted flows, and bounds on the values of late flows."""

    values: Array
    """The values of flows that completed."""
    late: Array
    """For each value, whether its flow is late."""
    unfinished: int = 0
    """Number of counted flows that did not complete; they have no value."""
    limit: float = np.inf
    """The value to which a late flow could move at most; 0 for a goodput."""
    by_then: Array | None = None
    """The values if late flows took only the time until arrivals ended; by default, `values`."""
    unfinished_by_then: float = 0.0
    """The value of unfinished flows at the end of arrivals: a bound that holds for all of them."""

    @property
    def late_share(self) -> float:
        """The share of counted flows that are late; 0 if no flow counts."""
        return float(self.late.sum() + self.unfinished) / max(len(self.late) + self.unfinished, 1)

    def ends(self, percent: float) -> tuple[float, float]:
        """The range in which a percentile lies. One end has late flows take the time until arrivals
        ended, the other end has late flows at `limit`.
        """
        by_then = self.values if self.by_then is None else self.by_then
        rest = np.full(self.unfinished, 1.0)
        near = np.concatenate([by_then, rest * self.unfinished_by_then])
        far = np.concatenate([np.where(self.late, self.limit, self.values), rest * self.limit])
        found = percentile(near, percent), percentile(far, percent)
        return min(found), max(found)

    def percentile(self, percent: float) -> float:
        """The value at ⌊n·p⌋ of n sorted values, with unfinished flows at `limit`. Missing (NaN) if
        late flows could move it to `limit`.
        """
        unfinished = np.full(self.unfinished, self.limit)
        moved = np.where(self.late, self.limit, self.values)
        if percentile(np.concatenate([moved, unfinished]), percent) == self.limit:
            return float("nan")
        return percentile(np.concatenate([self.values, unfinished]), percent)


def is_counted(run: Run) -> Array:
    """For each completed flow, whether it counts in statistics of FCT."""
    flows = run.completed
    if "all_flows" not in run.summary:
        return np.ones(len(flows.numbers("size_bytes")), dtype=bool)
    return np.asarray(flows.numbers("counted") != 0)


def is_late(run: Run) -> Array:
    """For each completed flow, whether it counts and ended after the arrivals of its entry."""
    flows = run.completed
    late = np.zeros(len(flows.numbers("size_bytes")), dtype=bool)
    for traffic, end in _arrivals_ends(run).items():
        ends = flows.numbers("start_ps") + flows.numbers("fct_ps")
        late |= (flows.numbers("traffic") == traffic) & (ends > end)
    return late & is_counted(run)


def share_by_then(run: Run) -> Array:
    """For each late completed flow, the share of its FCT before the end of arrivals; 1 for other
    flows.
    """
    flows = run.completed
    starts, fcts = flows.numbers("start_ps"), flows.numbers("fct_ps")
    share = np.ones(len(starts))
    late = is_late(run)
    for traffic, end in _arrivals_ends(run).items():
        own = late & (flows.numbers("traffic") == traffic)
        share[own] = np.maximum(end - starts[own].astype(float), 0) / fcts[own]
    return share


def counted(run: Run, values: Array, chosen: Array, unfinished: Array) -> Counted:
    """The values of chosen flows that count.

    Args:
        run: The run.
        values: The value of each completed flow.
        chosen: For each completed flow, whether it is chosen.
        unfinished: For each unfinished flow, whether it is chosen.
    """
    kept = chosen & is_counted(run)
    return Counted(values[kept], is_late(run)[kept], int((unfinished & _cut(run)).sum()))


def _cut(run: Run) -> Array:
    """For each unfinished flow, whether it is late."""
    rest = slice(len(run.completed), None)
    flows = run.flows
    if len(flows) == len(run.completed) or "all_flows" not in run.summary:
        return np.zeros(len(flows) - len(run.completed), dtype=bool)
    open_loop = np.isin(flows.numbers("traffic")[rest], list(_arrivals_ends(run)))
    return np.asarray(open_loop & (flows.numbers("counted")[rest] != 0))


def _arrivals_ends(run: Run) -> dict[int, int]:
    """By traffic entry, when its arrivals ended; only entries of which not all flows count."""
    entries = run.summary.get("counted_flows", ())
    return {
        each["traffic"]: each["arrivals_until_ps"]
        for each in entries
        if each["from_ps"] is not None
    }
