"""What a run has recorded of the flows that are explained."""

from __future__ import annotations

import tomllib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array, curves
from incast.table import Table

__all__ = ["Event", "Place", "Port", "Recorded", "SenderState", "Tile"]

Place = tuple[int, int]
"""A node, and a port of it."""
_BIT_PS = 8_000_000_000_000


class Event(NamedTuple):
    """What happened to a packet of a flow."""

    time: int
    node: int
    port: int
    event: str
    kind: str
    sequence: int
    wire: int
    marked: bool
    queue: int
    """Bytes that wait at the port beside it."""
    entropy: int

    @property
    def place(self) -> Place:
        """Where."""
        return self.node, self.port

    @property
    def key(self) -> tuple[str, int, int]:
        """What tells it from other packets of its flow that are on their way."""
        return self.kind, self.sequence, self.entropy


class SenderState(NamedTuple):
    """What keeps the next packet of a flow, from some time on."""

    time: int
    state: str
    until: int
    """Of pacing: its end."""
    window: int
    rate: int
    timeouts: int


class Port(NamedTuple):
    """The sending end of a link."""

    place: Place
    label: str
    rate_bps: int
    far_end: Place
    """The port at the other end of its link."""


class Tile(NamedTuple):
    """A piece of time at a port."""

    start: int
    end: int
    flow: int | None
    """Whose packet leaves: a flow's; none of a PFC frame, or if nothing leaves."""
    is_data: bool
    is_paused: bool
    is_frame: bool = False
    """Whether a frame of PFC leaves."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing is known to leave."""
        return self.flow is None and not self.is_frame and not self.is_paused


class _Sends(NamedTuple):
    """Packets that began to leave a port, in order."""

    times: list[int]
    ends: list[int]
    flows: list[int]
    """−1 for PFC frames."""
    are_data: list[bool]


