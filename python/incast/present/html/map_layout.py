"""Positions of the nodes in the drawing of a network: rows of tiers, or a circle.

In large networks hosts are folded: the hosts of a switch become one box. With many leaves, a pod
becomes one box, which contains the boxes of its leaves. The contents of a box form a block, which
readers unfold below the drawing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from incast.measure.tiers import distances
from incast.present.layers import names_text

__all__ = ["FOLDED_ABOVE", "Group", "Layout", "layout"]

FOLDED_ABOVE = 64
"""If there are more hosts, the hosts of a switch become one box."""
_LEAVES_IN_A_ROW = 40
"""If there are more leaves, pods become boxes, too."""
_SWITCH_RADIUS, _BOX_RADIUS, _HOST_RADIUS = 0.37, 0.48, 0.48
"""Radii of the circles of switches, boxes and hosts, in a square of side 1."""
_FAN = 0.85
"""The share of a switch's sector that its hosts fill."""

_Neighbours = Mapping[int, set[int]]


@dataclass(frozen=True)
class Group:
    """A box: the hosts of a switch, or a pod."""

    name: str
    block: int
    """The block that contains the box."""
    x: float
    y: float


@dataclass
class Layout:
    """A drawing in blocks. Block 0 is always visible, block ``n`` has the contents of group
    ``n - 1``.

    ``x`` is a fraction of the block's width. ``y`` is a row, counted from the top; in a circle, it
    is a fraction of the block's height.
    """

    is_circle: bool
    block: dict[int, int] = field(default_factory=dict)
    """The block of each node."""
    x: dict[int, float] = field(default_factory=dict)
    y: dict[int, float] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def put(self, node: int, block: int, x: float, y: float) -> None:
        """Sets the position of a node."""
        self.block[node], self.x[node], self.y[node] = block, x, y

    def fold(self, name: str, hosts: Sequence[int], box: tuple[int, float, float]) -> None:
        """Puts hosts into a box at this block, x and y."""
        self.groups.append(Group(name, *box))
        for node, x in zip(hosts, _spread(len(hosts)), strict=True):
            self.put(node, len(self.groups), x, 0)


def layout(
    neighbours: _Neighbours,
    names: Mapping[int, str],
    ends: int,
    folded_above: int = FOLDED_ABOVE,
) -> Layout:
    """The positions of all nodes.

    Args:
        neighbours: The neighbours of each node.
        names: The name of each node.
        ends: The number of nodes that are hosts, or NICs of hosts. They are the first nodes.
        folded_above: If there are more hosts, the hosts of a switch become one box.
    """
    graph = _Graph(neighbours, names, ends, folded_above)
    if not graph.level_links:
        return _pods(graph) or _tiers(graph, sorted(graph.switches))
    line = _line(graph)
    return _tiers(graph, line) if line else _circle(graph)


class _Graph:
    """A network, with facts that its layout needs."""

    def __init__(
        self, neighbours: _Neighbours, names: Mapping[int, str], ends: int, folded_above: int
    ) -> None:
        self.neighbours = neighbours
        self.names = names
        self.hosts = [node for node in sorted(neighbours) if node < ends]
        self.switches = [node for node in sorted(neighbours) if node >= ends]
        far = distances(dict(neighbours), self.hosts)
        self.far = {node: far.get(node, 1) for node in neighbours}
        self.folded = len(self.hosts) > folded_above
        # A host at several switches is drawn at the first of them.
        self.racks: dict[int, list[int]] = defaultdict(list)
        for host in self.hosts:
            switches = [node for node in neighbours[host] if node >= ends]
            self.racks[min(switches, default=host)].append(host)

    @property
    def level_links(self) -> bool:
        """Whether any two neighbouring switches have the same distance from hosts: then there are
        no tiers.
        """
        return any(
            self.far[node] == self.far[peer]
            for node in self.switches
            for peer in self.neighbours[node]
        )

    def is_box(self, switch: int) -> bool:
        """Whether the hosts of a switch become a box. A single host is drawn as it is."""
        return self.folded and len(self.racks.get(switch, ())) > 1

    def box_name(self, switch: int) -> str:
        """The name of the box with a switch's hosts."""
        return names_text([self.names[host] for host in self.racks[switch]])


def _spread(count: int) -> list[float]:
    """Positions in a row: half a step from its ends, and a step apart."""
    return [(place + 0.5) / count for place in range(count)]


def _mean(values: Iterable[float], otherwise: float) -> float:
    found = list(values)
    return sum(found) / len(found) if found else otherwise


def _tiers(graph: _Graph, order: Sequence[int]) -> Layout:
    """Rows by distance from hosts, with the hosts at the bottom; leaves are in the given order."""
    found = Layout(is_circle=False)
    _place_rows(graph, found, order, 0, max(graph.far.values()))
    return found


def _place_rows(
    graph: _Graph, found: Layout, switches: Sequence[int], block: int, bottom: int
) -> None:
    """Puts switches and their hosts into a block with this bottom row."""
    rows: dict[int, list[int]] = defaultdict(list)
    for node in switches:
        rows[graph.far[node]].append(node)
    # Hosts without a switch are placed with the others.
    racks = [node for node in switches if node in graph.racks]
    alone = [node for node in graph.racks if node in graph.hosts] if block == 0 else []
    centres = _place_hosts(graph, found, [*racks, *alone], block, bottom)
    for far, nodes in sorted(rows.items()):
        _place_row(graph, found, nodes, (block, bottom - far), centres)
    for node in racks:
        if graph.is_box(node):
            box = block, found.x[node], bottom
            found.fold(graph.box_name(node), graph.racks[node], box)


