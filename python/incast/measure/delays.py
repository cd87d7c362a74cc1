"""Delays of flows, as far as a run's tables show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array
from incast.table import Table

__all__ = ["Delay", "delays", "rows_of_slowest", "slowest"]

_LOST = ("lost_link_down", "lost_corrupted", "lost_unreachable")


@dataclass(frozen=True)
class Delay:
    """A completed flow, and what held it up."""

    flow_id: int
    source: str
    """The name of the source host, or the host's number."""
    destination: str
    size_bytes: int
    start_ps: int
    fct_ps: float
    slowdown: float
    timeouts: int
    timeout_wait_ps: int
    retransmitted: int
    """Number of retransmitted packets."""
    duplicates: int
    """Packets that were retransmitted although they had arrived."""
    lost: int
    """Packets lost to faults of links."""
    at_source: float
    """Average number of other flows from its source while it was under way; missing (NaN) if not
    all flows have a row.
    """
    at_destination: float
    """Average number of other flows to its destination while it was under way."""

    @property
    def hosts(self) -> str:
        """The two hosts, as `source → destination`."""
        return f"{self.source} → {self.destination}"


def slowest(completed: Table, count: int) -> Array:
    """Rows of the completed flows with the largest slowdown, the slowest first. Of equally slow
    flows, the first to complete comes first.
    """
    return np.argsort(-completed.numbers("slowdown"), kind="stable")[:count]


def rows_of_slowest(run: Run, count: int) -> Table:
    """Rows of completed flows, with the `count` slowest of all flows among them.

    Raises:
        ResultsError: The rows of the slowest flows were not kept.
    """
    kept = run.summary.get("flow_rows")
    if kept is None or (kept["of"].startswith("slowest") and count <= kept["completed"]):
        return run.kept_completed
    return run.completed


def delays(run: Run, rows: Iterable[int]) -> list[Delay]:
    """What held up some of the completed flows.

    Args:
        run: A run of a network.
        rows: Row numbers in ``run.kept_completed``.
    """
    picked = [int(row) for row in rows]
    # With millions of flows, reading whole columns would fill the memory.
    flows = run.kept_completed.take(picked)
    lost = sum((_numbers(flows, name) for name in _LOST), np.zeros(len(flows), int))
    columns: dict[str, Array | Sequence[str]] = {
        "flow_id": _numbers(flows, "flow_id"),
        "source": _hosts(flows, "source"),
        "destination": _hosts(flows, "destination"),
        "size_bytes": _numbers(flows, "size_bytes"),
        "start_ps": _numbers(flows, "start_ps"),
        "fct_ps": _numbers(flows, "fct_ps"),
        "slowdown": _numbers(flows, "slowdown"),
        "timeouts": _numbers(flows, "timeouts"),
        "timeout_wait_ps": _numbers(flows, "timeout_wait_ps"),
        "retransmitted": _numbers(flows, "retransmitted_packets"),
        "duplicates": _numbers(flows, "duplicate_packets"),
        "lost": lost,
    }
    alive = _Alive(run) if "flow_rows" not in run.summary else None
    return [
        Delay(
            **{name: _plain(values[place]) for name, values in columns.items()},
            at_source=alive.beside(row, "source") if alive else float("nan"),
            at_destination=alive.beside(row, "destination") if alive else float("nan"),
        )
        for place, row in enumerate(picked)
    ]


def _plain(value: Any) -> Any:
    """A NumPy scalar as a Python number; other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def _numbers(flows: Table, name: str) -> Array:
    """A column of numbers; zeros if the results lack it."""
    return flows.numbers(name) if name in flows else np.zeros(len(flows), int)


def _hosts(flows: Table, end: str) -> Sequence[str]:
    """Names of the hosts at one end, or their numbers."""
    if f"{end}_name" in flows:
        named = flows.categories(f"{end}_name")
        return [named.texts[index] for index in named.indices.tolist()]
    return [str(host) for host in flows.numbers(end).tolist()]


class _Alive:
    """Lifetimes of all flows. Unfinished flows live to the end of the run."""

    def __init__(self, run: Run) -> None:
        flows = run.flows
        self._hosts = {end: flows.numbers(end) for end in ("source", "destination")}
        self._starts = flows.numbers("start_ps").astype(float)
        ends = self._starts + flows.numbers("fct_ps")
        self._ends = np.where(np.isnan(ends), float(run.summary["simulated_ps"]), ends)

    def beside(self, row: int, end: str) -> float:
        """Average number of other flows at the host of one end of a flow, over its lifetime."""
        hosts = self._hosts[end]
        same = np.flatnonzero(hosts == hosts[row])
        begin, until = self._starts[row], self._ends[row]
        if not until > begin:
            return 0.0
        common = np.minimum(self._ends[same], until) - np.maximum(self._starts[same], begin)
        # Subtract 1: the flow itself is among the flows of its host.
        return max(0.0, float(np.maximum(common, 0.0).sum() / (until - begin)) - 1)
