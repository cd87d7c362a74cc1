"""Where the time of many flows went: mean shares of each part, by size, of all and of the slowest.

Flows are explained one by one, so a sample of them stands for all; a run with
``measure.breakdown`` has summed up all of its flows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from incast.errors import ResultsError
from incast.explain.critical_path import PARTS
from incast.explain.run_again import Again, shares_of
from incast.measure.counted import is_counted
from incast.measure.fct_parts import Shares, common_classes, of_all, of_slowest, slowest_counted
from incast.measure.run import Run
from incast.measure.series import Array

__all__ = ["MOST", "Breakdown", "breakdown", "listed", "summed"]

MOST = 500
"""Flows in each of the two groups."""
_SEED = 1
"""The seed of the sample: the same flows each time."""


@dataclass(frozen=True)
class Breakdown:
    """The mean parts of a run's FCTs: of its flows or a random sample of them, and the slowest
    ones.
    """

    name: str
    algorithm: str
    groups: Mapping[str, Shares]
    """By what they are called."""


def listed(found: Mapping[str, Breakdown]) -> list[dict[str, Any]]:
    """What JSON has of each run, in classes of size that are the same for all.

    Args:
        found: By label.
    """
    groups = zip(*(each.groups.values() for each in found.values()), strict=True)
    classes = [common_classes(group) for group in groups]
    return [
        {
            "label": label,
            "name": each.name,
            "algorithm": each.algorithm,
            "groups": [
                group.to_dict(own) for group, own in zip(each.groups.values(), classes, strict=True)
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
    rows = _counted_rows(results)
    table = results.completed
    # By their numbers, so that runs of the same flows have one sample.
    rows = rows[np.argsort(table.numbers("flow_id")[rows])]
    sampled = np.sort(np.random.default_rng(_SEED).permutation(rows)[:count])
    slow = slowest_counted(results)
    # Of more than can be explained an even choice, by slowdown.
    slow = slow[np.linspace(0, len(slow) - 1, min(count, len(slow))).astype(int)]
    sizes = table.numbers("size_bytes").astype(float)
    shares = shares_of(results, np.union1d(sampled, slow).tolist(), again)
    among = f"{len(rows)} flows that count"
    return Breakdown(
        results.name,
        results.algorithm,
        {
            "flows at random": _shares(
                f"{len(sampled)} of {among}, at random", sampled, sizes, shares
            ),
            "the slowest 1 %": _shares(f"the slowest 1 % of {among}", slow, sizes, shares),
        },
    )


def summed(results: Run) -> Breakdown:
    """The breakdown of all flows that count, from what the run has summed up itself.

    Raises:
        ResultsError: No flow counts.
    """
    _counted_rows(results)
    groups = {"all flows": of_all([results]), "the slowest 1 %": of_slowest([results])}
    return Breakdown(results.name, results.algorithm, groups)


def _counted_rows(results: Run) -> Array:
    """Where the flows that count are among those that completed."""
    rows = np.flatnonzero(is_counted(results))
    if not len(rows):
        what = f"{results.name}: no flow that counts has completed"
        raise ResultsError(what, hint="let it run longer, or name flows")
    return rows


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
