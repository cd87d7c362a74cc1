"""What is kept of a run to draw the network of a flow."""

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
    """What a drawing of the network of a flow needs of its run.

    Args:
        run: With what was recorded.
        events: Of the flow.
        ports: The network's, by place.
        begin: When the flow started, in ps.
        end: When it ended.
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
    """Ports that its data left, one for each packet."""
    return places(events, "send")


def places(events: FlowEvents, event: str) -> list[Place]:
    """The ports at which an event happened to data packets of the flow, one for each time."""
    rows = np.flatnonzero(events.are(event) & events.are_of("data"))
    return [(int(events.node[row]), int(events.port[row])) for row in rows]
