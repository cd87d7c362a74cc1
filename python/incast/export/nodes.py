"""Hosts and switches as processes of a timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incast.export.trace_events import Tracks
from incast.measure.ports import Port, every_port, nodes_of_nics

if TYPE_CHECKING:
    from incast.measure.run import Run

__all__ = ["COLLECTIVES", "NETWORK", "Nodes"]

NETWORK, COLLECTIVES = 1, 2
"""Processes that are no nodes, before all that are."""
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
        """What the results call it."""
        return self._names.get(node, f"host {node}")

    def host(self, host: int) -> str:
        """What the results call a host, whatever NICs it has."""
        if host not in self._first_nics:
            return self.name(host)
        return self.name(self._first_nics[host]).removesuffix(" NIC 0")

    def port(self, label: str) -> Port:
        """The port of this label.

        Raises:
            ResultsError: The series name a port that the network does not have.
        """
        if label not in self._ports:
            raise self._run.series.error(f"there is no port `{label}`")
        return self._ports[label]

    def process(self, node: int) -> int:
        """The number of its process, which is in the timeline from then on."""
        return self._tracks.process(_FIRST_NODE + node, self.name(node))

    def process_of_host(self, host: int) -> int:
        """The process of a host: one of its own, if its NICs have theirs."""
        if host not in self._first_nics:
            return self.process(host)
        return self._tracks.process(_FIRST_NODE + len(self._names) + host, self.host(host))
