"""The part of a run that is kept to draw a flow's network."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from incast.explain.answers import Surroundings
from incast.explain.events import FlowEvents
from incast.measure.ports import Place, Port
from incast.measure.run import Run
from incast.measure.series import curves

__all__ = ["places", "sent_at", "surroundings"]


def surroundings(
    run: Run, events: FlowEvents, ports: Mapping[Place, Port], begin: int, end: int
) -> Surroundings:
    """The tables and queues that a drawing of a flow's network needs.

    Args:
        run: The run with the recording.
        events: The events of the flow.
        ports: All ports of the network, by node and number.
        begin: The start of the flow, in ps.
        end: The end of the flow.
    """
    sampled = curves(run.series, "queue_bytes", {ports[each].label for each in sent_at(events)})
    queues = {}
    for label, (times, values) in sampled.items():
        rows = (times >= begin) & (times <= end)
        if rows.any():
            queues[label] = times[rows], values[rows]
    faults = run.faults if run.summary.get("faults") else None
    return Surroundings(run.summary, run.ports, faults, queues)


def sent_at(events: FlowEvents) -> list[Place]:
    """The ports that the flow's data left, one entry for each packet."""
    return places(events, "send")


def places(events: FlowEvents, event: str) -> list[Place]:
    """The port of each event of this kind of a data packet."""
    rows = np.flatnonzero(events.are(event) & events.are_of("data"))
    return [(int(events.node[row]), int(events.port[row])) for row in rows]
