"""How flows that join and leave share their link, and how soon."""

from __future__ import annotations

from incast.measure.run import Run

__all__ = ["mean_share", "settling"]


def mean_share(run: Run) -> float:
    """Mean Jain's index over the time in which two or more flows are there."""
    return float(run.summary["jain_index"]["mean"])


def settling(run: Run) -> float:
    """How long after a flow joined Jain's index reaches 0.95 for as long as nothing else joins, as
    a share of the time from one joining to the next: of the slowest joining. Infinite if it does
    not.
    """
    told = run.summary["jain_index"]["after_arrivals"]
    if told["settled"] < told["arrivals"]:
        return float("inf")
    starts = sorted(run.flows.numbers("start_ps").tolist())
    return float(told["time_to_095_ps"]["max"]) / float(starts[1] - starts[0])
