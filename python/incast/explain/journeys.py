"""Journeys of packets: from their events back to the sender, and from ACKs to what they answer."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from incast.explain.recorded import Event, Place, Port

__all__ = ["Journeys", "Leg"]

_Key = tuple[str, int, int]


class Leg(NamedTuple):
    """A part of a journey, in order of time: what a packet did, and where."""

    start: int
    end: int
    kind: str
    """``link``: it left the port, and arrived at the other end. ``queue``: it waited at the port.
    ``receiver``: data had come, and their ACK was to be made."""
    place: Place
    packet: str
    """Its kind."""


class Journeys:
    """The packets of one flow.

    Args:
        events: Of the flow, in order.
        ports: Of the network.
        hosts: Nodes with smaller numbers are hosts.
    """

    def __init__(self, events: Sequence[Event], ports: Mapping[Place, Port], hosts: int) -> None:
        self._events = events
        self._ports = ports
        self._hosts = hosts
        self._before: list[int | None] = [None] * len(events)
        """The event from which each follows."""
        self._waiting: dict[tuple[Place, _Key], deque[int]] = defaultdict(deque)
        self._on_links: dict[tuple[Place, _Key], deque[int]] = defaultdict(deque)
        self._inside: dict[tuple[int, _Key], deque[int]] = defaultdict(deque)
        self._answered: dict[int, int] = {}
        """By host: the packet that came last, which what it sends back answers."""
        for index, event in enumerate(events):
            _FOLLOW[event.event](self, index, event)

    def back(self, index: int) -> list[Leg]:
        """What led to an event, in order of time, from the first bit that left its sender."""
        legs = []
        events, at = self._events, index
        while (before := self._before[at]) is not None:
            legs.append(_leg(events[before], events[at]))
            at = before
        return legs[::-1]

    def origin(self, index: int) -> int:
        """The event from which an event follows at last."""
        while (before := self._before[index]) is not None:
            index = before
        return index

    def _on_enqueue(self, index: int, event: Event) -> None:
        if event.node < self._hosts:
            self._before[index] = self._answered.get(event.node)
        else:
            self._before[index] = _first(self._inside[event.node, event.key])
        self._waiting[event.place, event.key].append(index)

    def _on_send(self, index: int, event: Event) -> None:
        self._before[index] = _first(self._waiting[event.place, event.key])
        self._on_links[event.place, event.key].append(index)

    def _on_receive(self, index: int, event: Event) -> None:
        sent_from = self._ports[event.place].far_end
        self._before[index] = _first(self._on_links[sent_from, event.key])
        if event.node < self._hosts:
            self._answered[event.node] = index
        else:
            self._inside[event.node, event.key].append(index)

    def _on_lose(self, _index: int, event: Event) -> None:
        if on_link := self._on_links[event.place, event.key]:
            on_link.pop()

    def _on_drop(self, _index: int, event: Event) -> None:
        self._take_refused(event)

    def _on_trim(self, index: int, event: Event) -> None:
        self._before[index] = self._take_refused(event)
        header = ("trimmed", event.sequence, event.entropy)
        self._inside[event.node, header].append(index)

    def _take_refused(self, event: Event) -> int | None:
        """The last event of a packet without room: one that has just come, or has waited."""
        for places in (
            self._inside[event.node, event.key],
            self._waiting[event.place, event.key],
        ):
            if places:
                return places.pop()
        return None


_FOLLOW = {
    "enqueue": Journeys._on_enqueue,
    "send": Journeys._on_send,
    "receive": Journeys._on_receive,
    "lose": Journeys._on_lose,
    "drop": Journeys._on_drop,
    "trim": Journeys._on_trim,
}


def _first(indices: deque[int]) -> int | None:
    return indices.popleft() if indices else None


def _leg(before: Event, after: Event) -> Leg:
    match before.event, after.event:
        case "send", "receive":
            kind = "link"
        case "receive", "enqueue" if before.kind != after.kind:
            kind = "receiver"
        case _:
            kind = "queue"
    place = after.place if kind != "link" else before.place
    return Leg(before.time, after.time, kind, place, after.kind)
