"""Compares results with recorded ones, as numbers. The recording is the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from incast.measure.run import Run
from incast.table import Table

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Bucket",
    "FlowComparison",
    "PauseComparison",
    "QueueComparison",
    "TraceComparison",
    "compare_flows",
    "compare_packets",
    "compare_pauses",
    "compare_queue",
]

Columns: TypeAlias = "Mapping[str, np.ndarray[Any, Any]]"

_PS_PER_NS = 1000


@dataclass(frozen=True)
class Bucket:
    """FCT slowdowns of the flows larger than `from_bytes` and up to `to_bytes`."""

    from_bytes: int
    to_bytes: int | None
    flows: int
    p50_recorded: float
    p50: float
    p99_recorded: float
    p99: float

    @property
    def p50_difference(self) -> float:
        """The relative difference of the medians."""
        return self.p50 / self.p50_recorded - 1

    @property
    def p99_difference(self) -> float:
        """The relative difference of the 99th percentiles."""
        return self.p99 / self.p99_recorded - 1


@dataclass(frozen=True)
class FlowComparison:
    """Completion times compared flow by flow."""

    flows: int
    """Flows that completed in the recording."""
    missing: int
    """Flows of the recording that did not complete here."""
    surplus: int
    """Flows that completed here but not in the recording."""
    exact: float
    """The share of the recorded flows with the same completion time, to the nanosecond."""
    within_02_percent: float
    within_1_percent: float
    worst_ns: float
    """The largest difference: our time minus the recorded time."""
    worst: float
    """The largest relative difference; infinite if a flow is missing."""
    starts_differ: int
    """Flows that did not start at the recorded nanosecond."""
    standalone_differ: int
    """Flows whose ideal completion time differs from the recorded one."""
    buckets: list[Bucket]


@dataclass(frozen=True)
class QueueComparison:
    """One queue compared sample by sample."""

    samples: int
    worst_bytes: int
    """The largest difference at any sample."""
    worst_packets: float
    peak_bytes_recorded: int
    peak_bytes: int


@dataclass(frozen=True)
class TraceComparison:
    """Packet events compared one by one."""

    recorded: int
    events: int
    """The number of events in incast's trace."""
    first_difference: str | None
    """The first difference; ``None`` if there is none."""


@dataclass(frozen=True)
class PauseComparison:
    """PFC frames received (pauses and resumes), compared one by one."""

    recorded: int
    events: int
    exact: int
    """The number of frames with equal time, node, port and kind."""


def compare_flows(recorded: Columns, run: Run, base_ns: int = 0) -> FlowComparison:
    """Compares completion times flow by flow.

    Args:
        recorded: `source`, `destination`, `source_port`, `size_bytes`, `start_ns`, `fct_ns` and
            `standalone_ns`.
        run: Our run, under profile hpcc-ns3.
        base_ns: The time in the recording at which our time begins.
    """
    import numpy as np

    count = len(recorded["fct_ns"])
    places, surplus = _places(recorded, run)
    found = places >= 0
    ours = {
        name: run.completed.numbers(name)[places[found]].astype(np.int64)
        for name in ("size_bytes", "start_ps", "fct_ps", "ideal_fct_ps")
    }
    theirs = {name: values[found] for name, values in recorded.items()}
    difference = ours["fct_ps"] / _PS_PER_NS - theirs["fct_ns"]
    relative = difference / theirs["fct_ns"]
    worst = int(np.argmax(np.abs(relative))) if len(relative) else None
    missing = count - int(found.sum())
    starts = ours["start_ps"] != (theirs["start_ns"] - base_ns) * _PS_PER_NS
    return FlowComparison(
        flows=count,
        missing=missing,
        surplus=surplus,
        exact=_share(difference == 0, count),
        within_02_percent=_share(np.abs(relative) <= 0.002, count),
        within_1_percent=_share(np.abs(relative) <= 0.01, count),
        worst_ns=0.0 if worst is None else float(difference[worst]),
        worst=float("inf") if missing or worst is None else float(relative[worst]),
        starts_differ=int((starts | (ours["size_bytes"] != theirs["size_bytes"])).sum()),
        standalone_differ=int((ours["ideal_fct_ps"] != theirs["standalone_ns"] * _PS_PER_NS).sum()),
        buckets=_buckets(theirs, ours, run),
    )


def compare_queue(recorded: Columns, run: Run, packet_bytes: int) -> QueueComparison:
    """Compares a queue at the recorded times. After the end of a run, its queues are empty."""
    import numpy as np

    series = run.series
    measures = series.categories("measure")
    if "queue_bytes" in measures.texts:
        rows = measures.indices == measures.texts.index("queue_bytes")
    else:
        rows = np.zeros(len(series), dtype=bool)
    times = series.numbers("time_ps")[rows].astype(np.int64)
    values = series.numbers("value")[rows].astype(np.int64)
    wanted = recorded["time_ns"] * _PS_PER_NS
    ours = np.zeros(len(wanted), dtype=np.int64)
    _, here, there = np.intersect1d(wanted, times, assume_unique=True, return_indices=True)
    ours[here] = values[there]
    worst = int(np.abs(ours - recorded["bytes"]).max())
    return QueueComparison(
        samples=len(wanted),
        worst_bytes=worst,
        worst_packets=worst / packet_bytes,
        peak_bytes_recorded=int(recorded["bytes"].max()),
        peak_bytes=int(ours.max()),
    )


