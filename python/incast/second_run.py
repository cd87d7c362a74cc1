"""Runs the scenario of results again, to record what the first run did not."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from incast.errors import ResultsError
from incast.measure.run import Run
from incast.measure.series import Array
from incast.scenario import Scenario
from incast.table import Table

__all__ = ["Again", "scenario_of", "second_run"]

Again = Callable[[Scenario], Run]
"""Runs a scenario again."""


def second_run(results: Run, trace: Mapping[str, Any], end: int, again: Again) -> Run:
    """Runs the scenario of a run again, up to a time, with a packet trace and the causes of pauses.

    Args:
        results: The first run, of a network.
        trace: Settings of the packet trace, without its ports and its end.
        end: The time up to which it runs and must equal the first run, in picoseconds.
        again: Runs a scenario.

    Raises:
        ResultsError: The second run differs from the first.
    """
    # Ends one picosecond later, so that events at `end` are included.
    after = f"{end + 1}ps"
    changes = {
        "measure.packets": {**trace, "ports": "all", "until": after},
        "measure.pauses": True,
        "run.stop": after,
    }
    second = again(scenario_of(results, changes))
    if difference := _difference(results, second, end):
        what = f"{results.name}: the scenario, run again, gives other results: {difference}"
        engines = [summary.get("engine") for summary in (results.summary, second.summary)]
        hint = (
            "a file of the scenario has changed, or its algorithm is not reproducible"
            if engines[0] == engines[1]
            else f"they are of another engine ({engines[0]}; this one is {engines[1]})"
        )
        raise ResultsError(what, hint=f"{hint}; run it again with --force")
    return second


def _difference(results: Run, again: Run, end: int) -> str:
    """The first difference between two runs up to a time; empty if all flows are equal."""
    if difference := _difference_of_starts(results.flows, again.flows, end):
        return difference
    first, second = results.completed, again.completed
    done = first.numbers("start_ps") + first.numbers("fct_ps") <= end
    if int(done.sum()) != len(second):
        return f"{int(done.sum())} flows had completed by then, and {len(second)} have"
    for column in ("flow_id", "fct_ps", "retransmitted_packets", "marked_acks"):
        values = first.numbers(column)[done], second.numbers(column)
        if not np.array_equal(*values):
            return f"`{column}` of a flow"
    return ""


def _difference_of_starts(first: Table, second: Table, end: int) -> str:
    """The first difference between flows that started before a time, completed or not."""
    rows, others = _started(first, end), _started(second, end)
    if len(rows) != len(others):
        return f"{len(rows)} flows had started by then, and {len(others)} have"
    for column in ("flow_id", "source", "destination", "size_bytes", "start_ps"):
        if not np.array_equal(first.numbers(column)[rows], second.numbers(column)[others]):
            return f"`{column}` of a flow"
    return ""


def _started(flows: Table, end: int) -> Array:
    """The rows of flows that started before a time, in order of their numbers."""
    rows = np.flatnonzero(flows.numbers("start_ps") < end)
    order: Array = rows[np.argsort(flows.numbers("flow_id")[rows])]
    return order


def scenario_of(results: Run, changes: Mapping[str, Any]) -> Scenario:
    """The scenario of results, with some settings changed.

    Raises:
        ScenarioError: A file of the scenario does not exist.
    """
    folder = getattr(results, "folder", None)
    if folder is not None:
        return Scenario(folder / "scenario.toml", **changes)
    return Scenario(tomllib.loads(results.scenario), folder=Path.cwd(), **changes)
