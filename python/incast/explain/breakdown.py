"""Where the time of many flows went: mean shares of each part, by size, of all and of the slowest.

Flows are explained one by one, so a sample of them stands for all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from incast.errors import ResultsError
from incast.explain.critical_path import PARTS
from incast.explain.run_again import Again, shares_of
from incast.measure.counted import is_counted
from incast.measure.delays import slowest
from incast.measure.run import Run
from incast.measure.series import Array, SizeClasses, size_classes

__all__ = ["MOST", "Breakdown", "Shares", "breakdown", "common_classes", "listed"]

MOST = 500
"""Flows in each of the two groups."""
_SLOWEST = 0.01
"""The part of the flows with the largest slowdown."""
_MOST_CLASSES = 6
_SEED = 1
"""Of the sample: the same flows each time."""


@dataclass(frozen=True)
class Shares:
    """Of a group of flows."""

    what: str
    """Which they are."""
    sizes: Array
    """Of each flow, in bytes."""
    of_flows: Mapping[str, Array]
    """By part, its share of the FCT of each flow; those that any flow has."""

    @property
    def flows(self) -> int:
        """How many there are."""
        return len(self.sizes)

    @property
    def of_all(self) -> dict[str, float]:
        """By part, the mean over flows."""
        return {part: float(shares.mean()) for part, shares in self.of_flows.items()}

    def by_size(self, classes: SizeClasses) -> dict[str, list[float]]:
        """By part, the mean over the flows of each class; NaN in a class without flows."""
        return {
            part: [
                float(own.mean()) if len(own) else math.nan
                for own in classes.split(self.sizes, shares)
            ]
            for part, shares in self.of_flows.items()
        }

    def to_dict(self, classes: SizeClasses) -> dict[str, Any]:
        """As JSON has it, in some classes of size; null in a class without flows."""
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


def common_classes(groups: Iterable[Shares]) -> SizeClasses:
    """Classes of size for groups of several runs: of all of their flows together."""
    return size_classes(np.concatenate([group.sizes for group in groups]), _MOST_CLASSES)


@dataclass(frozen=True)
class Breakdown:
    """Of a run: a random sample of its flows, and the slowest of them."""

    name: str
    algorithm: str
    sample: Shares
    slowest: Shares

    def groups(self) -> Iterator[Shares]:
        """Both."""
        yield self.sample
        yield self.slowest


def listed(found: Mapping[str, Breakdown]) -> list[dict[str, Any]]:
    """As JSON has it: of each run in the same classes of size.

    Args:
        found: By label.
    """
    groups = zip(*(each.groups() for each in found.values()), strict=True)
    classes = [common_classes(group) for group in groups]
    return [
        {
            "label": label,
            "name": each.name,
            "algorithm": each.algorithm,
            "groups": [
                group.to_dict(own) for group, own in zip(each.groups(), classes, strict=True)
            ],
        }
        for label, each in found.items()
    ]


def breakdown(results: Run, count: int, again: Again) -> Breakdown:
    """The mean share of each part in the FCTs of flows that count.

    Args:
        results: Of a network, whole.
        count: How many flows each group has at most.
        again: See :func:`incast.explain.run_again.explain`.

    Raises:
        ResultsError: No flow counts, or the second run differs.
    """
    counts = is_counted(results)
    rows = np.flatnonzero(counts)
    if not len(rows):
        what = f"{results.name}: no flow that counts has completed"
        raise ResultsError(what, hint="let it run longer, or name flows")
    table = results.completed
    # By their numbers, so that runs of the same flows have one sample.
    rows = rows[np.argsort(table.numbers("flow_id")[rows])]
    sampled = np.sort(np.random.default_rng(_SEED).permutation(rows)[:count])
    ranked = slowest(table, len(table))
    slow = ranked[counts[ranked]][: max(round(_SLOWEST * len(rows)), 1)]
    # Of more than can be explained an even choice, by slowdown.
    slow = slow[np.linspace(0, len(slow) - 1, min(count, len(slow))).astype(int)]
    sizes = table.numbers("size_bytes").astype(float)
    shares = shares_of(results, np.union1d(sampled, slow).tolist(), again)
    of_all = f"{len(rows)} flows that count"
    return Breakdown(
        results.name,
        results.algorithm,
        _shares(f"{len(sampled)} of {of_all}, at random", sampled, sizes, shares),
        _shares(f"the slowest 1 % of {of_all}", slow, sizes, shares),
    )


def _shares(what: str, rows: Array, sizes: Array, shares: dict[int, dict[str, float]]) -> Shares:
    """Means over some flows.

    Args:
        what: Which they are.
        rows: Where they are among those that completed.
        sizes: Of all that completed.
        shares: By row, the share of each part.
    """
    parts = [part for part in PARTS if any(part in shares[row] for row in rows.tolist())]
    of_flows = {
        part: np.array([shares[row].get(part, 0.0) for row in rows.tolist()]) for part in parts
    }
    return Shares(what, sizes[rows], of_flows)
