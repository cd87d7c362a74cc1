"""Metrics of a memory fabric's run, from its operations."""

from __future__ import annotations

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array

__all__ = ["COLLECTIVE", "bandwidth_over_time", "effective_flits", "latencies", "of_kind"]

COLLECTIVE = ("write-multicast", "read-reduction")
_HEADER = 1
"""Flits of a packet's header."""


def of_kind(run: Run, *kinds: str) -> Array:
    """Whether each operation is of one of these kinds."""
    found = run.operations.categories("kind")
    wanted = [index for index, text in enumerate(found.texts) if text in kinds]
    return np.isin(found.indices, wanted)


def latencies(run: Run, *kinds: str) -> Array:
    """Cycles from injection to completion, for operations of these kinds; by default, for all."""
    cycles = run.operations.numbers("latency_cycles")
    return cycles[of_kind(run, *kinds)] if kinds else cycles


def effective_flits(run: Run) -> Array:
    """For each operation, the flits of its data packet, times the members of its group."""
    members = np.array([group["members"] for group in run.summary["groups"]], dtype=float)
    targets = run.operations.numbers("target").astype(int)
    collective = of_kind(run, *COLLECTIVE)
    unknown = collective & (targets >= len(members))
    run.operations.refuse(unknown, "target", f"the run has {len(members)} groups")
    copies = np.ones(len(targets))
    copies[collective] = members[targets[collective]]
    found: Array = copies * (run.operations.numbers("data_flits").astype(float) + _HEADER)
    return found


def bandwidth_over_time(run: Run, bins: int = 100) -> tuple[Array, Array]:
    """Effective bandwidth over time, in flits per cycle and endpoint, counted when operations
    complete: the middle of each bin, in cycles, and its mean.
    """
    ends = run.operations.numbers("completed_cycle").astype(float)
    if not len(ends):
        return np.array([]), np.array([])
    edges = np.linspace(0, max(float(ends.max()), 1), bins + 1)
    flits, _ = np.histogram(ends, edges, weights=effective_flits(run))
    width = edges[1] - edges[0]
    return (edges[:-1] + edges[1:]) / 2, flits / (width * run.summary["endpoints"])
