"""Flows as slices on tracks of their source hosts, and arrows along critical paths."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from incast.export.nodes import Nodes
from incast.export.trace_events import Event, Track, Tracks, lanes, nanoseconds
from incast.measure.ports import ends_of_flows
from incast.present.units import bytes_text, count_text

if TYPE_CHECKING:
    from incast.measure.run import Run

__all__ = ["FlowTracks"]

_COLUMNS = (
    *(
        "flow_id",
        "source",
        "source_nic",
        "destination",
        "destination_nic",
        "size_bytes",
        "acked_bytes",
        "slowdown",
    ),
    *("retransmitted_packets", "traffic", "traffic_name", "tenant", "role", "cc"),
)
"""Columns of the table of flows that are shown when a slice is clicked."""


class FlowTracks:
    """The flows of a run; if there are too many, those with the largest FCT.

    Attributes:
        left_out: Notes on flows that were left out.
    """

    def __init__(
        self, run: Run, tracks: Tracks, nodes: Nodes, limit: int, first: Collection[int]
    ) -> None:
        """Takes at most `limit` flows. Flows whose numbers are in `first` are taken before all
        others.
        """
        self._flows, self._nodes = run.flows, nodes
        self._ends = ends_of_flows(run)
        begin = self._flows["start_ps"].astype(np.float64)
        end = begin + self._flows["fct_ps"]
        self._is_done = ~np.isnan(end)
        end = np.where(self._is_done, end, np.maximum(begin, run.summary["simulated_ps"]))
        rows, self.left_out = self._chosen(end - begin, limit, first)
        rows = rows[np.lexsort((self._flows["flow_id"][rows], begin[rows]))]
        self._rows: list[int] = rows.tolist()
        self._spans = [(nanoseconds(begin[row]), nanoseconds(end[row])) for row in self._rows]
        self._tracks = self._placed(tracks)

    def _chosen(
        self, time: np.ndarray[Any, Any], limit: int, first: Collection[int]
    ) -> tuple[np.ndarray[Any, Any], list[str]]:
        ids = self._flows["flow_id"]
        if len(ids) <= limit:
            return np.arange(len(ids)), []
        is_first = np.isin(ids, list(first))
        what = f"of {count_text(len(ids))} flows, the {count_text(limit)} that took longest"
        if is_first.any():
            what += " and those of critical paths"
        return np.lexsort((ids, -time, ~is_first))[:limit], [f"{what} are in the timeline"]

    def _placed(self, tracks: Tracks) -> list[Track]:
        """For each flow, a track of its source host on which no other flow overlaps it."""
        source = self._ends[0]
        by_host: dict[int, list[int]] = {}
        for place, row in enumerate(self._rows):
            by_host.setdefault(int(source[row]), []).append(place)
        found: dict[int, Track] = {}
        for host, places in by_host.items():
            process = self._nodes.process(host)
            own = list(lanes(self._spans[place] for place in places))
            names = ["flows", *(f"flows ({lane + 2})" for lane in range(max(own)))]
            its = [tracks.track(process, name) for name in names]
            found.update((place, its[lane]) for place, lane in zip(places, own, strict=True))
        return [found[place] for place in range(len(self._rows))]

    def events(self) -> Iterator[Event]:
        """Flows, in order of their starts."""
        columns = {name: self._flows[name] for name in _COLUMNS if name in self._flows}
        for row, span, track in zip(self._rows, self._spans, self._tracks, strict=True):
            facts = {name: _plain(values[row]) for name, values in columns.items()}
            there = self._nodes.name(int(self._ends[1][row]))
            name = f"→ {there}, {bytes_text(facts['size_bytes'])}"
            if not self._is_done[row]:
                name += " (not finished)"
            yield Event.slice(track, name, "flow", span, facts)

    def arrows(self, paths: Sequence[Sequence[tuple[int, int]]]) -> Iterator[Event]:
        """Arrows from each message of a path to the next one.

        Args:
            paths: Critical paths. For each message: its flow, and the time in ps at which the next
                message could begin.
        """
        ids = self._flows["flow_id"]
        places = {int(ids[row]): place for place, row in enumerate(self._rows)}
        found: list[Event] = []
        for path in paths:
            for (one, end_ps), (other, _) in pairwise(path):
                if one in places and other in places:
                    begin, end = self._spans[places[one]]
                    at = max(begin, min(nanoseconds(end_ps), end - 1))
                    track, number = self._tracks[places[one]], len(found) // 2 + 1
                    found.append(Event.arrow_begin(track, number, at))
                    track, at = self._tracks[places[other]], self._spans[places[other]][0]
                    found.append(Event.arrow_end(track, number, at))
        return iter(sorted(found, key=lambda event: event.time_ns))


def _plain(value: Any) -> Any:
    """A value of a column, converted for JSON."""
    return value.item() if isinstance(value, np.generic) else value
