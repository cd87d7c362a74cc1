"""Hops: a packet at a port, with the times at which it was queued, left, and arrived.

A packet trace has single events, which are paired here by packet and port. Packets of one kind,
flow and sequence number are matched in order. The delay of a link is constant, so arrivals are
computed. If a scenario varies delays, each arrival is paired with a departure at the other end.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from incast.measure.ports import Place, every_port, far_ends
from incast.measure.run import Run
from incast.measure.series import Array, whole
from incast.measure.transmission import transmission_ps

__all__ = ["FRAMES", "Hop", "Hops", "hops_of"]

FRAMES = ("pause", "resume")
"""Kinds of PFC frames; they belong to no flow and no queue."""


@dataclass(slots=True)
class Hop:
    """A packet at a port. Times are in picoseconds."""

    place: Place
    flow: int
    """The flow of the packet; −1 for PFC frames."""
    kind: str
    sequence: int
    wire: int
    marked: bool
    since: int | None
    """When the packet entered the queue; ``None`` if that was before the trace began."""
    leaves: int | None = None
    """When the packet's first bit leaves the port, or the packet is dropped from the queue;
    ``None`` if it is still queued at the end.
    """
    out: int | None = None
    """When the packet's last bit has left."""
    arrives: int | None = None
    """When the packet's last bit has arrived at the other end."""
    fate: str = "waits"
    """`waits` if the packet is still queued at the end; else `arrives`, `lost` on the link,
    `dropped`, or `trimmed`.
    """

    @property
    def is_queued(self) -> bool:
        """Whether the packet counts in the port's queue."""
        return self.kind not in FRAMES


class Hops(NamedTuple):
    """The hops of a trace."""

    every: Sequence[Hop]
    """All hops in order of departure; those that did not leave come last."""
    rests: Mapping[Place, int]
    """For each port, bytes that waited there before the trace began, and did not leave in it."""
    silent: Sequence[Place]
    """Ports without an event, whose queues are unknown."""


def hops_of(run: Run, begin: int, end: int) -> Hops:
    """The hops of a trace between two times.

    Args:
        run: A run in which all packets were traced between these times.
        begin: The first time, inclusive.
        end: The last time, inclusive.
    """
    return _Pairs(run).paired(begin, end)


_Packet = tuple[int, str, int, int]
"""The key of packets at a port: flow, kind, sequence number, UDP source port."""


