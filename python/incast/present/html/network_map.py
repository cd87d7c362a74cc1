"""The network of a run as data for its drawing: positions, links, counters of ports, queues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from incast.measure.ports import Place, every_port, peers
from incast.measure.run import Network, Run, is_fabric
from incast.measure.series import Array, Curves, curves
from incast.measure.tiers import neighbours_of
from incast.present.html.encoding import json_numbers, round_digits, script_json
from incast.present.html.map_layout import FOLDED_ABOVE, Layout, layout
from incast.present.units import common_unit, count_text, plural
from incast.table import Table
from incast.time_units import PICOSECOND

__all__ = [
    "Links",
    "NetworkMap",
    "drawing",
    "encoded_quantity",
    "in_windows",
    "network_map",
    "skeleton",
]

_MOST_HOSTS = 2048
_NUMBERS_OF_QUEUES = 30_000
"""The most queue lengths in a drawing, over all windows: about 150 KB."""
_WINDOWS = (24, 240)
"""The fewest and the most windows of time."""
_DIGITS = 4


@dataclass(frozen=True)
class NetworkMap:
    """A drawing, or the reason why there is none."""

    label: str
    """A description for readers who do not see the map."""
    data: Markup
    """JSON for the script of the page."""
    missing: str
    """Why there is no drawing; empty if there is one."""


@dataclass(frozen=True)
class _Quantity:
    """A counter of ports that the drawing shows."""

    columns: Sequence[str]
    """The columns whose sum is the counter."""
    name: str
    unit: str
    factor: float = 1.0
    """The factor from the column's unit to the base unit."""
    is_drawn: bool = True
    """Whether links can be coloured by the counter."""
    is_kept: bool = False
    """Whether the counter is shown even if it is 0 at all ports."""


_QUANTITIES = (
    _Quantity(("rate_bps",), "rate", "bps", is_drawn=False, is_kept=True),
    _Quantity(("utilisation",), "utilisation", "ratio", is_kept=True),
    _Quantity(("data_bytes",), "data", "B", is_drawn=False, is_kept=True),
    _Quantity(("queue_max_bytes",), "longest queue", "B"),
    _Quantity(("paused_ps",), "time paused", "s", PICOSECOND),
    _Quantity(("pauses_sent",), "pauses sent", "count", is_drawn=False),
    _Quantity(("marked",), "marks", "count"),
    _Quantity(("dropped",), "drops", "count"),
    _Quantity(("trimmed",), "trims", "count"),
    _Quantity(("lost_link_down", "lost_corrupted"), "lost on the link", "count"),
)


def network_map(run: Run) -> NetworkMap | None:
    """The drawing of a run's network; ``None`` for a memory fabric, or for results without
    ports.
    """
    if is_fabric(run) or len(run.ports) == 0:
        return None
    return drawing(run, lambda links: _measured(run, links))


def drawing(run: Network, measured: Callable[[Links], dict[str, Any]]) -> NetworkMap:
    """The drawing of a network with measured values.

    Args:
        run: A run of a network, with ports.
        measured: Gives counters and queues of the ports, in the order of the drawing.
    """
    hosts = int(run.summary.get("nics") or run.summary["hosts"])
    if hosts > _MOST_HOSTS:
        missing = (
            f"The network has {plural(hosts, 'host')}: it is drawn up to {count_text(_MOST_HOSTS)}."
        )
        return NetworkMap("", Markup(""), missing)
    links = Links(run)
    if not links.are_whole(hosts):
        missing = "There is no drawing: the table of ports lacks ports of some links."
        return NetworkMap("", Markup(""), missing)
    document = {**skeleton(run, links, hosts), **measured(links)}
    return NetworkMap(links.in_words(hosts), Markup(script_json(document)), "")


def _measured(run: Run, links: Links) -> dict[str, Any]:
    return {
        "quantities": list(_quantities(run.ports, links.rows)),
        "queues": in_windows(curves(run.series, "queue_bytes"), links.labels),
    }


def skeleton(
    run: Network, links: Links, hosts: int, folded_above: int = FOLDED_ABOVE
) -> dict[str, Any]:
    """The part of a drawing without measured values: names and positions of nodes, links, faults.

    Args:
        run: A run of a network.
        links: The links of the network.
        hosts: The number of nodes that are hosts, or NICs of hosts.
        folded_above: If there are more hosts, the hosts of a switch become one box.
    """
    places = layout(neighbours_of(run.ports), links.names, hosts, folded_above)
    return {
        **_nodes(links.names, places, hosts),
        "links": links.ends,
        "ports": links.numbers,
        "faults": _faults(run, links),
    }


