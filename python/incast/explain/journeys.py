"""Journeys of packets: from an event back to the sender, and from an ACK to the data packet that it
acknowledges.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from incast.explain.events import FlowEvents
from incast.measure.ports import Place
from incast.measure.series import Array

__all__ = ["Journeys", "Leg", "preceding", "preceding_one_by_one"]

_NONE = -1
_PORTS = 2**16
"""The most ports of a node."""


class Leg(NamedTuple):
    """A leg of a packet's journey: one link, one queue, or the receiver."""

    start: int
    end: int
    kind: str
    """``link``: from leaving the port to arriving at the other end. ``queue``: waiting at the port.
    ``receiver``: from the arrival of data until their ACK is ready.
    """
    place: Place
    packet: str
    """The kind of the packet."""


class Journeys:
    """The journeys of one flow's packets.

    Args:
        events: The events of the flow.
        far_ends: For each port, the port at the other end of its link.
    """

    def __init__(self, events: FlowEvents, far_ends: Mapping[Place, Place]) -> None:
        self._times: list[int] = events.time.tolist()
        self._places = list(zip(events.node.tolist(), events.port.tolist(), strict=True))
        self._sorts, self._kinds = events.sorts(), events.kinds()
        self._before: list[int] = preceding(events, far_ends).tolist()

    def back(self, index: int) -> list[Leg]:
        """The legs that lead to an event, in order of time, from the packet's departure at its
        sender.
        """
        legs = []
        at = index
        while (before := self._before[at]) != _NONE:
            legs.append(self._leg(before, at))
            at = before
        return legs[::-1]

    def origin(self, index: int) -> int:
        """The first event of the journey that leads to an event."""
        while (before := self._before[index]) != _NONE:
            index = before
        return index

    def _leg(self, before: int, after: int) -> Leg:
        packet = self._kinds[after]
        match self._sorts[before], self._sorts[after]:
            case "send", "receive":
                kind = "link"
            case "receive", "enqueue" if self._kinds[before] != packet:
                kind = "receiver"
            case _:
                kind = "queue"
        place = self._places[before if kind == "link" else after]
        return Leg(self._times[before], self._times[after], kind, place, packet)


def preceding(events: FlowEvents, far_ends: Mapping[Place, Place]) -> Array:
    """For each event, the index of the event that precedes it in its journey; −1 if there is none.
    See :func:`preceding_one_by_one`.

    If no packet is lost or created on the way, equal packets keep their order: the k-th equal
    packet that leaves a queue or link is the k-th that entered it.
    """
    at_host = (events.node == events.source) | (events.node == events.destination)
    enqueued, sent, received = (events.are(sort) for sort in ("enqueue", "send", "receive"))
    if any(events.are(sort).any() for sort in ("lose", "drop", "trim")) or _are_made(
        events, enqueued & ~at_host, received & ~at_host
    ):
        return preceding_one_by_one(events, far_ends)
    places, far = _place_numbers(events, far_ends)
    before = np.full(len(events), _NONE)
    _match(before, enqueued, sent, places, places, events.packets)
    _match(before, sent, received, places, far, events.packets)
    inside = events.node
    _match(before, received & ~at_host, enqueued & ~at_host, inside, inside, events.packets)
    for node in np.unique(events.node[enqueued & at_host]).tolist():
        # A packet that a host sends back answers the packet that arrived last.
        came = np.flatnonzero(received & (events.node == node))
        answers = np.flatnonzero(enqueued & (events.node == node))
        last = np.searchsorted(came, answers) - 1
        known = last >= 0
        before[answers[known]] = came[last[known]]
    return before


def _are_made(events: FlowEvents, enqueued: Array, received: Array) -> bool:
    """Whether switches create packets, such as CNPs, or remove packets."""
    wide = int(events.packets.max(initial=0)) + 1
    numbers = events.node * wide + events.packets
    return not np.array_equal(np.sort(numbers[enqueued]), np.sort(numbers[received]))


def _place_numbers(events: FlowEvents, far_ends: Mapping[Place, Place]) -> tuple[Array, Array]:
    """For each event, a number of its port, and a number of the port at the other end of the
    link.
    """
    known, which = np.unique(events.node * _PORTS + events.port, return_inverse=True)
    places = [divmod(int(number), _PORTS) for number in known]
    numbers = {place: number for number, place in enumerate(places)}
    far = np.array([numbers.get(far_ends[place], _NONE) for place in places])
    return which, far[which]


