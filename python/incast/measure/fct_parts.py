"""Shares of FCT by part, for many flows: means, also by flow size.

With ``measure.breakdown`` a run sums up the parts of each flow's FCT. Unlike an explanation, it
does not split the time of a full window, nor the time in which the last packet and its ACK waited
in queues.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incast.measure.counted import is_counted
from incast.measure.delays import slowest
from incast.measure.run import Run
from incast.measure.series import Array, SizeClasses, size_classes

__all__ = [
    "SLOWEST",
    "SUMMED",
    "Shares",
    "common_classes",
    "have_parts",
    "of_all",
    "of_slowest",
    "slowest_counted",
]

SUMMED = (
    *("sending", "resending", "full_window", "pacing", "nic", "nic_paused", "turn", "grant"),
    *("credit", "loss", "timeout", "way", "last_waits"),
)
"""Parts that a run sums up; each flow has a column ``fct_<part>_ps``."""
SLOWEST = 0.01
"""The share of flows, by largest slowdown, that are called the slowest."""
_MOST_CLASSES = 6


@dataclass(frozen=True)
class Shares:
    """Shares of FCT by part, for a group of flows."""

    what: str
    """The group of flows, in words."""
    sizes: Array
    """The size of each flow, in bytes."""
    of_flows: Mapping[str, Array]
    """By part, its share of each flow's FCT. Parts that no flow has are left out."""

    @property
    def flows(self) -> int:
        """The number of flows."""
        return len(self.sizes)

    @property
    def of_all(self) -> dict[str, float]:
        """By part, the mean share over the flows."""
        return {part: float(shares.mean()) for part, shares in self.of_flows.items()}

    def by_size(self, classes: SizeClasses) -> dict[str, list[float]]:
        """By part, the mean share over the flows of each size class; NaN in a class without
        flows.
        """
        return {
            part: [
                float(own.mean()) if len(own) else math.nan
                for own in classes.split(self.sizes, shares)
            ]
            for part, shares in self.of_flows.items()
        }

    def to_dict(self, classes: SizeClasses) -> dict[str, Any]:
        """Plain values for JSON, by size class; ``None`` (null) in a class without flows."""
        by_size = {
            part: [None if math.isnan(mean) else mean for mean in means]
            for part, means in self.by_size(classes).items()
        }
        return {
            "what": self.what,
            "flows": self.flows,
            "shares": self.of_all,
            "largest_bytes": classes.largest.astype(int).tolist(),
            "flows_by_size": classes.counts(self.sizes).tolist(),
            "by_size": by_size,
        }


def have_parts(runs: Iterable[Run]) -> bool:
    """Whether every run has summed up the parts of FCTs."""
    return all(_column(SUMMED[0]) in run.completed for run in runs)


def slowest_counted(run: Run) -> Array:
    """The rows, in ``completed``, of the slowest hundredth of the counted flows, the slowest
    first.
    """
    counts = is_counted(run)
    ranked = slowest(run.completed, len(run.completed))
    return ranked[counts[ranked]][: max(round(SLOWEST * int(counts.sum())), 1)]


def of_all(runs: Sequence[Run]) -> Shares:
    """Shares for all counted flows of runs that have summed up parts."""
    every = [_shares(run, np.flatnonzero(is_counted(run))) for run in runs]
    return _together("{} flows that count", every)


def of_slowest(runs: Sequence[Run]) -> Shares:
    """Shares for the slowest hundredth of the counted flows of each run."""
    every = [_shares(run, slowest_counted(run)) for run in runs]
    return _together("{} flows: the slowest 1 % of those that count", every)


def _shares(run: Run, rows: Array) -> tuple[Array, dict[str, Array]]:
    """For some rows of ``completed``: the flow sizes, and the shares of all parts."""
    table = run.completed
    fcts = table.numbers("fct_ps")[rows]
    parts = {part: table.numbers(_column(part))[rows] / fcts for part in SUMMED}
    return table.numbers("size_bytes")[rows].astype(float), parts


def _together(what: str, every: Sequence[tuple[Array, Mapping[str, Array]]]) -> Shares:
    sizes = np.concatenate([sizes for sizes, _ in every])
    shares = {part: np.concatenate([parts[part] for _, parts in every]) for part in SUMMED}
    some = {part: values for part, values in shares.items() if values.any()}
    return Shares(what.format(len(sizes)), sizes, some)


def _column(part: str) -> str:
    return f"fct_{part}_ps"


def common_classes(groups: Iterable[Shares]) -> SizeClasses:
    """Size classes for several groups, made from the flows of all groups together."""
    return size_classes(np.concatenate([group.sizes for group in groups]), _MOST_CLASSES)