class Links:
    """The links of a run. Link ``n`` has a port at each end, which the drawing numbers ``2n`` and
    ``2n + 1``.
    """

    def __init__(self, run: Network) -> None:
        every, others = every_port(run), peers(run)
        row_of = {port.key: row for row, port in enumerate(every)}
        rows: list[int] = []
        for row, port in enumerate(every):
            other = row_of[others[port.key].key] if port.key in others else row
            if other < row:
                rows += [other, row]
        self.every = every
        self.names = {port.node: port.node_name for port in every}
        self.rows = np.array(rows, dtype=int)
        """Rows of the table of ports, in the order of the drawing."""
        self.ends = [every[row].node for row in rows]
        """The node of each port."""
        self.numbers = [every[row].number for row in rows]
        self.labels = {every[row].label: number for number, row in enumerate(rows)}
        self.of_places = {every[row].place: number for number, row in enumerate(rows)}
        """The number of a port in the drawing, by the port's node and number."""

    def are_whole(self, hosts: int) -> bool:
        """Whether every link has both of its ports, and nodes are numbered from 0, hosts first."""
        nodes = sorted(self.names)
        return len(self.rows) == len(self.every) and nodes == list(range(max(len(nodes), hosts)))

    def by_port(self, values: Iterable[tuple[Place, float]]) -> Array:
        """Sums of values by port, in the order of the drawing."""
        total = np.zeros(len(self.rows))
        for place, value in values:
            total[self.of_places[place]] += value
        return total

    def in_words(self, hosts: int) -> str:
        """A description of the drawing for readers who do not see it."""
        return (
            f"The network as a drawing: {plural(hosts, 'host')}, "
            f"{plural(len(self.names) - hosts, 'switch')}, {plural(len(self.ends) // 2, 'link')}"
        )


def _nodes(names: Mapping[int, str], places: Layout, hosts: int) -> dict[str, Any]:
    order = range(len(names))
    return {
        "names": [names[node] for node in order],
        "hosts": hosts,
        "circle": places.is_circle,
        "block": [places.block[node] for node in order],
        "x": _short(places.x[node] for node in order),
        "y": _short(places.y[node] for node in order),
        "groups": [[each.name, each.block, *_short((each.x, each.y))] for each in places.groups],
    }


def _short(values: Iterable[float]) -> list[Any]:
    return json_numbers(np.round(np.array(list(values), dtype=float), 4))


def _quantities(ports: Table, rows: Array) -> Iterable[list[Any]]:
    """For each counter: name, unit, whether links are coloured by it, scale to the base unit, and
    the values by port.
    """
    for each in _QUANTITIES:
        there = [ports.numbers(column)[rows] for column in each.columns if column in ports.columns]
        if not there:
            continue
        values = np.nan_to_num(np.sum(there, axis=0, dtype=float)) * each.factor
        if each.is_kept or values.any():
            yield encoded_quantity(each.name, each.unit, values, is_drawn=each.is_drawn)


def encoded_quantity(name: str, unit: str, values: Array, *, is_drawn: bool = False) -> list[Any]:
    """A quantity of all ports, encoded for the script of a page."""
    scale = common_unit(unit, float(values.max(initial=0.0)))[0]
    numbers = json_numbers(round_digits(values / scale, _DIGITS))
    return [name, unit, int(is_drawn), scale, numbers]


def _faults(run: Network, links: Links) -> list[int]:
    """Numbers of the links that had a fault."""
    if not run.summary.get("faults"):
        return []
    texts = run.faults.categories("links").texts
    named = {name for text in texts for name in text.split(", ")}
    ends = [links.names[node] for node in links.ends]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return [
        number
        for number, (one, other) in enumerate(pairs)
        if f"{one} – {other}" in named or f"{other} – {one}" in named
    ]


def in_windows(sampled: Curves, labels: Mapping[str, int]) -> dict[str, Any] | None:
    """The longest queue of each port in windows of equal length; ``None`` if no port was sampled.

    Ports whose samples are all 0 are in a separate list.
    """
    found = {labels[port]: curve for port, curve in sampled.items() if port in labels}
    filled = {port: curve for port, curve in found.items() if curve[1].any()}
    if not filled:
        return None
    begin = min(float(times[0]) for times, _ in found.values())
    end = max(float(times[-1]) for times, _ in found.values())
    samples = max(len(times) for times, _ in found.values())
    fewest, most = _WINDOWS
    count = min(samples, most, max(fewest, _NUMBERS_OF_QUEUES // len(filled)))
    width = (end - begin) / count or 1.0
    largest = max(float(values.max()) for _, values in filled.values())
    scale = common_unit("B", largest)[0]
    return {
        "from": begin * PICOSECOND,
        "width": width * PICOSECOND,
        "count": count,
        "scale": scale,
        "empty": [port for port in found if port not in filled],
        "ports": list(filled),
        "values": [
            json_numbers(round_digits(_longest(curve, begin, width, count) / scale, 3))
            for curve in filled.values()
        ],
    }


def _longest(curve: tuple[Array, Array], begin: float, width: float, count: int) -> Array:
    """The largest value in each window. A window without samples has the last value before it."""
    times, values = curve
    window = np.minimum(((times - begin) / width).astype(int), count - 1)
    longest = np.full(count, -1.0)
    np.maximum.at(longest, window, values.astype(float))
    last = np.maximum.accumulate(np.where(longest < 0, -1, np.arange(count)))
    return np.where(last < 0, 0.0, longest[np.maximum(last, 0)])
