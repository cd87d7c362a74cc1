"""Follows PFC pauses back to the queue where they began.

A switch pauses a peer because data from that peer wait in its buffer, most of them at one of its
ports. If that port is itself paused, the pause of its peer is followed next, and so on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import NamedTuple

from incast.explain.recorded import Recorded
from incast.measure.ports import Place
from incast.measure.run import Run

__all__ = ["Origin", "PauseOrigins"]


class Origin(NamedTuple):
    """The port at which pauses began, and the flow behind them."""

    place: Place
    """The first port whose queue was itself not held by a pause."""
    flow: int
    """The flow with most of the data that waited at this port and had come from the paused peer."""


class _Cause(NamedTuple):
    time: int
    queue: Place
    flow: int


class PauseOrigins:
    """The origins of all pauses of a run with ``measure.packets.causes``."""

    def __init__(self, run: Run, recorded: Recorded) -> None:
        self._recorded = recorded
        self._has_faults = bool(run.summary.get("faults"))
        self._causes: dict[Place, list[_Cause]] = defaultdict(list)
        table = run.pause_causes
        columns = (
            table.numbers(name).astype(int).tolist()
            for name in ("time_ps", "node", "port", "queue_port", "flow_id")
        )
        for time, node, port, queue, flow in zip(*columns, strict=True):
            self._causes[node, port].append(_Cause(time, (node, queue), flow))

    def of(self, place: Place, time: int) -> Origin | None:
        """The origin of the pause that held a port at a time; ``None`` if it was not recorded."""
        seen: set[Place] = set()
        found: Origin | None = None
        at: Place = place
        while at not in seen:
            seen.add(at)
            pause = self._pause(at, time)
            cause = None if pause is None else self._cause(at, pause)
            if cause is None:
                return found
            found = Origin(cause.queue, cause.flow)
            at, time = cause.queue, cause.time
        # The pauses form a circle, possibly a deadlock, so there is no origin.
        return found

    def _pause(self, place: Place, time: int) -> int | None:
        """The start of the pause that holds a port at a time; ``None`` if the port is not
        paused.
        """
        spans = self._recorded.pauses.get(place, [])
        index = bisect_right(spans, time, key=lambda span: span[0]) - 1
        is_paused = index >= 0 and time < spans[index][1]
        return spans[index][0] if is_paused else None

    def _cause(self, place: Place, since: int) -> _Cause | None:
        """The cause of the pause frame that reached a port at a time. ``None`` if no frame came,
        and the port is held after a fault.
        """
        causes = self._causes.get(self._recorded.far_ends[place], [])
        index = bisect_right(causes, since, key=lambda cause: cause.time) - 1
        if index < 0 or (self._has_faults and causes[index].time <= self._before(place, since)):
            return None
        return causes[index]

    def _before(self, place: Place, since: int) -> int:
        """The start of the pause of a port before the pause that began at `since`; −1 if there was
        none. The cause of that earlier pause was recorded by then.
        """
        spans = self._recorded.pauses[place]
        index = bisect_left(spans, since, key=lambda span: span[0]) - 1
        return spans[index][0] if index >= 0 else -1
