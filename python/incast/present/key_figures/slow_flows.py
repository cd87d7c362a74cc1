"""Whether flows of a run stand out, from its summary: tables are read only then."""

from __future__ import annotations

from incast.present.key_figures.figure import Summary

__all__ = ["has_slow_flows", "have_causes"]

_FEWEST = 10
"""Flows below which a list of the slowest is a list of all."""
_SLOW = 2.0
"""Times the median slowdown: below it no flow stands out."""


def has_slow_flows(summary: Summary) -> bool:
    """Whether there are more than a handful, and the slowest lies well above the median. Under an
    attack flows are pieces of messages, and none counts.
    """
    if "fct_slowdown" not in summary or "roles" in summary:
        return False
    every = summary["fct_slowdown"]["all"]
    median, largest = every["p50"], every["max"]
    # A median that the end of the arrivals could move is not known.
    known = median is not None and largest is not None
    return bool(known and every["count"] >= _FEWEST and largest >= _SLOW * median)


def have_causes(summary: Summary) -> bool:
    """Whether there is something whose causes are told: slow flows, or collectives of a network."""
    if summary.get("kind") == "fabric":
        return False
    return has_slow_flows(summary) or bool(summary.get("collectives"))
