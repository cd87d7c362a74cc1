"""Measures how long a sender's limit was below an equal share of its path.

At each moment the equal share is the minimum, over the ports of the path, of the link's rate
divided by the number of flows there. The limit is the smaller of two rates: the pace, and one
window per round trip without queues. Both are step functions, so the time below is a whole number
of picoseconds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, pairwise

from incast.explain.company import AtPort
from incast.explain.recorded import Recorded, SenderState, is_limit

__all__ = ["equal_shares", "pace_of_window", "time_below"]

_BIT_PS = 8_000_000_000_000
_OF_RECEIVERS = ("credit", "grant")
"""States in which a sender waits for its receiver's permission."""
_BEFORE = -1
"""A time before all others."""


def time_below(
    recorded: Recorded, flow: int, start: int, payload: int, ports: Sequence[AtPort]
) -> int | None:
    """How long the limit of a flow was below an equal share, in ps, from the flow's start until its
    last packet began to leave. ``None`` if the flow took several paths, or waited for credit or
    grants.

    Args:
        recorded: The recording of the run.
        flow: The number of the flow.
        start: The start of the flow, in ps.
        payload: The payload of the flow's first packet, in bytes.
        ports: All ports of the flow's path, with the flows that it met.
    """
    events = recorded.events[flow]
    states = recorded.senders[flow]
    if _has_several_paths(ports) or any(state.state in _OF_RECEIVERS for state in states):
        return None
    end = int(events.time[events.departures].max())
    window_pace = _window_pace(recorded, flow, payload)
    shares = equal_shares(ports)
    since, changes = ([time for time, *_ in each] for each in (states, shares))
    moments = sorted({start, end, *(time for time in (*since, *changes) if start < time < end)})
    below = 0
    for time, following in pairwise(moments):
        state = states[max(bisect_right(since, time) - 1, 0)]
        _, share = shares[bisect_right(changes, time) - 1]
        if _is_below(state, window_pace, share):
            below += following - time
    return below


def _has_several_paths(ports: Sequence[AtPort]) -> bool:
    """Whether data left a node by two ports."""
    return len({each.port.node for each in ports}) < len(ports)


def _is_below(state: SenderState, window_pace: Fraction | None, share: Fraction) -> bool:
    """Whether a sender's pace, or the pace of its window, is below a share."""
    return state.rate < share or (
        window_pace is not None
        and is_limit(state.window)
        # state.window · window_pace < share, in integers.
        and state.window * window_pace.numerator * share.denominator
        < share.numerator * window_pace.denominator
    )


def equal_shares(ports: Sequence[AtPort]) -> list[tuple[int, Fraction]]:
    """The equal share of a path, in bit/s, as steps: times, and the share from each time on. The
    share of a path is the least of its ports.

    Args:
        ports: All ports of the path.
    """
    changes = sorted(
        (time, place, change)
        for place, each in enumerate(ports)
        for met in each.others
        for time, change in ((met.first_ps, 1), (met.last_ps, -1))
    )
    flows = [1] * len(ports)
    found = [(_BEFORE, min(Fraction(each.port.rate_bps) for each in ports))]
    for time, group in groupby(changes, key=lambda each: each[0]):
        for _, place, change in group:
            flows[place] += change
        shares = (
            Fraction(each.port.rate_bps, count) for each, count in zip(ports, flows, strict=True)
        )
        found.append((time, min(shares)))
    return found


def pace_of_window(window: int, payload: int, wire: int, round_trip: int) -> Fraction:
    """The rate of one window per round trip, in bit/s on the wire.

    Args:
        window: The window: payload in flight, in bytes.
        payload: The payload of a packet, in bytes.
        wire: The size of that packet with headers.
        round_trip: The round trip without queues, in ps.
    """
    return Fraction(window * wire * _BIT_PS, payload * round_trip)


def _window_pace(recorded: Recorded, flow: int, payload: int) -> Fraction | None:
    """The pace of a window of one byte; ``None`` if no ACK came."""
    events = recorded.events[flow]
    acks = events.replies[events.are_of("ack")[events.replies]]
    if not len(acks):
        return None
    legs = recorded.journeys(flow).back(int(acks[0]))
    round_trip = sum(leg.end - leg.start for leg in legs if leg.kind == "link")
    if not round_trip:
        return None
    wire = int(events.wire[events.departures[0]])
    return pace_of_window(1, payload, wire, round_trip)
