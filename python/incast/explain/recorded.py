"""The recording of a run with causes, for the flows that are explained."""

from __future__ import annotations

import tomllib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from incast.explain.events import FlowEvents
from incast.explain.journeys import Journeys
from incast.measure.pauses import paused_spans
from incast.measure.ports import Place, ends_of_flows, every_port, far_ends
from incast.measure.run import Run
from incast.measure.series import Array, whole
from incast.measure.transmission import transmission_ps

__all__ = ["Recorded", "SenderState", "Tile", "is_limit"]


class SenderState(NamedTuple):
    """What holds the next packet of a flow, from `time` on."""

    time: int
    state: str
    until: int
    """The time until which the packet is paced."""
    window: int
    rate: int
    timeouts: int
    sends_again: bool
    """Whether the packet is a retransmission."""
    heard: str
    """The signal or event with which the state began."""


def is_limit(value: int) -> bool:
    """Whether the sender has such a limit; −1 means that it has none."""
    return value >= 0


class Tile(NamedTuple):
    """A period at a port in which one packet leaves, or none."""

    start: int
    end: int
    flow: int | None
    """The flow whose packet leaves; ``None`` for a PFC frame, or if nothing leaves."""
    is_data: bool
    is_paused: bool
    is_frame: bool = False
    """Whether a frame of PFC leaves."""

    @property
    def is_idle(self) -> bool:
        """Whether the port sends nothing and is not paused."""
        return self.flow is None and not self.is_frame and not self.is_paused


class _Sends(NamedTuple):
    """Packets that began to leave a port, in order."""

    times: list[int]
    ends: list[int]
    flows: list[int]
    """The flow of each packet; −1 for PFC frames."""
    are_data: list[bool]


class Recorded:
    """The recording of a run with ``measure.packets.causes``."""

    def __init__(self, run: Run) -> None:
        self._run = run
        model = tomllib.loads(run.scenario)["network"]["model"]
        self.pauses_acks = model["ack_class"] == "data"
        """Whether pauses of data also stop ACKs."""
        self._clock = str(run.summary["clock"])
        self.ports = {port.place: port for port in every_port(run)}
        self.far_ends = far_ends(run)
        """For each port, the port at the other end of its link."""
        self.senders = _by_flow(_sender_states(run))
        self._journeys: tuple[int, Journeys] | None = None
        self._read_packets()
        places = {port.label: place for place, port in self.ports.items()}
        self.pauses = {places[label]: spans for label, spans in paused_spans(run).items()}

    def _read_packets(self) -> None:
        table = self._run.packets
        flows = whole(table.numbers("flow_id"))
        own = np.flatnonzero(np.isin(flows, list(self.senders)))
        own = own[np.argsort(flows[own], kind="stable")]
        starts = np.flatnonzero(np.diff(flows[own])) + 1
        ids = whole(self._run.flows.numbers("flow_id")).tolist()
        ends = dict(zip(ids, zip(*ends_of_flows(self._run), strict=True), strict=True))
        self.events = {
            (flow := int(flows[rows[0]])): FlowEvents(table, rows, *map(int, ends[flow]))
            for rows in (np.split(own, starts) if len(own) else [])
        }
        sent = np.flatnonzero(table.categories("event").are("send"))
        columns = (
            whole(table.numbers("time_ps")[sent]),
            whole(table.numbers("wire_bytes")[sent]),
            flows[sent],
            table.categories("kind").are("data")[sent],
        )
        nodes, ports = (whole(table.numbers(name)[sent]) for name in ("node", "port"))
        self._sends = {
            place: self._sends_of(place, *(column[rows] for column in columns))
            for place, rows in _by_place(nodes, ports)
        }

    def _sends_of(
        self, place: Place, times: Array, wires: Array, flows: Array, are_data: Array
    ) -> _Sends:
        sizes, which = np.unique(wires, return_inverse=True)
        lengths = np.array([self.transmission(place, wire) for wire in sizes.tolist()])
        ends = times + lengths[which]
        return _Sends(times.tolist(), ends.tolist(), flows.tolist(), are_data.tolist())

    def journeys(self, flow: int) -> Journeys:
        """The journeys of a flow's packets, kept until another flow is asked for."""
        if self._journeys is None or self._journeys[0] != flow:
            self._journeys = flow, Journeys(self.events[flow], self.far_ends)
        return self._journeys[1]

    def transmission(self, place: Place, wire: int) -> int:
        """The transmission time of a packet at a port, in ps, at the full rate of its link."""
        return transmission_ps(self.ports[place].rate_bps, wire, self._clock)

    def tiles(
        self, place: Place, start: int, end: int, pausable: bool, coarse: bool
    ) -> Iterator[Tile]:
        """The tiles of a port that fill a span of time, without a gap.

        A tile lasts from the start of one packet to the start of the next. Pauses after the end of
        the packet are tiles of their own. If `coarse`, all packets after the first are one tile,
        except at ports with pauses.
        """
        sends = self._sends.get(place)
        coarse &= place not in self.pauses
        if sends is None:
            yield Tile(start, end, None, False, False)
            return
        index = bisect_right(sends.times, start) - 1
        at = start
        while at < end:
            following = index + 1
            until = end
            if following < len(sends.times) and not (coarse and at > start):
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
        """The pauses of a port within a span of time."""
        spans = self.pauses.get(place) if pausable else None
        if not spans or start >= end:
            return
        first = max(bisect_left(spans, (start, start)) - 1, 0)
        for begin, until in spans[first:]:
            if begin >= end:
                return
            if max(begin, start) < min(until, end):
                yield max(begin, start), min(until, end)


def _by_place(nodes: Array, ports: Array) -> Iterator[tuple[Place, Array]]:
    """For each port, its rows in order."""
    order = np.lexsort((ports, nodes))
    changes = (np.diff(nodes[order]) != 0) | (np.diff(ports[order]) != 0)
    for rows in np.split(order, np.flatnonzero(changes) + 1) if len(order) else []:
        yield (int(nodes[rows[0]]), int(ports[rows[0]])), rows


def _sender_states(run: Run) -> Iterator[tuple[int, SenderState]]:
    table = run.senders
    states = table.categories("state")
    columns: list[list[Any]] = [
        whole(table.numbers(name)).tolist()
        for name in (
            *("flow_id", "time_ps", "window_bytes", "rate_bps", "timeouts", "sends_again"),
            "until_ps",
        )
    ]
    heard = table.categories("heard")
    words = (
        [column.texts[index] for index in column.indices.tolist()] for column in (states, heard)
    )
    for flow, time, window, rate, timeouts, again, end, state, said in zip(
        *columns, *words, strict=True
    ):
        yield flow, SenderState(time, state, end, window, rate, timeouts, bool(again), said)


def _by_flow(states: Iterator[tuple[int, SenderState]]) -> dict[int, list[SenderState]]:
    found: dict[int, list[SenderState]] = defaultdict(list)
    for flow, state in states:
        found[flow].append(state)
    return found
