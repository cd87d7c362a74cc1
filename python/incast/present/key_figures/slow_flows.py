"""Decides from the summary whether some flows stand out; only then are tables read."""

from __future__ import annotations

from incast.present.key_figures.figure import Summary

__all__ = ["has_slow_flows", "have_causes"]

_FEWEST = 10
"""With fewer flows, a list of the slowest would be a list of all."""
_SLOW = 2.0
"""The multiple of the median slowdown from which a flow stands out."""


def has_slow_flows(summary: Summary) -> bool:
    """Whether there are enough flows, and the slowest is well above the median. Under an attack it
    is false, as flows are pieces of messages.
    """
    if "fct_slowdown" not in summary or "roles" in summary:
        return False
    every = summary["fct_slowdown"]["all"]
    median, largest = every["p50"], every["max"]
    # A median that late flows could move without limit is missing.
    known = median is not None and largest is not None
    return bool(known and every["count"] >= _FEWEST and largest >= _SLOW * median)


def have_causes(summary: Summary) -> bool:
    """Whether the run has causes to show: slow flows, or collectives of a network."""
    if summary.get("kind") == "fabric":
        return False
    return has_slow_flows(summary) or bool(summary.get("collectives"))
