"""The flows that a flow met at the ports of its path, and its share of each link."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incast.explain.recorded import Recorded
from incast.measure.ports import Place, Port
from incast.measure.run import Run

__all__ = ["AtPort", "Met", "company", "path_of"]


@dataclass(frozen=True)
class Met:
    """Another flow at a port, while the flow was there."""

    flow: int
    wire_bytes: int
    """Bytes of the other flow's data that left the port in that time."""
    first_ps: int
    """Start of the transmission of the other flow's first packet in that time, in ps."""
    last_ps: int
    """End of the transmission of the other flow's last packet in that time, in ps."""


@dataclass(frozen=True)
class AtPort:
    """A port on the path of a flow, from the arrival of its first packet (at the NIC: its
    departure) until its last packet has left.
    """

    port: Port
    others: Sequence[Met]
    """Other flows whose data left the port in this time, those with the most bytes first."""
    share: float
    """The flow's share of the data bytes that left the port, from 0 to 1."""
    equal_share: float
    """The mean over this time of 1/n, where n is the number of flows at the port, the flow itself
    included. Another flow is there from its first to its last packet that leaves in this time.
    """
    utilisation: float
    """The share of this time in which data left, at the full rate of the link."""

    @property
    def equal_bps(self) -> float:
        """An equal share of the link, in bit/s."""
        return self.equal_share * self.port.rate_bps


def company(path: Iterable[AtPort]) -> list[AtPort]:
    """The ports of a path at which a flow met others, the port with the smallest equal share
    first.
    """
    return sorted((each for each in path if each.others), key=lambda each: each.equal_bps)


def path_of(run: Run, flow: int, recorded: Recorded) -> list[AtPort]:
    """The ports that data of a flow left.

    Args:
        run: A run with ``measure.packets.causes`` for this flow.
        flow: The number of the flow.
        recorded: The recording of the run.
    """
    table = run.company
    own = np.flatnonzero(table.numbers("flow_id") == flow)
    names = ("node", "port", "since_ps", "other_id", "wire_bytes")
    times = ("first_ps", "last_ps", "last_bytes")
    columns = (table.numbers(name)[own].astype(int).tolist() for name in (*names, *times))
    met: dict[Place, list[Met]] = {}
    begins: dict[Place, int] = {}
    for node, number, since, other, wire, first, last, size in zip(*columns, strict=True):
        place = node, number
        out = last + recorded.transmission(place, size)
        met.setdefault(place, []).append(Met(other, wire, first, out))
        begins[place] = since
    return [
        _at_port(recorded.ports[place], flow, begins[place], flows) for place, flows in met.items()
    ]


def _at_port(port: Port, flow: int, begin: int, flows: Sequence[Met]) -> AtPort:
    own = next(each for each in flows if each.flow == flow)
    others = [each for each in flows if each.flow != flow]
    total = sum(each.wire_bytes for each in flows)
    end = own.last_ps
    return AtPort(
        port,
        sorted(others, key=lambda each: -each.wire_bytes),
        own.wire_bytes / total,
        _equal_share((begin, end), others),
        total * 8e12 / port.rate_bps / (end - begin),
    )


def _equal_share(span: tuple[int, int], others: Sequence[Met]) -> float:
    """The mean of 1/n over a span of time, where n is the number of flows present; one flow is
    present all the time.
    """
    begin, end = span
    changes = [(begin, 0), (end, 0)]
    for other in others:
        first, last = max(other.first_ps, begin), min(other.last_ps, end)
        if first < last:
            changes += [(first, 1), (last, -1)]
    changes.sort()
    flows, area = 1, 0.0
    for (time, change), (following, _) in pairwise(changes):
        flows += change
        area += (following - time) / flows
    return area / (end - begin)