def _place_hosts(
    graph: _Graph, found: Layout, racks: Sequence[int], block: int, bottom: int
) -> dict[int, float]:
    """Puts hosts that are not folded into the bottom row. Gives the middle of each switch's
    hosts.
    """
    slots = [1 if graph.is_box(rack) else len(graph.racks[rack]) for rack in racks]
    xs = iter(_spread(sum(slots)))
    centres = {}
    for rack, count in zip(racks, slots, strict=True):
        own = [next(xs) for _ in range(count)]
        centres[rack] = sum(own) / count
        if not graph.is_box(rack):
            for host, x in zip(graph.racks[rack], own, strict=True):
                found.put(host, block, x, bottom)
    return centres


def _place_row(
    graph: _Graph,
    found: Layout,
    nodes: Sequence[int],
    place: tuple[int, int],
    centres: Mapping[int, float],
) -> None:
    """Positions of a row: above their hosts, or evenly spaced in the order of their neighbours."""
    block, row = place
    if all(node in centres for node in nodes):
        for node in nodes:
            found.put(node, block, centres[node], row)
        return

    def below(node: int) -> float:
        near = [peer for peer in graph.neighbours[node] if found.block.get(peer) == block]
        return _mean((found.x[peer] for peer in near), centres.get(node, 0.5))

    ordered = sorted(nodes, key=lambda node: (round(below(node), 6), node))
    for node, x in zip(ordered, _spread(len(ordered)), strict=True):
        found.put(node, block, x, row)


def _pods(graph: _Graph) -> Layout | None:
    """The top tier, with a box for each part of the network below it. ``None`` if there are few
    leaves, or if the top tier does not join several parts.
    """
    leaves = [node for node in graph.switches if node in graph.racks]
    top = max(graph.far.values())
    if not graph.folded or len(leaves) <= _LEAVES_IN_A_ROW or top < 3:
        return None
    cores = [node for node in graph.switches if graph.far[node] == top]
    parts = _parts(graph, set(cores))
    if not 2 <= len(parts) <= len(leaves) / 2 or any(graph.racks.get(core) for core in cores):
        return None
    found = Layout(is_circle=False)
    for node, x in zip(cores, _spread(len(cores)), strict=True):
        found.put(node, 0, x, 0)
    for number, x in enumerate(_spread(len(parts))):
        found.groups.append(Group(f"pod {number}", 0, x, 1))
    for number, part in enumerate(parts):
        _place_rows(graph, found, part, number + 1, max(graph.far[node] for node in part))
    return found


def _parts(graph: _Graph, without: set[int]) -> list[list[int]]:
    """The parts into which switches fall if some switches are removed, ordered by lowest number."""
    left = {node for node in graph.switches if node not in without}
    found = []
    while left:
        reached, open_ends = set(), [min(left)]
        while open_ends:
            node = open_ends.pop()
            if node in left:
                left.remove(node)
                reached.add(node)
                open_ends += [peer for peer in graph.neighbours[node] if peer in left]
        found.append(sorted(reached))
    return found


def _line(graph: _Graph) -> list[int]:
    """The switches in order, if they form a line; otherwise empty."""
    joined = {node: sorted(graph.neighbours[node] & set(graph.switches)) for node in graph.switches}
    ends = [node for node, peers in joined.items() if len(peers) == 1]
    if len(ends) != 2 or any(len(peers) > 2 for peers in joined.values()):
        return []
    line = [min(ends)]
    while len(line) < len(joined):
        further = [peer for peer in joined[line[-1]] if peer not in line[-2:]]
        if not further:
            return []
        line += further
    # A line has a single row, so no switch may be without hosts.
    return line if all(graph.far[node] == 1 for node in line) else []


def _circle(graph: _Graph) -> Layout:
    """Switches by number, clockwise from the top, with each one's hosts outside of it."""
    found = Layout(is_circle=True)
    count = len(graph.switches)
    for place, node in enumerate(graph.switches):
        angle = 2 * math.pi * place / count
        found.put(node, 0, *_at(angle, _SWITCH_RADIUS))
        hosts = graph.racks.get(node, [])
        if graph.is_box(node):
            found.fold(graph.box_name(node), hosts, (0, *_at(angle, _BOX_RADIUS)))
            continue
        for host, share in zip(hosts, _spread(max(len(hosts), 1)), strict=False):
            turned = angle + (share - 0.5) * _FAN * 2 * math.pi / count
            found.put(host, 0, *_at(turned, _HOST_RADIUS))
    alone = [node for node in graph.hosts if node in graph.racks]
    for node, x in zip(alone, _spread(max(len(alone), 1)), strict=False):
        found.put(node, 0, x, 1.0)
    return found


def _at(angle: float, radius: float) -> tuple[float, float]:
    """The position at an angle, clockwise from the top."""
    return 0.5 + radius * math.sin(angle), 0.5 - radius * math.cos(angle)
