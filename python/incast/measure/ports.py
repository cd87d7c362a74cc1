"""Ports of a run, and their names in scenarios and results."""

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
"""The number of a node, and the number of one of its ports."""


class Port(NamedTuple):
    """A port."""

    node: int
    number: int
    peer: int
    """The node at the other end."""
    label: str
    """The port, and the node at the other end of its link: `switch 9 port 0 → host 0`."""
    rate_bps: int

    @property
    def name(self) -> str:
        """Name of the port in scenarios: `switch 9 port 0`."""
        return self.label.split(" → ")[0]

    @property
    def node_name(self) -> str:
        """The name of the port's node: `switch 9`."""
        return self.name.rsplit(" port ", 1)[0]

    @property
    def place(self) -> Place:
        """The number of the port's node, and the port's own number."""
        return self.node, self.number

    @property
    def key(self) -> int:
        """A number that identifies the port in the network."""
        return int(port_key(self.node, self.number))


def port_key(node: Any, number: Any) -> Any:
    """The key of a port, or an array of keys for arrays of ports."""
    return node * (1 << 16) + number


def peers(run: Network) -> dict[int, Port]:
    """For each port, by key, the port at the other end of its link."""
    every = every_port(run)
    between: dict[tuple[int, int], list[Port]] = {}
    for port in every:
        between.setdefault((port.node, port.peer), []).append(port)
    found = {}
    for (node, peer), ports in between.items():
        # Parallel links between two nodes have their ports in the same order at both nodes.
        others = between.get((peer, node), [])
        found.update({port.key: other for port, other in zip(ports, others, strict=False)})
    return found


def far_ends(run: Network) -> dict[Place, Place]:
    """For each port, the port at the other end of its link, by node and port number."""
    others = peers(run)
    return {port.place: others[port.key].place for port in every_port(run)}


def ends_of_flows(run: Run) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """For each flow, the numbers of its sending and receiving nodes: hosts, or NICs of hosts with
    several.

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
"""Larger than the number of NICs of any host."""


def nodes_of_nics(run: Run) -> dict[tuple[int, int], int]:
    """For hosts with several NICs, the number of the node, by host and NIC."""
    ports = run.ports
    columns = (ports[name] for name in ("host", "nic", "node"))
    rows = zip(*columns, strict=True)
    return {(int(host), int(nic)): int(node) for host, nic, node in rows if host == host}


def every_port(run: Network) -> list[Port]:
    """All ports of the network, in the order of the table."""
    table = run.ports
    nodes, numbers, nodes_beyond, rates = (
        table.numbers(name).tolist() for name in ("node", "port", "peer", "rate_bps")
    )
    texts, places = table.categories("label")
    labels = [texts[place] for place in places.tolist()]
    rows = zip(nodes, numbers, nodes_beyond, labels, rates, strict=True)
    return [Port(*row) for row in rows]


def chosen_ports(run: Run, names: Sequence[str] | None) -> list[Port]:
    """The ports with these names, in the order of the network; by default all. A name is that of a
    port (`switch 17 port 16`) or of a node (`host 3`), which stands for all of its ports.

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
            # The error lists few names: a network may have a hundred thousand ports.
            near = [*nodes] if len(nodes) <= _LISTED else [*nodes][:_LISTED]
            what = f"there is no port or node `{name}`"
            raise ResultsError(f"{run.name}: {what}", hint=hint(name, near))
    wanted = set(names)
    return [port for port in every if port.name in wanted or port.node_name in wanted]


_LISTED = 20
"""The most names that an error lists."""