class _Pairs:
    """Pairs events into hops."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._rates = {port.place: port.rate_bps for port in every_port(run)}
        self._far = far_ends(run)
        self._hosts = int(run.summary.get("nics") or run.summary["hosts"])
        self._clock = str(run.summary["clock"])
        self._lengths: dict[tuple[int, int], int] = {}
        self._left: list[Hop] = []
        self._waiting: dict[tuple[Place, _Packet], deque[Hop]] = defaultdict(deque)
        self._flying: dict[tuple[Place, _Packet], deque[Hop]] = defaultdict(deque)
        self._received: list[tuple[Hop, int, bool]] = []
        """Arrivals: the hop, the time, and whether a departure with the same key was found."""
        self._are_alike = _are_delays_alike(run)
        self._first: dict[Place, tuple[int, Hop]] = {}
        """For each port, the queue at its first event without that packet, and the packet's hop."""

    def paired(self, begin: int, end: int) -> Hops:
        """Pairs all departures with arrivals, and gives all hops."""
        happen = {
            "enqueue": self._enqueue,
            "send": self._send,
            "drop": self._drop,
            "trim": self._trim,
            "lose": self._lose,
            "receive": self._receive,
        }
        for event, time, queue, packet in self._events(begin, end):
            happen[event](packet, time, queue)
        self._arrive(begin)
        waiting = [hop for hops in self._waiting.values() for hop in hops]
        every = [*self._left, *waiting]
        early: dict[Place, int] = defaultdict(int)
        for hop in every:
            if hop.since is None and hop.is_queued:
                early[hop.place] += hop.wire
        rests = {
            place: queue - (early[place] - (hop.wire if hop.since is None else 0))
            for place, (queue, hop) in self._first.items()
        }
        silent = [place for place in self._rates if place not in self._first]
        return Hops(every, {place: rest for place, rest in rests.items() if rest}, silent)

    def _events(self, begin: int, end: int) -> Iterable[tuple[str, int, int, tuple[Hop, _Packet]]]:
        table = self._run.packets
        times = table.numbers("time_ps")
        rows = np.flatnonzero((times >= begin) & (times <= end))
        names = ("node", "port", "flow_id", "sequence", "wire_bytes", "marked", "queue_bytes")
        columns = [_listed(table.numbers(name), rows) for name in names]
        paths = (
            _listed(table.numbers("source_port"), rows)
            if "source_port" in table
            else [0] * len(rows)
        )
        events, kinds = (
            [found.texts[index] for index in found.indices[rows].tolist()]
            for found in (table.categories("event"), table.categories("kind"))
        )
        for event, time, kind, path, node, port, flow, sequence, wire, marked, queue in zip(
            events, _listed(times, rows), kinds, paths, *columns, strict=True
        ):
            hop = Hop((node, port), flow, kind, sequence, wire, bool(marked), None)
            yield event, time, queue, (hop, (flow, kind, sequence, path))

    def _enqueue(self, packet: tuple[Hop, _Packet], time: int, queue: int) -> None:
        hop, key = packet
        hop.since = time
        self._waiting[hop.place, key].append(hop)
        self._anchor(hop, queue)

    def _send(self, packet: tuple[Hop, _Packet], time: int, queue: int) -> None:
        hop = self._leave(packet, time, queue)
        hop.marked = packet[0].marked
        hop.fate = "arrives"
        hop.out = time + self._length(hop)
        self._flying[hop.place, packet[1]].append(hop)

    def _drop(self, packet: tuple[Hop, _Packet], time: int, queue: int) -> None:
        self._discard(packet, time, queue).fate = "dropped"

    def _trim(self, packet: tuple[Hop, _Packet], time: int, queue: int) -> None:
        self._discard(packet, time, queue).fate = "trimmed"

    def _discard(self, packet: tuple[Hop, _Packet], time: int, queue: int) -> Hop:
        hop, key = packet
        if not self._waiting[hop.place, key]:
            # It is dropped on arrival, and was never enqueued.
            hop.since = time
        return self._leave(packet, time, queue)

    def _lose(self, packet: tuple[Hop, _Packet], _time: int, _queue: int) -> None:
        hop, key = packet
        self._flying[hop.place, key].pop().fate = "lost"

    def _receive(self, packet: tuple[Hop, _Packet], time: int, _queue: int) -> None:
        hop, key = packet
        hop.place = self._far[hop.place]
        flying = self._flying[hop.place, key]
        self._received.append((hop, time, bool(flying)))
        if flying:
            flying.popleft().arrives = time

    def _leave(self, packet: tuple[Hop, _Packet], time: int, queue: int) -> Hop:
        """Ends the wait of a packet at its port: it leaves or is dropped."""
        hop, key = packet
        waiting = self._waiting[hop.place, key]
        if waiting:
            hop = waiting.popleft()
        elif hop.place[0] < self._hosts and hop.since is None:
            # A sender creates a data packet when it sends it.
            hop.since = time
        hop.leaves = time
        self._anchor(hop, queue)
        self._left.append(hop)
        return hop

    def _anchor(self, hop: Hop, queue: int) -> None:
        if hop.is_queued:
            self._first.setdefault(hop.place, (queue, hop))

    def _length(self, hop: Hop) -> int:
        key = self._rates[hop.place], hop.wire
        if key not in self._lengths:
            self._lengths[key] = transmission_ps(*key, self._clock)
        return self._lengths[key]

    def _arrive(self, begin: int) -> None:
        """Sets the times of arrivals at the other ends of links, and finds packets that had left
        before the trace began.
        """
        delays = self._delays()
        for hop in self._left:
            if hop.out is not None and (self._are_alike or hop.arrives is None):
                hop.arrives = hop.out + delays.get(hop.place, 0)
        early = []
        for hop, time, is_paired in self._received:
            if hop.place not in delays:
                continue
            out = time - delays[hop.place]
            leaves = out - self._length(hop)
            if leaves < begin if self._are_alike else not is_paired:
                hop.since, hop.leaves, hop.out, hop.arrives = leaves, leaves, out, time
                hop.fate = "arrives"
                early.append(hop)
        self._left = [*early, *self._left]

    def _delays(self) -> dict[Place, int]:
        """For each port, the delay of its link. A packet that was on the link when the trace began
        may be paired with a later departure of an equal packet. That makes a delay too short, never
        too long.
        """
        delays: dict[Place, int] = {}
        for hop in self._left:
            if hop.arrives is not None and hop.out is not None:
                delay = hop.arrives - hop.out
                for place in (hop.place, self._far[hop.place]):
                    delays[place] = max(delay, delays.get(place, 0))
        return delays


def _are_delays_alike(run: Run) -> bool:
    """Whether all packets of a link have the same delay: no jitter, and no fault that changes a
    rate.
    """
    if "jitter" in tomllib.loads(run.scenario)["network"]:
        return False
    if not run.summary.get("faults"):
        return True
    return "degraded" not in run.faults.categories("kind").texts


def _listed(values: Array, rows: Array) -> list[int]:
    found: list[int] = whole(values[rows]).tolist()
    return found
