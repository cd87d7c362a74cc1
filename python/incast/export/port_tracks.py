"""Pauses of ports as slices; queues of ports and totals of the network as counters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from incast.export.nodes import NETWORK, Nodes
from incast.export.trace_events import Event, Tracks, nanoseconds
from incast.measure.pauses import paused_spans
from incast.present.units import count_text

if TYPE_CHECKING:
    from incast.measure.run import Run

__all__ = ["PortTracks"]

_TOTALS = {"active_flows": ("flows alive", "flows"), "goodput_bps": ("goodput", "bit/s")}
"""Series of the network, and the name and unit of each one's counter."""


class PortTracks:
    """The series of a run, for ports and for the network.

    Attributes:
        left_out: Notes on data that were left out.
    """

    def __init__(self, run: Run, tracks: Tracks, nodes: Nodes, limit: int) -> None:
        self._run, self._tracks, self._nodes = run, tracks, nodes
        self._limit = limit
        self.left_out: list[str] = []
        series = run.series
        texts, self._measure = series.categories("measure")
        self._measures = {text: number for number, text in enumerate(texts)}
        self._entities, self._entity = series.categories("entity")
        self._time, self._value = series["time_ps"], series["value"]
        self._pauses = self._paused()
        self._queues = self._changes("queue_bytes", "samples of queues")
        self._totals = {name: self._changes(name, f"samples of {name}") for name in _TOTALS}
        # Names of processes are written before the first event.
        for entity in np.unique(self._entity[self._queues]):
            self._process(self._entities[entity])
        if any(map(len, self._totals.values())):
            tracks.process(NETWORK, "network")

    def events(self) -> list[Iterator[Event]]:
        """Pauses, queues and totals, each in order of time."""
        totals = (self._total(name, rows) for name, rows in self._totals.items())
        return [iter(self._pauses), self._counters(), *totals]

    def _rows(self, measure: str) -> np.ndarray[Any, Any]:
        return np.flatnonzero(self._measure == self._measures.get(measure, -1))

    def _process(self, label: str) -> int:
        return self._nodes.process(self._nodes.port(label).node)

    def _paused(self) -> list[Event]:
        """An event for each pause, from the pause to its resume or to the end of the series."""
        found = paused_spans(self._run).items()
        spans = sorted((*span, label) for label, own in found for span in own)
        if len(spans) > self._limit:
            kept, every = count_text(self._limit), count_text(len(spans))
            self.left_out.append(f"of {every} pauses, the first {kept} are in the timeline")
        return [self._pause(*span) for span in spans[: self._limit]]

    def _pause(self, begin_ps: int, end_ps: int, label: str) -> Event:
        port = self._nodes.port(label)
        track = self._tracks.track(self._process(label), f"port {port.number}, pauses")
        span = nanoseconds(begin_ps), nanoseconds(end_ps)
        facts = {"port": label, "paused_ps": end_ps - begin_ps}
        return Event.slice(track, "paused", "pause", span, facts)

    def _changes(self, measure: str, noun: str) -> np.ndarray[Any, Any]:
        """The samples of a measure that differ from the sample before or after. If there are too
        many, the largest of several successive samples. An entity whose samples are all 0 has none.
        """
        rows = self._rows(measure)
        has_any = np.zeros(len(self._entities), dtype=bool)
        has_any[self._entity[rows[self._value[rows] != 0]]] = True
        rows = rows[has_any[self._entity[rows]]]
        rows = rows[np.argsort(self._entity[rows], kind="stable")]
        entity, value = self._entity[rows], self._value[rows]
        differs = (value[1:] != value[:-1]) | (entity[1:] != entity[:-1])
        keeps = np.concatenate([differs, [True]]) | np.concatenate([[True], differs])
        rows = rows[keeps[: len(rows)]]
        if len(rows) > self._limit:
            several = -(-len(rows) // self._limit)
            what = f"of each {count_text(several)} {noun} that follow each other"
            self.left_out.append(f"{what}, the largest is in the timeline")
            rows = self._largest(rows, several)
        return rows[np.argsort(self._time[rows], kind="stable")]

    def _largest(self, rows: np.ndarray[Any, Any], several: int) -> np.ndarray[Any, Any]:
        """The row with the largest value of each group of `several` rows; a group belongs to one
        entity.
        """
        entity = self._entity[rows]
        first = np.concatenate([[True], entity[1:] != entity[:-1]])
        place = np.arange(len(rows))
        begin = np.maximum.accumulate(np.where(first, place, 0))
        group = np.cumsum((place - begin) % several == 0)
        order = np.lexsort((-self._value[rows], group))
        is_best = np.concatenate([[True], group[order][1:] != group[order][:-1]])
        found: np.ndarray[Any, Any] = rows[order[is_best]]
        return found

    def _counters(self) -> Iterator[Event]:
        for row in self._queues.tolist():
            label = self._entities[self._entity[row]]
            time, value = nanoseconds(self._time[row]), float(self._value[row])
            name = f"port {self._nodes.port(label).number}, queue"
            yield Event.value(self._process(label), name, time, {"bytes": value})

    def _total(self, measure: str, rows: np.ndarray[Any, Any]) -> Iterator[Event]:
        name, unit = _TOTALS[measure]
        for row in rows.tolist():
            value = float(self._value[row])
            if value == value:
                yield Event.value(NETWORK, name, nanoseconds(self._time[row]), {unit: value})
