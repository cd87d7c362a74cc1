"""A network in layers by distance from the hosts: hosts, their switches, and so on; and the links
between layers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from incast.measure.tiers import distances, neighbours_of
from incast.table import Table

__all__ = ["Bundle", "Layer", "Layers", "layers"]

_PORT = re.compile(r" port \d+ → .*$", re.DOTALL)


@dataclass(frozen=True)
class Layer:
    """Nodes with the same distance from the nearest host."""

    distance: int
    """Number of links to the nearest host; 0 for hosts."""
    names: Sequence[str]
    """The names of the layer's nodes, as in results."""
    down_bps: tuple[int, int]
    """The smallest and the largest total rate of a node's links to nearer nodes."""
    up_bps: tuple[int, int]
    """The smallest and the largest total rate of a node's links to farther nodes."""


@dataclass(frozen=True)
class Bundle:
    """The links between two layers, or within one."""

    below: int
    """The distance of the layer that is nearer to the hosts."""
    above: int
    rates: dict[int, int]
    """The number of links, by rate in bit/s."""
    each_below: tuple[int, int]
    """The fewest and the most of these links that a node of the nearer layer has."""
    each_above: tuple[int, int]

    @property
    def links(self) -> int:
        """The number of links."""
        return sum(self.rates.values())


@dataclass(frozen=True)
class Layers:
    """The layers of a network, and the bundles of links between them."""

    layers: Sequence[Layer]
    """The layers from hosts upwards."""
    bundles: Sequence[Bundle]

    def to_dict(self) -> dict[str, Any]:
        """The layers as plain values for JSON."""
        return {
            "layers": [
                {
                    "distance": each.distance,
                    "nodes": list(each.names),
                    "down_bps": each.down_bps,
                    "up_bps": each.up_bps,
                }
                for each in self.layers
            ],
            "links": [
                {
                    "below": each.below,
                    "above": each.above,
                    "links": each.links,
                    "rates": [
                        {"rate_bps": rate, "links": links} for rate, links in each.rates.items()
                    ],
                    "of_each_below": each.each_below,
                    "of_each_above": each.each_above,
                }
                for each in self.bundles
            ],
        }


def layers(ports: Table, hosts: int) -> Layers:
    """The layers of a network.

    Args:
        ports: The ports of a run.
        hosts: The number of nodes that are hosts, or NICs of hosts. They are the first nodes.
    """
    far = distances(neighbours_of(ports), list(range(hosts)))
    labels = ports.categories("label")
    nodes = [int(node) for node in ports.numbers("node")]
    peers = [int(node) for node in ports.numbers("peer")]
    rates = [int(rate) for rate in ports.numbers("rate_bps")]
    names = {
        node: _PORT.sub("", labels.texts[place])
        for node, place in zip(nodes, labels.indices, strict=True)
    }
    carried: dict[tuple[int, int], int] = Counter()
    links: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    ends: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for node, peer, rate in zip(nodes, peers, rates, strict=True):
        here, there = far[node], far[peer]
        between = min(here, there), max(here, there)
        # Each link was counted twice, once at each of its ports.
        links[between][rate] += 1
        ends[between][node] += 1
        carried[node, (there > here) - (there < here)] += rate
    by_layer: dict[int, list[int]] = defaultdict(list)
    for node in sorted(far):
        by_layer[far[node]].append(node)
    return Layers(
        [
            Layer(
                distance,
                [names[node] for node in of],
                _span(carried.get((node, -1), 0) for node in of),
                _span(carried.get((node, 1), 0) for node in of),
            )
            for distance, of in sorted(by_layer.items())
        ],
        [
            Bundle(
                *between,
                {rate: count // 2 for rate, count in sorted(of.items())},
                *(_span(ends[between][node] for node in by_layer[layer]) for layer in between),
            )
            for between, of in sorted(links.items())
        ],
    )


def _span(values: Any) -> tuple[int, int]:
    found = list(values)
    return min(found), max(found)
