"""Rounds, ranks and critical paths of collectives as slices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from incast.errors import ResultsError
from incast.export.nodes import COLLECTIVES, Nodes
from incast.export.trace_events import Event, Tracks, lanes, nanoseconds
from incast.present.units import bytes_text, count_text
from incast.table import Table

if TYPE_CHECKING:
    from incast.measure.run import Run

__all__ = ["TaskTracks"]

_Slice = tuple[str, tuple[int, int], dict[str, Any]]
"""The name of a slice, its span in ns, and the facts shown when it is clicked."""


class TaskTracks:
    """The collectives of a run.

    Attributes:
        steps: Critical paths. For each message: its flow, and the time in ps at which the next
            message could begin.
        left_out: Notes on data that were left out.
    """

    def __init__(self, run: Run, tracks: Tracks, nodes: Nodes, limit: int) -> None:
        self._run, self._tracks, self._nodes = run, tracks, nodes
        self._limit = limit
        self.left_out: list[str] = []
        self.steps: list[list[tuple[int, int]]] = []
        self._events: list[Event] = []
        self._rounds()
        self._critical_paths()
        self._ranks()
        self._events.sort(key=lambda event: event.time_ns)

    def flows_of_paths(self) -> set[int]:
        """The numbers of flows on critical paths."""
        return {flow for path in self.steps for flow, _ in path}

    def events(self) -> Iterator[Event]:
        """All slices, in order of time."""
        return iter(self._events)

    def _rounds(self) -> None:
        for entry, rows in self._rows("collectives", "rounds of collectives"):
            slices = []
            for row in sorted(rows, key=lambda row: row["start_ps"]):
                span = _span(row["start_ps"], row["start_ps"] + row["time_ps"])
                slices.append((f"round {row['round']}", span, row))
            self._put(COLLECTIVES, entry, slices)

    def _critical_paths(self) -> None:
        for entry, rows in self._rows("critical_path", "messages of critical paths"):
            self.steps.append([(row["flow_id"], row["end_ps"]) for row in rows])
            slices = []
            for row in rows:
                ends = (self._nodes.host(row[end]) for end in ("source", "destination"))
                name = f"{' → '.join(ends)}, {bytes_text(row['size_bytes'])}"
                slices.append((name, _span(row["start_ps"], row["end_ps"]), row))
                if row["computing_ps"]:
                    span = _span(row["end_ps"], row["end_ps"] + row["computing_ps"])
                    slices.append(("computing", span, {"computing_ps": row["computing_ps"]}))
            slices.sort(key=lambda each: each[1])
            self._put(COLLECTIVES, f"{entry}, critical path", slices)

    def _ranks(self) -> None:
        begin = dict(self._begins())
        for entry, rows in self._rows("ranks", "ranks"):
            for row in rows:
                name = f"{entry}: rank {row['rank']}"
                end = row["end_ps"]
                label = "" if end == end else ", done with no round"
                end = end if end == end else self._run.summary["simulated_ps"]
                since = begin.get(row["traffic"], 0)
                span = _span(since, max(since, end))
                self._put(
                    self._nodes.process_of_host(row["host"]), name, [(name + label, span, row)]
                )

    def _begins(self) -> Iterator[tuple[int, int]]:
        """For each traffic entry, the start of its first flow."""
        flows = self._run.flows
        for entry in np.unique(flows["traffic"]):
            yield int(entry), int(flows["start_ps"][flows["traffic"] == entry].min())

    def _put(self, process: int, name: str, slices: list[_Slice]) -> None:
        """Puts slices, given in order of their begins, on as many tracks as they need."""
        if process == COLLECTIVES:
            self._tracks.process(COLLECTIVES, "collectives")
        own = lanes(span for _, span, _ in slices)
        for lane, (what, span, facts) in zip(own, slices, strict=True):
            track = self._tracks.track(process, name if lane == 0 else f"{name} ({lane + 1})")
            self._events.append(Event.slice(track, what, "collective", span, facts))

    def _rows(self, table: str, noun: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The rows of a table, grouped by the name of the traffic entry."""
        found = _optional(self._run, table)
        if found is None:
            return
        if len(found) > self._limit:
            kept, every = count_text(self._limit), count_text(len(found))
            self.left_out.append(f"of {every} {noun}, the first {kept} are in the timeline")
        by_entry: dict[int, list[dict[str, Any]]] = {}
        for row in found.head(self._limit):
            by_entry.setdefault(row["traffic"], []).append(row)
        for entry, rows in sorted(by_entry.items()):
            yield self._entry_name(entry), rows

    def _entry_name(self, entry: int) -> str:
        named = self._run.summary.get("traffic") or []
        if entry < len(named):
            return str(named[entry]["name"])
        return f"traffic {entry}"


def _optional(run: Run, name: str) -> Table | None:
    """A table that results have only if there are collectives; older versions lack some tables."""
    try:
        table: Table = getattr(run, name)
    except AttributeError:
        return None
    except ResultsError as error:
        if error.file is not None:
            raise
        return None
    return table


def _span(begin_ps: float, end_ps: float) -> tuple[int, int]:
    return nanoseconds(begin_ps), nanoseconds(end_ps)
