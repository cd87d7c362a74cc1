"""The network of a flow as a drawing: its path, and where it waited."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from incast.explain.answers import FlowAnswer
from incast.explain.parts import AT_PORTS
from incast.explain.surroundings import places, sent_at
from incast.measure.ports import Place
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
    """The network, with the ports on the path of the flow's data highlighted."""
    return drawing(found.around, lambda links: _measured(found, links))


def waits(found: FlowAnswer) -> Mapping[Place, int]:
    """For each port, the part of the FCT spent there: queues, pauses, other packets of a NIC."""
    sums: dict[Place, int] = defaultdict(int)
    for span in found.spans:
        if span.place is not None and span.part in AT_PORTS:
            sums[span.place] += span.ps
    return sums


def _measured(found: FlowAnswer, links: Links) -> dict[str, Any]:
    by_port = links.by_port
    sent = Counter(sent_at(found.events))
    lost = Counter(
        place for event in ("drop", "trim", "lose") for place in places(found.events, event)
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


def _queues(found: FlowAnswer) -> Mapping[Place, float]:
    """For each port, the longest queue that a data packet of the flow met."""
    events = found.events
    longest: dict[Place, float] = defaultdict(float)
    for row in np.flatnonzero(events.are("enqueue") & events.are_of("data")):
        place = int(events.node[row]), int(events.port[row])
        longest[place] = max(longest[place], float(events.queue[row]))
    return longest
