"""Which flows of a run statistics of FCT count, and which percentiles of theirs can be known.

Of open-loop traffic those count that start while the network is steady;
docs/results/which-flows-count.md has the rule. A counted flow that ended after arrivals did, or had
not ended, is **late**: with arrivals going on it would have taken longer than it had by then; how
much is not known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array, percentile

__all__ = ["Counted", "counted", "is_counted", "is_late", "share_by_then"]


class Counted(NamedTuple):
    """Values of flows, and what is known of those that are late."""

    values: Array
    """The values of flows that completed."""
    late: Array
    """Whether each of them is late."""
    unfinished: int = 0
    """Counted flows beside them that had not completed."""
    limit: float = np.inf
    """What late ones could move their values to: 0 of a goodput."""
    by_then: Array | None = None
    """What is known of the values, if late ones are as far as they were when arrivals ended."""
    unfinished_by_then: float = 0.0
    """The same for flows that had not completed, as far as it is known for any flow."""

    @property
    def late_share(self) -> float:
        """The share of counted flows that is late; 0 if there are none."""
        return float(self.late.sum() + self.unfinished) / max(len(self.late) + self.unfinished, 1)

    def ends(self, percent: float) -> tuple[float, float]:
        """Between which values a percentile lies: with late flows as far as they were when arrivals
        ended, and with late flows at the limit.
        """
        by_then = self.values if self.by_then is None else self.by_then
        rest = np.full(self.unfinished, 1.0)
        near = np.concatenate([by_then, rest * self.unfinished_by_then])
        far = np.concatenate([np.where(self.late, self.limit, self.values), rest * self.limit])
        found = percentile(near, percent), percentile(far, percent)
        return min(found), max(found)

    def percentile(self, percent: float) -> float:
        """The value at ⌊n·p⌋ of n sorted ones, those that had not completed at the limit; missing
        (nan) if late ones could move it as far as there.
        """
        unfinished = np.full(self.unfinished, self.limit)
        moved = np.where(self.late, self.limit, self.values)
        if percentile(np.concatenate([moved, unfinished]), percent) == self.limit:
            return float("nan")
        return percentile(np.concatenate([self.values, unfinished]), percent)


def is_counted(run: Run) -> Array:
    """For each completed flow whether statistics of FCT count it."""
    flows = run.completed
    if "all_flows" not in run.summary:
        return np.ones(len(flows.numbers("size_bytes")), dtype=bool)
    return np.asarray(flows.numbers("counted") != 0)


def is_late(run: Run) -> Array:
    """For each completed flow whether it counts and ended after the arrivals of its entry."""
    flows = run.completed
    late = np.zeros(len(flows.numbers("size_bytes")), dtype=bool)
    for traffic, end in _arrivals_ends(run).items():
        ends = flows.numbers("start_ps") + flows.numbers("fct_ps")
        late |= (flows.numbers("traffic") == traffic) & (ends > end)
    return late & is_counted(run)


def share_by_then(run: Run) -> Array:
    """For each completed flow the part of its FCT that had passed when arrivals ended, if it is
    late; 1 of others.
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
    """The counted ones among the chosen flows.

    Args:
        run: The run.
        values: Of each completed flow.
        chosen: Which completed flows are chosen.
        unfinished: Which of the flows that had not completed are.
    """
    kept = chosen & is_counted(run)
    return Counted(values[kept], is_late(run)[kept], int((unfinished & _cut(run)).sum()))


def _cut(run: Run) -> Array:
    """For each flow that had not completed whether it is late."""
    rest = slice(len(run.completed), None)
    flows = run.flows
    if len(flows) == len(run.completed) or "all_flows" not in run.summary:
        return np.zeros(len(flows) - len(run.completed), dtype=bool)
    open_loop = np.isin(flows.numbers("traffic")[rest], list(_arrivals_ends(run)))
    return np.asarray(open_loop & (flows.numbers("counted")[rest] != 0))


def _arrivals_ends(run: Run) -> dict[int, int]:
    """When the arrivals of each entry ended of which only some flows count, by its number."""
    entries = run.summary.get("counted_flows", ())
    return {
        each["traffic"]: each["arrivals_until_ps"]
        for each in entries
        if each["from_ps"] is not None
    }
