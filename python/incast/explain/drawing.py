"""The network of a flow as a drawing: its path, and where on it the flow waited."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from incast.explain.answers import FlowAnswer, Surroundings
from incast.explain.events import FlowEvents
from incast.explain.parts import AT_PORTS
from incast.measure.ports import Place, Port
from incast.measure.run import Run
from incast.measure.series import curves
from incast.present.html.network_map import (
    Links,
    NetworkMap,
    drawing,
    encoded_quantity,
    in_windows,
)
from incast.time_units import PICOSECOND

__all__ = ["path_drawing", "surroundings", "waits"]


def path_drawing(found: FlowAnswer) -> NetworkMap:
    """The network, with the ports that data of a flow left highlighted."""
    return drawing(found.around, lambda links: _measured(found, links))


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
    sampled = curves(run.series, "queue_bytes", {ports[each].label for each in _sent_at(events)})
    queues = {}
    for label, (times, values) in sampled.items():
        rows = (times >= begin) & (times <= end)
        if rows.any():
            queues[label] = times[rows], values[rows]
    faults = run.faults if run.summary.get("faults") else None
    return Surroundings(run.summary, run.ports, faults, queues)


def waits(found: FlowAnswer) -> Mapping[Place, int]:
    """By port, how much of the FCT was spent there: queues, pauses, other packets of a NIC."""
    sums: dict[Place, int] = defaultdict(int)
    for span in found.spans:
        if span.place is not None and span.part in AT_PORTS:
            sums[span.place] += span.ps
    return sums


def _measured(found: FlowAnswer, links: Links) -> dict[str, Any]:
    by_port = links.by_port
    sent = Counter(_sent_at(found.events))
    lost = Counter(
        place for event in ("drop", "trim", "lose") for place in _places(found.events, event)
    )
    quantities = [
        ("wait in its FCT", "s", by_port((p, ps * PICOSECOND) for p, ps in waits(found).items())),
        ("longest queue it came to", "B", by_port(_queues(found).items())),
        ("its data packets", "count", by_port(sent.items())),
        ("of them lost", "count", by_port(lost.items())),
    ]
    return {
        "path": [links.of_places[place] for place in sent],
        "quantities": [
            encoded_quantity(name, unit, values, is_drawn=index < 2)
            for index, (name, unit, values) in enumerate(quantities)
            if index < 3 or values.any()
        ],
        "queues": in_windows(found.around.queues, links.labels),
    }


def _sent_at(events: FlowEvents) -> list[Place]:
    """Ports that its data left, one for each packet."""
    return _places(events, "send")


def _places(events: FlowEvents, event: str) -> list[Place]:
    """Where something happened to packets of its data, each time."""
    rows = np.flatnonzero(events.are(event) & events.are_of("data"))
    return [(int(events.node[row]), int(events.port[row])) for row in rows]


def _queues(found: FlowAnswer) -> Mapping[Place, float]:
    """By port, the most that waited there when a packet of its data came."""
    events = found.events
    longest: dict[Place, float] = defaultdict(float)
    for row in np.flatnonzero(events.are("enqueue") & events.are_of("data")):
        place = int(events.node[row]), int(events.port[row])
        longest[place] = max(longest[place], float(events.queue[row]))
    return longest
