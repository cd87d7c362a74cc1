"""A scene as data for the page's script: whole picoseconds since the begin of the window."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from incast.measure.ports import Place, ends_of_flows
from incast.measure.series import Curves, whole
from incast.present.html.network_map import Links, encoded_quantity
from incast.replay.hops import Hop
from incast.replay.scene import Scene
from incast.time_units import PICOSECOND

__all__ = ["curves_of_queues", "encoded_scene", "quantities"]

_FATES = ("arrives", "lost", "dropped", "trimmed", "waits")
_MAX_STEPS = 300
"""The most steps into which a window is divided."""
_SECONDS = 30
"""Seconds in which a window is played by default."""


def encoded_scene(scene: Scene, links: Links, follow: int | None) -> dict[str, Any]:
    """The packets and flows of a scene, as data for the page's script.

    Args:
        scene: The window that is played.
        links: The links of the network, in the order of the drawing.
        follow: The flow that is highlighted when the page opens.
    """
    begin, end = scene.window.begin, scene.window.end
    number = links.of_places
    flows = sorted({hop.flow for hop in scene.hops if hop.flow >= 0})
    longest = scene.longest
    return {
        "begin": begin,
        "length": end - begin,
        "step": _round_down((end - begin) / _MAX_STEPS),
        "pace": _round_down((end - begin) / _SECONDS),
        "peak": longest[1] - begin if longest else 0,
        "most": longest[2] if longest else 0,
        "flows": _flows(scene, flows),
        "follow": flows.index(follow) if follow in flows else -1,
        **_hops(scene, number, {flow: index for index, flow in enumerate(flows)}),
        "rests": [[number[place], size] for place, size in scene.rests.items()],
        "pauses": [
            [number[place], since - begin, until - begin]
            for place, spans in scene.pauses.items()
            for since, until in spans
        ],
        "down": _down(scene, links),
    }


def _round_down(ps: float) -> int:
    """A time rounded down to 1, 2 or 5 times a power of ten."""
    power = 10 ** int(np.floor(np.log10(max(ps, 1))))
    return int(max(factor * power for factor in (1, 2, 5) if factor * power <= max(ps, 1)))


def _flows(scene: Scene, flows: Sequence[int]) -> list[list[int]]:
    """For each flow: its number, the nodes of its sender and receiver, and its bytes."""
    table = scene.run.flows
    row_of = {flow: row for row, flow in enumerate(whole(table.numbers("flow_id")).tolist())}
    sources, destinations = ends_of_flows(scene.run)
    sizes = table.numbers("size_bytes")
    columns = (sources, destinations, sizes)
    return [[flow, *(int(values[row_of[flow]]) for values in columns)] for flow in flows]


class _Numbers:
    """Numbers for values that many packets share, so that each value is written once."""

    def __init__(self) -> None:
        self.found: dict[Any, int] = {}

    def of(self, thing: Hashable) -> int:
        """The number of a value."""
        return self.found.setdefault(thing, len(self.found))


def _hops(scene: Scene, ports: Mapping[Place, int], flows: Mapping[int, int]) -> dict[str, Any]:
    begin, never = scene.window.begin, scene.window.end + 1
    hops = sorted(scene.hops, key=lambda hop: never if hop.leaves is None else hop.leaves)
    kinds, sizes, delays = _Numbers(), _Numbers(), _Numbers()
    leaves = [min(never if hop.leaves is None else hop.leaves, never) - begin for hop in hops]
    columns: Mapping[str, Callable[[Hop], int]] = {
        "port": lambda hop: ports[hop.place],
        "flow": lambda hop: flows.get(hop.flow, -1),
        "kind": lambda hop: kinds.of(hop.kind),
        "sequence": lambda hop: hop.sequence,
        "size": lambda hop: sizes.of((hop.wire, _length(hop))),
        "delay": lambda hop: delays.of(_delay(hop)),
        "marked": lambda hop: int(hop.marked),
        "fate": lambda hop: _FATES.index(hop.fate),
    }
    return {
        "hops": {
            **{name: [value(hop) for hop in hops] for name, value in columns.items()},
            # Differences of successive times are small, and so are written briefly.
            "later": np.diff(leaves, prepend=0).tolist(),
            # −1: the packet was in the queue before the trace began.
            "waits": [
                -1 if hop.since is None else left + begin - hop.since
                for hop, left in zip(hops, leaves, strict=True)
            ],
        },
        "kinds": list(kinds.found),
        "sizes": [list(size) for size in sizes.found],
        "delays": list(delays.found),
        "lost": [
            [index, scene.lost_at(hop) - begin]
            for index, hop in enumerate(hops)
            if hop.fate == "lost"
        ],
    }


def _length(hop: Hop) -> int:
    """The time a packet takes to leave its port."""
    return 0 if hop.out is None or hop.leaves is None else hop.out - hop.leaves


def _delay(hop: Hop) -> int:
    """The time a bit is on the link."""
    return 0 if hop.arrives is None or hop.out is None else hop.arrives - hop.out


def _down(scene: Scene, links: Links) -> list[list[int]]:
    begin = scene.window.begin
    names = [links.names[node] for node in links.ends]
    found = []
    for link, (one, other) in enumerate(zip(names[::2], names[1::2], strict=True)):
        for name in (f"{one} – {other}", f"{other} – {one}"):
            spans = scene.faults.get(name, ())
            found += [[link, since - begin, until - begin] for since, until in spans]
    return found


def quantities(scene: Scene, links: Links) -> list[list[Any]]:
    """Counters of ports in the window, for the tables of a chosen link or node."""
    window, summed = scene.window, links.by_port
    left = [
        hop
        for hop in scene.hops
        if hop.leaves is not None and window.begin <= hop.leaves < window.end
    ]
    sent = [hop for hop in left if hop.out is not None]
    longest = [(place, float(sizes.max())) for place, (_, sizes) in scene.queues.items()]
    paused = [
        (place, float(until - since) * PICOSECOND)
        for place, spans in scene.pauses.items()
        for since, until in spans
    ]
    found = [
        ("packets sent", "count", summed((hop.place, 1) for hop in sent)),
        ("bytes sent", "B", summed((hop.place, hop.wire) for hop in sent)),
        ("longest queue", "B", summed(longest)),
        ("time paused", "s", summed(paused)),
        ("marked", "count", summed((hop.place, 1) for hop in sent if _is_marked(hop))),
    ]
    found += [
        (fate, "count", summed((hop.place, 1) for hop in left if hop.fate == fate))
        for fate in ("dropped", "trimmed", "lost")
    ]
    return [
        encoded_quantity(name, unit, values)
        for place, (name, unit, values) in enumerate(found)
        if place < 2 or values.any()
    ]


def _is_marked(hop: Hop) -> bool:
    return hop.marked and hop.kind == "data"


def curves_of_queues(scene: Scene) -> Curves:
    """Queue lengths by port label, as steps: each change has the length before and after it, so
    that the maximum of any span is found.
    """
    return {
        scene.ports[place].label: (
            np.repeat(times, 2)[1:],
            np.repeat(sizes, 2)[:-1],
        )
        for place, (times, sizes) in scene.queues.items()
    }
