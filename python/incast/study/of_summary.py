"""Statistics of flows from a run's summary, for runs that do not keep all rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from incast.errors import FlowRowsError
from incast.measure.run import Run
from incast.present.key_figures.steadiness import TOLD_LATE
from incast.study.selection import Selection, entry_number

__all__ = ["reach_by_summary", "value_by_summary"]

_KEYS = {
    "mean": "mean",
    "max": "max",
    "p50": "p50",
    "p95": "p95",
    "p99": "p99",
    "p99.9": "p999",
}
"""Keys of statistics in the summary, by their names in studies."""


def value_by_summary(statistic: str, key: str, run: Run, selection: Selection) -> float:
    """A statistic of selected flows; missing (NaN) if it is unknown.

    Args:
        statistic: The name of the statistic.
        key: The key of the quantity in the summary; empty if there is none.
        run: The run.
        selection: The selected flows.

    Raises:
        FlowRowsError: The summary lacks the statistic.
    """
    name, found = _distribution(statistic, key, run, selection)
    value = found[name]
    return float("nan") if value is None else float(value)


def reach_by_summary(
    statistic: str, key: str, run: Run, selection: Selection
) -> tuple[float, float] | None:
    """The range over which late flows could move a statistic; ``None`` if they could not.

    Raises:
        FlowRowsError: The summary lacks the statistic.
    """
    name, found = _distribution(statistic, key, run, selection)
    late = found.get("late")
    if late is None or not found["count"]:
        return None
    if name in late:
        most = late[name]["at_most"]
        return float(late[name]["at_least"]), math.inf if most is None else float(most)
    if name == "mean" and late["count"] <= TOLD_LATE * found["count"]:
        return None
    return float(found[name]), math.inf


def _distribution(
    statistic: str, key: str, run: Run, selection: Selection
) -> tuple[str, Mapping[str, Any]]:
    """The key of a statistic, and the distribution that contains it."""
    name = _KEYS.get(statistic)
    of_some_sizes = selection.larger_than is not None or selection.up_to is not None
    found = None if of_some_sizes or not key else _of_flows(key, run, selection)
    if name is None or found is None:
        raise FlowRowsError.of(run.name, run.summary["flow_rows"])
    return name, found


def _of_flows(key: str, run: Run, selection: Selection) -> Mapping[str, Any] | None:
    """The distribution of a quantity over selected flows; ``None`` if the summary lacks it."""
    summary = run.summary
    entries = summary.get("traffic", [])
    number = entry_number(run, selection.traffic)
    # If there is a single entry without a name, all flows belong to it.
    if not selection.traffic or (not entries and number == 0):
        facts = summary.get("all_flows", summary) if selection.all_flows else summary
        distribution: Mapping[str, Any] = facts[key]
        return distribution["all"] if key == "fct_slowdown" else distribution
    is_told = key == "fct_slowdown" and "roles" not in summary
    is_of_counted = not selection.all_flows or "all_flows" not in summary
    if is_told and is_of_counted and 0 <= number < len(entries):
        entry: Mapping[str, Any] = entries[number][key]
        return entry
    return None