def _match(
    before: Array, earlier: Array, later: Array, of_earlier: Array, of_later: Array, packets: Array
) -> None:
    """Matches the k-th equal packet that entered a place with the k-th that left it.

    Args:
        before: Output: for each later event, the matching earlier event.
        earlier: For each event, whether a packet enters a place.
        later: For each event, whether a packet leaves a place.
        of_earlier: For each event, the place that its packet enters.
        of_later: For each event, the place that its packet leaves.
        packets: For each event, the number of its packet.
    """
    first, second = np.flatnonzero(earlier), np.flatnonzero(later)
    wide = int(packets.max(initial=0)) + 1
    ins, outs = of_earlier[first] * wide + packets[first], of_later[second] * wide + packets[second]
    ins_at, outs_at = (np.argsort(keys, kind="stable") for keys in (ins, outs))
    place = np.searchsorted(ins[ins_at], outs[outs_at], side="left") + _ranks(outs[outs_at])
    known = place < len(ins)
    known[known] &= ins[ins_at][place[known]] == outs[outs_at][known]
    before[second[outs_at[known]]] = first[ins_at[place[known]]]


def _ranks(keys: Array) -> Array:
    """For each of some sorted numbers, how many equal numbers precede it."""
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else keys
    lengths = np.diff(np.append(starts, len(keys)))
    found: Array = np.arange(len(keys)) - np.repeat(starts, lengths)
    return found


def preceding_one_by_one(events: FlowEvents, far_ends: Mapping[Place, Place]) -> Array:
    """For each event, the index of the event that precedes it in its journey; −1 if there is none.

    The arrival of a packet is preceded by its departure at the other end of the link, its departure
    by its entry into the queue, and that entry by its arrival. A packet that a host sends back is
    preceded by the packet that arrived last.
    """
    return _Matching(events, far_ends).before


class _Matching:
    """Matches events one after the other."""

    def __init__(self, events: FlowEvents, far_ends: Mapping[Place, Place]) -> None:
        self.before = np.full(len(events), _NONE)
        self._far_ends = far_ends
        self._ends = (events.source, events.destination)
        self._waiting: dict[tuple[Place, _Key], deque[int]] = defaultdict(deque)
        self._on_links: dict[tuple[Place, _Key], deque[int]] = defaultdict(deque)
        self._inside: dict[tuple[int, _Key], deque[int]] = defaultdict(deque)
        self._answered: dict[int, int] = {}
        """For each host, the packet that arrived last."""
        columns = zip(
            events.sorts(),
            zip(events.node.tolist(), events.port.tolist(), strict=True),
            events.kinds(),
            events.sequence.tolist(),
            events.entropy.tolist(),
            strict=True,
        )
        for index, (sort, place, *key) in enumerate(columns):
            _FOLLOW[sort](self, index, place, tuple(key))

    def _on_enqueue(self, index: int, place: Place, key: _Key) -> None:
        if place[0] in self._ends:
            self.before[index] = self._answered.get(place[0], _NONE)
        else:
            self.before[index] = _first(self._inside[place[0], key])
        self._waiting[place, key].append(index)

    def _on_send(self, index: int, place: Place, key: _Key) -> None:
        self.before[index] = _first(self._waiting[place, key])
        self._on_links[place, key].append(index)

    def _on_receive(self, index: int, place: Place, key: _Key) -> None:
        self.before[index] = _first(self._on_links[self._far_ends[place], key])
        if place[0] in self._ends:
            self._answered[place[0]] = index
        else:
            self._inside[place[0], key].append(index)

    def _on_lose(self, _index: int, place: Place, key: _Key) -> None:
        if on_link := self._on_links[place, key]:
            on_link.pop()

    def _on_drop(self, _index: int, place: Place, key: _Key) -> None:
        self._take_refused(place, key)

    def _on_trim(self, index: int, place: Place, key: _Key) -> None:
        self.before[index] = self._take_refused(place, key)
        _, sequence, entropy = key
        self._inside[place[0], ("trimmed", sequence, entropy)].append(index)

    def _take_refused(self, place: Place, key: _Key) -> int:
        """The last event of a packet that found no room: its arrival, or its entry into the
        queue.
        """
        for places in (self._inside[place[0], key], self._waiting[place, key]):
            if places:
                return places.pop()
        return _NONE


_Key = tuple[str, int, int]
"""A packet's kind, sequence number and entropy."""
_FOLLOW = {
    "enqueue": _Matching._on_enqueue,
    "send": _Matching._on_send,
    "receive": _Matching._on_receive,
    "lose": _Matching._on_lose,
    "drop": _Matching._on_drop,
    "trim": _Matching._on_trim,
}


def _first(indices: deque[int]) -> int:
    return indices.popleft() if indices else _NONE
