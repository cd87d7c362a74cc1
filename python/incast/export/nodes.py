"""Hosts and switches as processes of a timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incast.export.trace_events import Tracks
from incast.measure.ports import Port, every_port, nodes_of_nics

if TYPE_CHECKING:
    from incast.measure.run import Run

__all__ = ["COLLECTIVES", "NETWORK", "Nodes"]

NETWORK, COLLECTIVES = 1, 2
"""Processes of the timeline that stand for no node; they come first."""
_FIRST_NODE = 3


class Nodes:
    """The names of nodes, and their processes."""

    def __init__(self, run: Run, tracks: Tracks) -> None:
        self._tracks = tracks
        every = every_port(run)
        self._run = run
        self._ports = {port.label: port for port in every}
        self._names = {port.node: port.node_name for port in every}
        nics = nodes_of_nics(run) if "host" in run.ports else {}
        self._first_nics = {host: node for (host, nic), node in nics.items() if nic == 0}

    def name(self, node: int) -> str:
        """The name of a node in the results."""
        return self._names.get(node, f"host {node}")

    def host(self, host: int) -> str:
        """The name of a host in the results, without the NIC."""
        if host not in self._first_nics:
            return self.name(host)
        return self.name(self._first_nics[host]).removesuffix(" NIC 0")

    def port(self, label: str) -> Port:
        """The port with this label.

        Raises:
            ResultsError: The series name a port that the network does not have.
        """
        if label not in self._ports:
            raise self._run.series.error(f"there is no port `{label}`")
        return self._ports[label]

    def process(self, node: int) -> int:
        """Adds the process of a node to the timeline, and gives its number."""
        return self._tracks.process(_FIRST_NODE + node, self.name(node))

    def process_of_host(self, host: int) -> int:
        """Adds the process of a host to the timeline, and gives its number. With several NICs, the
        host has a process beside those of its NICs.
        """
        if host not in self._first_nics:
            return self.process(host)
        return self._tracks.process(_FIRST_NODE + len(self._names) + host, self.host(host))
