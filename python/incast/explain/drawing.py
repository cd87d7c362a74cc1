"""The network of a flow as a drawing: its path, and where on it the flow waited."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from incast.explain.answers import FlowAnswer
from incast.explain.events import Place
from incast.explain.parts import AT_PORTS
from incast.measure.series import Array, Curves, curves
from incast.present.html.network_map import (
    Links,
    NetworkMap,
    drawing,
    encoded_quantity,
    in_windows,
)
from incast.time_units import PICOSECOND

__all__ = ["path_drawing", "waits"]


def path_drawing(found: FlowAnswer) -> NetworkMap:
    """The network, with the ports that data of a flow left highlighted."""
    return drawing(found.run, lambda links: _measured(found, links))


def waits(found: FlowAnswer) -> Mapping[Place, int]:
    """By port, how much of the FCT was spent there: queues, pauses, other packets of a NIC."""
    sums: dict[Place, int] = defaultdict(int)
    for span in found.spans:
        if span.place is not None and span.part in AT_PORTS:
            sums[span.place] += span.ps
    return sums


def _measured(found: FlowAnswer, links: Links) -> dict[str, Any]:
    port_of = {links.every[row].place: port for port, row in enumerate(links.rows.tolist())}

    def by_port(values: Iterable[tuple[Place, float]]) -> Array:
        array = np.zeros(len(links.rows))
        for place, value in values:
            array[port_of[place]] = value
        return array

    sent = Counter(_places(found, "send"))
    lost = Counter([*_places(found, "drop"), *_places(found, "trim"), *_places(found, "lose")])
    quantities = [
        ("wait in its FCT", "s", by_port((p, ps * PICOSECOND) for p, ps in waits(found).items())),
        ("longest queue it came to", "B", by_port(_queues(found).items())),
        ("its data packets", "count", by_port(sent.items())),
        ("of them lost", "count", by_port(lost.items())),
    ]
    labels = {found.ports[place].label for place in sent}
    return {
        "path": [port_of[place] for place in sent],
        "quantities": [
            encoded_quantity(name, unit, values, is_drawn=index < 2)
            for index, (name, unit, values) in enumerate(quantities)
            if index < 3 or values.any()
        ],
        "queues": in_windows(_sampled(found, labels), links.labels),
    }


def _places(found: FlowAnswer, event: str) -> list[Place]:
    """Where something happened to packets of its data, each time."""
    events = found.events
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


def _sampled(found: FlowAnswer, labels: set[str]) -> Curves:
    """Queues of ports of its path in its time, where they were sampled."""
    begin, end = found.spans[0].start, found.spans[-1].end
    within = {}
    for label, (times, values) in curves(found.run.series, "queue_bytes", labels).items():
        rows = (times >= begin) & (times <= end)
        if rows.any():
            within[label] = times[rows], values[rows]
    return within
