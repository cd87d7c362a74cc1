"""The FCT of a flow, split along its critical path.

The path goes backwards from the ACK that completes the flow, or from the data for which other
messages waited. The ACK acknowledges a data packet, whose journey leads back to its sender. There
the time since the start of the flow is split by what the sender did, or why it did not send:

    start ─ sending and waiting, packet by packet ─ the last packet leaves ─ its way, its ACK's

While the window is full, the sender waits for the ACK that opens it. That time is split along the
journeys of this ACK and of the data packet that it acknowledges: links and queues. Spans have no
gaps, so that their lengths add up to the FCT.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from incast.errors import ResultsError
from incast.explain.journeys import Leg
from incast.explain.recorded import Recorded, SenderState
from incast.measure.ports import Place

__all__ = ["PARTS", "Span", "by_part", "spans", "spans_to_receiver"]

PARTS = {
    "sending": "its packets left the NIC for the first time",
    "way": "links and switches on the way of the last packet and its ACK",
    "window": "a full window: links and switches on the way of what it waited for",
    "pacing": "its pace",
    "queue": "queues",
    "pause": "PFC had paused the port",
    "nic": "other packets left its NIC",
    "turn": "other flows of its QP, or of those that share its limit, came first",
    "grant": "it had no grant to send",
    "credit": "it had no credit of its receiver",
    "resending": "packets left the NIC that had been sent before",
    "loss": "before a packet left again, no reply had shown that it was lost",
    "timeout": "before a packet left again, a timeout was to show that it was lost",
    "receiver": "data had come, and their ACK was not made",
    "idle": "nothing left the port",
}
"""Parts of an FCT, each with its description."""


_REPLIES = ("ack", "nack", "cnp")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a flow's time, along its critical path."""

    start: int
    end: int
    part: str
    """One of :data:`PARTS`."""
    place: Place | None = None
    """The port with the queue or pause, or the NIC's port."""
    flow: int | None = None
    """The flow whose packet left that port during the span; ``None`` for a PFC frame."""
    is_data: bool = True
    """Whether that packet carried data."""
    in_window: bool = False
    """Whether the span is a part of waiting for a full window to open."""
    of_reply: bool = False
    """For a queue or a pause: whether an ACK or another reply of the receiver waited."""

    @property
    def ps(self) -> int:
        """The length of the span."""
        return self.end - self.start


def by_part(along: Iterable[Span]) -> dict[str, int]:
    """The total length of the spans of each part, in ps."""
    sums: dict[str, int] = defaultdict(int)
    for span in along:
        sums[span.part] += span.ps
    return dict(sums)


class _Sent(NamedTuple):
    """A data packet that leaves its sender."""

    time: int
    end: int
    is_again: bool


def spans(
    recorded: Recorded, flow: int, start: int, end: int, *, coarse: bool = False
) -> list[Span]:
    """The spans of a flow from its start until a reply, such as the last ACK, reached its sender.

    Args:
        recorded: The recording of the run.
        flow: The number of the flow.
        start: The start of the flow, in ps.
        end: The arrival of the reply.
        coarse: Merge spans that differ only in the flow whose packets left.

    Raises:
        ResultsError: The recording lacks the flow's last packet.
    """
    path = _CriticalPath(recorded, flow, coarse)
    return list(_joined(path.spans(start, path.reply_at(end))))


def spans_to_receiver(recorded: Recorded, flow: int, start: int, end: int) -> list[Span]:
    """The spans of a flow up to the arrival of data at its receiver; or, if no data arrived at
    `end`, of a reply at its sender. Other messages may wait for either.
    """
    path = _CriticalPath(recorded, flow, coarse=False)
    data = path.data_at(end)
    return list(_joined(path.spans(start, path.reply_at(end) if data is None else data)))


