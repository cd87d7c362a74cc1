"""Where the time of many flows went: mean shares of each part, by size, of all and of the slowest.

Flows are explained one by one, so a sample of them stands for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incast.errors import ResultsError
from incast.explain.critical_path import PARTS
from incast.explain.run_again import Again, shares_of
from incast.measure.counted import is_counted
from incast.measure.delays import slowest
from incast.measure.run import Run
from incast.measure.series import Array, size_classes

__all__ = ["MOST", "Breakdown", "Shares", "breakdown"]

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
    flows: int
    of_all: dict[str, float]
    """By part, the mean over flows of its share of the FCT; those that any flow has."""
    largest_bytes: Sequence[int]
    """Upper ends of classes of size."""
    flows_by_size: Sequence[int]
    by_size: dict[str, Sequence[float]]
    """By part, the same mean over the flows of each class; NaN in a class without flows."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "what": self.what,
            "flows": self.flows,
            "shares": self.of_all,
            "largest_bytes": list(self.largest_bytes),
            "flows_by_size": list(self.flows_by_size),
            "by_size": {part: list(shares) for part, shares in self.by_size.items()},
        }


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

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "name": self.name,
            "algorithm": self.algorithm,
            "groups": [group.to_dict() for group in self.groups()],
        }


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
    classes = size_classes(sizes[rows], _MOST_CLASSES)
    parts = [part for part in PARTS if any(part in shares[row] for row in rows.tolist())]
    values = {
        part: np.array([shares[row].get(part, 0.0) for row in rows.tolist()]) for part in parts
    }
    return Shares(
        what,
        len(rows),
        {part: float(own.mean()) for part, own in values.items()},
        classes.largest.astype(int).tolist(),
        classes.counts(sizes[rows]).tolist(),
        {
            part: [float(group.mean()) for group in classes.split(sizes[rows], own)]
            for part, own in values.items()
        },
    )