def compare_pauses(recorded: Columns, run: Run) -> PauseComparison:
    """Compares PFC frames received. Nodes are identified by the labels of their ports."""
    theirs = {
        (int(time) * _PS_PER_NS, int(node), int(port), event == "pause")
        for time, node, port, event in zip(
            *(recorded[name] for name in ("time_ns", "node", "port", "event")), strict=True
        )
    }
    series, ports = run.series, run.ports
    labels = ports.categories("label")
    node_of = {
        labels.texts[label]: (int(node), int(port))
        for label, node, port in zip(
            labels.indices, ports.numbers("node"), ports.numbers("port"), strict=True
        )
    }
    measures, entities = series.categories("measure"), series.categories("entity")
    times, values = series.numbers("time_ps"), series.numbers("value")
    ours = {
        (int(times[row]), *node_of[entities.texts[entities.indices[row]]], bool(values[row]))
        for row in range(len(series))
        if measures.texts[measures.indices[row]] == "pfc"
    }
    return PauseComparison(len(theirs), len(ours), len(theirs & ours))


_WORDS = ("event", "kind")
_NUMBERS = (
    "node",
    "port",
    "flow_id",
    "sequence",
    "payload_bytes",
    "wire_bytes",
    "queue_bytes",
    "marked",
)


def compare_packets(recorded: Columns, packets: Table) -> TraceComparison:
    """Compares traces of packets, event by event.

    Simultaneous events are ordered at each node, but not between nodes.
    """
    import numpy as np

    names = ("time", *_NUMBERS, *_WORDS)
    theirs = [recorded["time_ns"] * _PS_PER_NS]
    theirs += [recorded[name] for name in (*_NUMBERS, *_WORDS)]
    ours = [packets.numbers("time_ps").astype(np.int64)]
    ours += [packets.numbers(name).astype(np.int64) for name in _NUMBERS]
    ours += [_words(packets, name) for name in _WORDS]
    one, other = (
        sorted(zip(*(column.tolist() for column in columns), strict=True), key=lambda row: row[:2])
        for columns in (theirs, ours)
    )
    return TraceComparison(len(one), len(other), _first_difference(names, one, other))


def _first_difference(
    names: Sequence[str], recorded: list[tuple[Any, ...]], ours: list[tuple[Any, ...]]
) -> str | None:
    for row, (theirs, own) in enumerate(zip(recorded, ours, strict=False)):
        for name, expected, found in zip(names, theirs, own, strict=True):
            if found != expected:
                unit = " ps" if name == "time" else ""
                return f"event {row}: {name} is {found}{unit}, recorded {expected}{unit}"
    ends = {"the recording": len(recorded), "ours": len(ours)}
    shorter = min(ends, key=ends.__getitem__)
    return f"{shorter} ends after {ends[shorter]}" if len(set(ends.values())) > 1 else None


def _words(table: Table, column: str) -> np.ndarray[Any, Any]:
    import numpy as np

    texts, indices = table.categories(column)
    words: np.ndarray[Any, Any] = np.array(texts, dtype=np.str_)[indices]
    return words


def _share(hits: np.ndarray[Any, Any], count: int) -> float:
    return float(hits.sum()) / count if count else 1.0


_KEY = ("source", "destination", "source_port")


def _places(recorded: Columns, run: Run) -> tuple[np.ndarray[Any, Any], int]:
    """For each recorded flow, its row in our table, -1 if there is none; and the number of rows
    without a recorded flow.
    """
    import numpy as np

    def key(columns: Columns) -> np.ndarray[Any, Any]:
        source, destination, port = (columns[name].astype(np.uint64) for name in _KEY)
        return source << np.uint64(40) | destination << np.uint64(16) | port

    ours = key({name: run.completed.numbers(name) for name in _KEY})
    theirs = key(recorded)
    order = np.argsort(ours, kind="stable")
    if not len(order):
        return np.full(len(theirs), -1), 0
    nearest = order[np.minimum(np.searchsorted(ours[order], theirs), len(order) - 1)]
    places = np.where(ours[nearest] == theirs, nearest, -1)
    return places, len(ours) - len(np.unique(places[places >= 0]))


def _buckets(theirs: Columns, ours: Columns, run: Run) -> list[Bucket]:
    import numpy as np

    # As in the artifact's own analysis, a slowdown is at least 1.
    recorded = np.maximum(theirs["fct_ns"] / theirs["standalone_ns"], 1)
    measured = np.maximum(ours["fct_ps"] / ours["ideal_fct_ps"], 1)
    buckets = []
    for bucket in run.summary["fct_slowdown"]["by_size"]:
        low, high = bucket["from_bytes"], bucket["to_bytes"]
        size = theirs["size_bytes"]
        rows = (size > low) & (size <= (high or np.iinfo(np.int64).max))
        if rows.any():
            one, other = np.sort(recorded[rows]), np.sort(measured[rows])
            quantiles = [
                float(values[min(len(values) - 1, int(len(values) * p))])
                for p in (0.5, 0.99)
                for values in (one, other)
            ]
            buckets.append(Bucket(low, high, int(rows.sum()), *quantiles))
    return buckets
