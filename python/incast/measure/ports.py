"""Ports of a run by their names, as scenarios and results have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from incast.errors import ResultsError
from incast.names import hint

if TYPE_CHECKING:
    from incast.measure.run import Network, Run

__all__ = [
    "Place",
    "Port",
    "chosen_ports",
    "ends_of_flows",
    "every_port",
    "far_ends",
    "nodes_of_nics",
    "peers",
    "port_key",
]


Place = tuple[int, int]
"""A node, and the number of a port of it."""


class Port(NamedTuple):
    """A port."""

    node: int
    number: int
    peer: int
    """The node at the other end."""
    label: str
    """The port, with the node at the other end: `switch 9 port 0 → host 0`."""
    rate_bps: int

    @property
    def name(self) -> str:
        """Its name in scenarios, `switch 9 port 0`."""
        return self.label.split(" → ")[0]

    @property
    def node_name(self) -> str:
        """The name of its node, `switch 9`."""
        return self.name.rsplit(" port ", 1)[0]

    @property
    def place(self) -> Place:
        """Its node and its number."""
        return self.node, self.number

    @property
    def key(self) -> int:
        """A number that no other port has."""
        return int(port_key(self.node, self.number))


def port_key(node: Any, number: Any) -> Any:
    """The key of a port, or of several as arrays."""
    return node * (1 << 16) + number


def peers(run: Network) -> dict[int, Port]:
    """By the key of a port, the one at the other end of its link."""
    every = every_port(run)
    between: dict[tuple[int, int], list[Port]] = {}
    for port in every:
        between.setdefault((port.node, port.peer), []).append(port)
    found = {}
    for (node, peer), ports in between.items():
        # Of several links between two nodes, both have them in one order.
        others = between.get((peer, node), [])
        found.update({port.key: other for port, other in zip(ports, others, strict=False)})
    return found


def far_ends(run: Network) -> dict[Place, Place]:
    """The place of the port at the other end of a port's link, by place."""
    others = peers(run)
    return {port.place: others[port.key].place for port in every_port(run)}


def ends_of_flows(run: Run) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """By flow, the nodes that send and receive it: hosts, or NICs of hosts that have several.

    Raises:
        ResultsError: A flow has a NIC that the network does not have.
    """
    flows = run.flows
    hosts = [flows[name].astype(np.int64) for name in ("source", "destination")]
    if "source_nic" not in flows:
        return hosts[0], hosts[1]
    nics = [flows[name].astype(np.int64) for name in ("source_nic", "destination_nic")]
    nodes = nodes_of_nics(run)
    known = np.array([host * _NICS + nic for host, nic in nodes], dtype=np.int64)
    order = np.argsort(known)
    numbers = np.array(list(nodes.values()), dtype=np.int64)[order]
    found = []
    for host, nic in zip(hosts, nics, strict=True):
        key = host * _NICS + nic
        place = np.searchsorted(known[order], key).clip(max=len(known) - 1)
        flows.refuse(known[order][place] != key, "source_nic", "there is no such NIC")
        found.append(numbers[place])
    return found[0], found[1]


_NICS = 1 << 16
"""More NICs than a host has."""


def nodes_of_nics(run: Run) -> dict[tuple[int, int], int]:
    """By host and NIC, the node that it is, where hosts have several."""
    ports = run.ports
    columns = (ports[name] for name in ("host", "nic", "node"))
    rows = zip(*columns, strict=True)
    return {(int(host), int(nic)): int(node) for host, nic, node in rows if host == host}


def every_port(run: Network) -> list[Port]:
    """All ports, in the order of the network."""
    table = run.ports
    nodes, numbers, nodes_beyond, rates = (
        table.numbers(name).tolist() for name in ("node", "port", "peer", "rate_bps")
    )
    texts, places = table.categories("label")
    labels = [texts[place] for place in places.tolist()]
    rows = zip(nodes, numbers, nodes_beyond, labels, rates, strict=True)
    return [Port(*row) for row in rows]


def chosen_ports(run: Run, names: Sequence[str] | None) -> list[Port]:
    """The ports that are named, each by itself (`switch 17 port 16`) or all of a node (`host 3`),
    in the order of the network; by default all.

    Raises:
        ResultsError: There is no such port.
    """
    every = every_port(run)
    if names is None:
        return every
    nodes = dict.fromkeys(port.node_name for port in every)
    known = nodes | dict.fromkeys(port.name for port in every)
    for name in names:
        if name not in known:
            # A network may have a hundred thousand ports.
            near = [*nodes] if len(nodes) <= _LISTED else [*nodes][:_LISTED]
            what = f"there is no port or node `{name}`"
            raise ResultsError(f"{run.name}: {what}", hint=hint(name, near))
    wanted = set(names)
    return [port for port in every if port.name in wanted or port.node_name in wanted]


_LISTED = 20
"""Names in an error."""
