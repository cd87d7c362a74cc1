"""The mean share of each part in the FCTs of many flows: of all and of the slowest, by flow size.

Flows are explained one by one, so a sample of flows represents all. A run with
``measure.breakdown`` has summed up the parts of all flows itself.
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
"""The most flows that are explained in each of the two groups."""
_SEED = 1
"""The seed of the sample, so that the same flows are drawn each time."""


@dataclass(frozen=True)
class Breakdown:
    """Mean shares of FCT by part, for a run's flows (all, or a random sample) and its slowest
    flows.
    """

    name: str
    algorithm: str
    groups: Mapping[str, Shares]
    """The shares of each group, by the group's name."""


def listed(found: Mapping[str, Breakdown]) -> list[dict[str, Any]]:
    """Plain values for JSON, one entry per run, with the same size classes for all runs.

    Args:
        found: The breakdowns by label.
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
    """The mean share of each part in the FCTs of counted flows.

    Args:
        results: A complete run of a network.
        count: The most flows in each group.
        again: See :func:`incast.explain.run_again.explain`.

    Raises:
        ResultsError: No counted flow completed, or the second run differs.
    """
    rows = _counted_rows(results)
    table = results.completed
    # Sorted by flow number, so that the sample is the same in runs of the same flows.
    rows = rows[np.argsort(table.numbers("flow_id")[rows])]
    sampled = np.sort(np.random.default_rng(_SEED).permutation(rows)[:count])
    slow = slowest_counted(results)
    # If there are too many slowest flows, take an evenly spaced choice by slowdown.
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
    """The breakdown of all counted flows, from the sums that the run itself has kept.

    Raises:
        ResultsError: No counted flow completed.
    """
    _counted_rows(results)
    groups = {"all flows": of_all([results]), "the slowest 1 %": of_slowest([results])}
    return Breakdown(results.name, results.algorithm, groups)


def _counted_rows(results: Run) -> Array:
    """The rows of counted flows in ``completed``."""
    rows = np.flatnonzero(is_counted(results))
    if not len(rows):
        what = f"{results.name}: no flow that counts has completed"
        raise ResultsError(what, hint="let it run longer, or name flows")
    return rows


def _shares(what: str, rows: Array, sizes: Array, shares: dict[int, dict[str, float]]) -> Shares:
    """The shares of a group of flows.

    Args:
        what: The group, in words.
        rows: The rows of the group in ``completed``.
        sizes: The sizes of all completed flows.
        shares: For each row, the shares by part.
    """
    parts = [part for part in PARTS if any(part in shares[row] for row in rows.tolist())]
    of_flows = {
        part: np.array([shares[row].get(part, 0.0) for row in rows.tolist()]) for part in parts
    }
    return Shares(what, sizes[rows], of_flows)