class _CriticalPath:
    """Follows the critical path of one flow backwards."""

    def __init__(self, recorded: Recorded, flow: int, coarse: bool) -> None:
        self._recorded = recorded
        self._flow = flow
        self._coarse = coarse
        self._events = recorded.events[flow]
        self._nic: Place = (self._events.source, 0)
        self._journeys = recorded.journeys(flow)
        self._states = recorded.senders[flow]
        self._state_times = [state.time for state in self._states]
        self._replies: list[int] = self._events.replies.tolist()
        self._reply_times: list[int] = self._events.time[self._replies].tolist()
        self._own = self._events.departures

    def spans(self, start: int, last: int | None) -> Iterator[Span]:
        """All spans from the flow's start to an event, in order, without a gap."""
        legs = [] if last is None else self._journeys.back(last)
        origin = None if last is None else self._journeys.origin(last)
        if origin is None or not (self._own == origin).any():
            what = f"flow {self._flow}: the packet that completed it was not recorded"
            raise ResultsError(what, hint="trace all ports, from its start to its end")
        left = self._events[origin].time
        yield from self._at_sender(start, left)
        for leg in legs:
            yield from self._leg(leg, in_window=False)

    def reply_at(self, time: int) -> int | None:
        """The last reply that reached the sender at a time; ``None`` if there was none."""
        index = bisect_right(self._reply_times, time) - 1
        found = index >= 0 and self._reply_times[index] == time
        return self._replies[index] if found else None

    def data_at(self, time: int) -> int | None:
        """The last data that reached the receiver at a time; ``None`` if there were none."""
        events = self._events
        came = events.are("receive") & events.are_of("data") & (events.node == events.destination)
        found = np.flatnonzero(came & (events.time == time))
        return int(found[-1]) if len(found) else None

    def _sent(self, until: int) -> list[_Sent]:
        """Data packets that the sender sent up to a time."""
        events = self._events
        own = self._own[events.time[self._own] <= until]
        times: list[int] = events.time[own].tolist()
        sizes = zip(times, events.wire[own].tolist(), events.sequence[own].tolist(), strict=True)
        known: set[int] = set()
        found = []
        for place, (time, wire, sequence) in enumerate(sizes):
            end = time + self._recorded.transmission(self._nic, wire)
            if place + 1 < len(times):
                end = min(end, times[place + 1])
            found.append(_Sent(time, end, sequence in known))
            known.add(sequence)
        return found

    def _at_sender(self, start: int, left: int) -> Iterator[Span]:
        """The spans until the last packet leaves."""
        at = start
        for sent in self._sent(left):
            yield from self._waiting(at, sent.time, sent.is_again)
            if sent.time == left:
                return
            at = min(sent.end, left)
            yield Span(sent.time, at, "resending" if sent.is_again else "sending", self._nic)

    def _waiting(self, start: int, end: int, is_again: bool) -> Iterator[Span]:
        """The spans between two packets of the flow at its sender.

        Args:
            start: The time at which the first packet had left.
            end: The time at which the second packet begins to leave.
            is_again: Whether the second packet is a retransmission.
        """
        for state, begin, until in self._states_within(start, end):
            is_full = state.state in ("window", "sent-all")
            if is_full and is_again and not state.sends_again:
                shown = self._timeouts(end) > self._timeouts(start)
                yield Span(begin, until, "timeout" if shown else "loss")
            elif is_full:
                yield from self._full_window(begin, until)
            elif state.state == "ready":
                yield from self._at_nic(begin, until)
            else:
                yield Span(begin, until, state.state)

    def _states_within(self, start: int, end: int) -> Iterator[tuple[SenderState, int, int]]:
        """The states of the sender between two times, each with its begin and end."""
        found: list[tuple[SenderState, int, int]] = []
        index = max(bisect_right(self._state_times, start) - 1, 0)
        at = start
        while at < end:
            state = self._states[index]
            index += 1
            until = end if index == len(self._states) else min(end, self._state_times[index])
            if until <= at:
                continue
            pieces = [(state, at, until)]
            if state.state == "pacing" and state.until < until:
                ready, paced = state._replace(state="ready"), max(at, state.until)
                pieces = [(state, at, paced), (ready, paced, until)]
            for piece, begin, ending in pieces:
                if begin == ending:
                    continue
                if found and _keeps_on(found[-1][0], piece):
                    begin = found.pop()[1]
                found.append((piece, begin, ending))
            at = until
        return iter(found)

    def _timeouts(self, time: int) -> int:
        """The number of timeouts up to a time."""
        index = bisect_right(self._state_times, time) - 1
        return self._states[index].timeouts if index >= 0 else 0

    def _full_window(self, start: int, end: int) -> Iterator[Span]:
        """The spans of a full window, until an ACK opens it."""
        reply = self.reply_at(end)
        at = start
        for leg in [] if reply is None else self._journeys.back(reply):
            cut = leg._replace(start=max(leg.start, at), end=min(leg.end, end))
            if cut.start < cut.end:
                if at < cut.start:
                    yield Span(at, cut.start, "window")
                yield from self._leg(cut, in_window=True)
                at = cut.end
        if at < end:
            yield Span(at, end, "window")

    def _leg(self, leg: Leg, in_window: bool) -> Iterator[Span]:
        """The spans of one leg of a journey."""
        if leg.kind == "queue":
            is_pausable = leg.packet == "data" or self._recorded.pauses_acks
            for span in self._tiles(leg.place, leg.start, leg.end, "queue", is_pausable):
                yield replace(span, in_window=in_window, of_reply=leg.packet in _REPLIES)
        elif leg.start < leg.end:
            part = {"link": "window" if in_window else "way"}.get(leg.kind, leg.kind)
            yield Span(leg.start, leg.end, part, leg.place, in_window=in_window)

    def _at_nic(self, start: int, end: int) -> Iterator[Span]:
        """The spans in which only the NIC's port held the flow: it sent packets of this or other
        flows, was idle, or was paused.
        """
        for span in self._tiles(self._nic, start, end, "nic", pausable=True):
            is_own = span.part == "nic" and span.flow == self._flow and span.is_data
            yield Span(span.start, span.end, "sending", self._nic) if is_own else span

    def _tiles(
        self, place: Place, start: int, end: int, part: str, pausable: bool
    ) -> Iterator[Span]:
        for tile in self._recorded.tiles(place, start, end, pausable, self._coarse):
            if tile.is_paused:
                yield Span(tile.start, tile.end, "pause", place)
            elif tile.is_idle:
                yield Span(tile.start, tile.end, "idle", place)
            else:
                yield Span(tile.start, tile.end, part, place, tile.flow, tile.is_data)


def _keeps_on(before: SenderState, after: SenderState) -> bool:
    """Whether two states hold the sender for the same reason."""
    return before.state == after.state and before.sends_again == after.sends_again


def _joined(pieces: Iterator[Span]) -> Iterator[Span]:
    """Merges adjacent spans that differ only in their times."""
    last: Span | None = None
    for span in pieces:
        if span.start == span.end:
            continue
        if last is not None and _same(last, span):
            span = replace(span, start=last.start)
        elif last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def _same(one: Span, other: Span) -> bool:
    return (
        one.end == other.start
        and one.part == other.part
        and one.place == other.place
        and one.flow == other.flow
        and one.is_data == other.is_data
        and one.in_window == other.in_window
        and one.of_reply == other.of_reply
    )