class Recorded:
    """The recording of a run with ``measure.packets.causes``."""

    def __init__(self, run: Run) -> None:
        self._run = run
        model = tomllib.loads(run.scenario)["network"]["model"]
        self.pauses_acks = model["ack_class"] == "data"
        """Whether a pause of data stops ACKs, too."""
        self._in_ns = run.summary["clock"] == "nanoseconds"
        self.hosts = int(run.summary["hosts"])
        self.ports = _ports(run)
        self._labels = {port.label: place for place, port in self.ports.items()}
        self.senders = _by_flow(_sender_states(run))
        self._read_packets()
        self.pauses = self._read_pauses()

    def _read_packets(self) -> None:
        table = self._run.packets
        flows = _whole(table.numbers("flow_id"))
        own = np.flatnonzero(np.isin(flows, list(self.senders)))
        texts = [_texts(table, name, own) for name in ("event", "kind")]
        columns = [
            _whole(table.numbers(name))[own].tolist()
            for name in (
                *("time_ps", "node", "port", "sequence", "wire_bytes", "marked", "queue_bytes"),
            )
        ]
        entropies = (
            _whole(table.numbers("source_port"))[own].tolist()
            if "source_port" in table
            else [-1] * len(own)
        )
        times, nodes, ports, sequences, wires, marks, queues = columns
        what = (sequences, wires, map(bool, marks), queues)
        rows = zip(times, nodes, ports, *texts, *what, entropies, strict=True)
        self.events: dict[int, list[Event]] = defaultdict(list)
        for flow, row in zip(flows[own].tolist(), rows, strict=True):
            self.events[flow].append(Event._make(row))
        self._sends = {
            place: self._sends_of(place, table, flows, rows)
            for place, rows in _by_place(table, _is(table, "event", "send"))
        }

    def _sends_of(self, place: Place, table: Table, flows: Array, rows: Array) -> _Sends:
        times = _whole(table.numbers("time_ps"))[rows]
        wires, which = np.unique(_whole(table.numbers("wire_bytes"))[rows], return_inverse=True)
        lengths = np.array([self.transmission(place, wire) for wire in wires.tolist()])
        return _Sends(
            times.tolist(),
            (times + lengths[which]).tolist(),
            flows[rows].tolist(),
            _is(table, "kind", "data")[rows].tolist(),
        )

    def _read_pauses(self) -> dict[Place, list[tuple[int, int]]]:
        end = int(self._run.summary["simulated_ps"])
        found: dict[Place, list[tuple[int, int]]] = {}
        for label, (times, values) in curves(self._run.series, "pfc").items():
            since, spans = None, []
            for time, value in zip(times.tolist(), values.tolist(), strict=True):
                if value and since is None:
                    since = round(time)
                elif not value and since is not None:
                    spans.append((since, round(time)))
                    since = None
            if since is not None:
                spans.append((since, max(end, since)))
            found[self._labels[label]] = spans
        return found

    def transmission(self, place: Place, wire: int) -> int:
        """How long a packet takes to leave a port, in ps, at the full rate of its link."""
        rate = self.ports[place].rate_bps
        if self._in_ns:
            # The artifact's clock: seconds in binary, cut to whole ns.
            seconds = Fraction(wire * 8 / rate)
            return int(int(seconds * 2**64) * 1_000_000_000 >> 64) * 1000
        return -(-wire * _BIT_PS // rate)

    def tiles(self, place: Place, start: int, end: int, pausable: bool) -> Iterator[Tile]:
        """What a port did in a span of time, without a gap.

        From the beginning of a packet to that of the next it is this packet that leaves, but for
        the time that the peer had paused the port once the packet was out.
        """
        sends = self._sends.get(place)
        if sends is None:
            yield Tile(start, end, None, False, False)
            return
        index = bisect_right(sends.times, start) - 1
        at = start
        while at < end:
            following = index + 1
            until = end
            if following < len(sends.times):
                until = min(end, sends.times[following])
            if until > at:
                if index < 0:
                    yield Tile(at, until, None, False, False)
                else:
                    yield from self._tile(place, sends, index, (at, until), pausable)
                at = until
            index = following

    def _tile(
        self, place: Place, sends: _Sends, index: int, span: tuple[int, int], pausable: bool
    ) -> Iterator[Tile]:
        at, until = span
        is_frame = sends.flows[index] < 0
        flow = None if is_frame else sends.flows[index]
        own = flow, sends.are_data[index], False, is_frame
        for begin, end in self._paused(place, max(at, sends.ends[index]), until, pausable):
            if begin > at:
                yield Tile(at, begin, *own)
            yield Tile(begin, end, None, False, is_paused=True)
            at = end
        if at < until:
            yield Tile(at, until, *own)

    def _paused(
        self, place: Place, start: int, end: int, pausable: bool
    ) -> Iterator[tuple[int, int]]:
        """Pauses of a port within a span."""
        spans = self.pauses.get(place) if pausable else None
        if not spans or start >= end:
            return
        first = max(bisect_left(spans, (start, start)) - 1, 0)
        for begin, until in spans[first:]:
            if begin >= end:
                return
            if max(begin, start) < min(until, end):
                yield max(begin, start), min(until, end)


def _whole(values: Array) -> Array:
    """Numbers as integers; −1 where there are none."""
    if values.dtype.kind == "f":
        values = np.nan_to_num(values, nan=-1.0)
    whole: Array = values.astype(np.int64)
    return whole


def _texts(table: Table, column: str, rows: Array) -> list[str]:
    found = table.categories(column)
    return [found.texts[index] for index in found.indices[rows].tolist()]


def _is(table: Table, column: str, text: str) -> Array:
    """Where a column has a text."""
    found = table.categories(column)
    if text not in found.texts:
        return np.zeros(len(table), dtype=bool)
    is_there: Array = found.indices == found.texts.index(text)
    return is_there


def _by_place(table: Table, where: Array) -> Iterator[tuple[Place, Array]]:
    """The rows of each port, in order."""
    rows = np.flatnonzero(where)
    nodes, ports = (_whole(table.numbers(name))[rows] for name in ("node", "port"))
    order = np.lexsort((ports, nodes))
    keys = np.stack((nodes[order], ports[order]), axis=1)
    starts = np.flatnonzero(np.any(keys[1:] != keys[:-1], axis=1)) + 1
    for group in np.split(order, starts) if len(order) else []:
        first = group[0]
        yield (int(nodes[first]), int(ports[first])), rows[group]


def _ports(run: Run) -> dict[Place, Port]:
    """All ports of a network by their place."""
    table = run.ports
    nodes, numbers, peers, rates = (
        table.numbers(name).astype(int).tolist() for name in ("node", "port", "peer", "rate_bps")
    )
    labels = table["label"].tolist()
    # The k-th of the links between two nodes is the k-th at both.
    links: dict[tuple[int, int], list[Place]] = defaultdict(list)
    for node, number, peer in zip(nodes, numbers, peers, strict=True):
        links[node, peer].append((node, number))
    found = {}
    for node, number, peer, rate, label in zip(nodes, numbers, peers, rates, labels, strict=True):
        which = links[node, peer].index((node, number))
        found[node, number] = Port((node, number), label, rate, links[peer, node][which])
    return found


def _sender_states(run: Run) -> Iterator[tuple[int, SenderState]]:
    table = run.senders
    states = table.categories("state")
    until = _whole(table.numbers("until_ps")).tolist()
    columns: list[list[Any]] = [
        table.numbers(name).astype(int).tolist()
        for name in ("flow_id", "time_ps", "window_bytes", "rate_bps", "timeouts")
    ]
    for index, (flow, time, window, rate, timeouts) in enumerate(zip(*columns, strict=True)):
        state = states.texts[int(states.indices[index])]
        yield flow, SenderState(time, state, until[index], window, rate, timeouts)


def _by_flow(states: Iterator[tuple[int, SenderState]]) -> dict[int, list[SenderState]]:
    found: dict[int, list[SenderState]] = defaultdict(list)
    for flow, state in states:
        found[flow].append(state)
    return found
