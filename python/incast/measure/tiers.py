"""Tiers of a network and distances in it, from the ports of a run."""

from __future__ import annotations

from collections import defaultdict, deque

from incast.table import Table

__all__ = ["distances", "neighbours_of", "switches_between", "tiers"]

_Neighbours = dict[int, set[int]]


def tiers(ports: Table) -> list[list[int]]:
    """Nodes grouped by distance from the nearest host: hosts first, then their switches, and so
    on.
    """
    neighbours = neighbours_of(ports)
    near = distances(neighbours, _hosts(ports))
    levels: dict[int, list[int]] = defaultdict(list)
    for node in sorted(near):
        levels[near[node]].append(node)
    return [levels[level] for level in sorted(levels)]


def switches_between(ports: Table) -> int:
    """The most switches on a shortest path between two hosts."""
    neighbours, hosts = neighbours_of(ports), _hosts(ports)
    # Hosts of one switch have the same distances to all other hosts, so one of them is enough.
    one_of_each = {frozenset(neighbours[host]): host for host in hosts}.values()
    return max(
        distances(neighbours, [host])[other] - 1
        for host in one_of_each
        for other in hosts
        if other != host
    )


def _hosts(ports: Table) -> list[int]:
    labels = ports.categories("label")
    nodes = ports.numbers("node")
    return sorted(
        {
            int(node)
            for node, place in zip(nodes, labels.indices, strict=True)
            if labels.texts[place].startswith("host ")
        }
    )


def neighbours_of(ports: Table) -> _Neighbours:
    """For each node, the nodes at the other ends of its links."""
    found: _Neighbours = defaultdict(set)
    for node, peer in zip(ports.numbers("node"), ports.numbers("peer"), strict=True):
        found[int(node)].add(int(peer))
    return found


def distances(neighbours: _Neighbours, starts: list[int]) -> dict[int, int]:
    """For each node, the number of links to the nearest of `starts`."""
    distances = dict.fromkeys(starts, 0)
    queue = deque(starts)
    while queue:
        node = queue.popleft()
        for peer in neighbours[node]:
            if peer not in distances:
                distances[peer] = distances[node] + 1
                queue.append(peer)
    return distances
