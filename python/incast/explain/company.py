"""Whose data a flow met at the ports of its path, and what share of each link it had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incast.explain.events import Place
from incast.explain.recorded import Port
from incast.measure.run import Run

__all__ = ["AtPort", "Met", "company"]


@dataclass(frozen=True)
class Met:
    """Another flow at a port."""

    flow: int
    wire_bytes: int
    """Of its data that left there meanwhile."""
    first_ps: int
    """When the first of these left."""
    last_ps: int


@dataclass(frozen=True)
class AtPort:
    """A port on the path of a flow, from its first packet there to its end."""

    port: Port
    others: Sequence[Met]
    """Flows whose data left there meanwhile, those with the most bytes first."""
    share: float
    """Of the bytes of data that left: the flow's own, from 0 to 1."""
    equal_share: float
    """The mean of one over the number of flows there, itself included, over its own time there."""

    utilisation: float
    """The share of the time up to the flow's end in which data left, from 0 to 1."""

    @property
    def equal_bps(self) -> float:
        """What an equal share of the link is worth."""
        return self.equal_share * self.port.rate_bps


def company(run: Run, flow: int, end: int, ports: Mapping[Place, Port]) -> list[AtPort]:
    """The ports of its path at which a flow met others: where an equal share of the link is worth
    least first.

    Args:
        run: With ``measure.packets.causes`` for this flow.
        flow: Its number.
        end: When its last ACK came, in ps.
        ports: Of the network.
    """
    table = run.company
    own = np.flatnonzero(table.numbers("flow_id") == flow)
    columns = (
        table.numbers(name)[own].astype(int).tolist()
        for name in ("node", "port", "other_id", "wire_bytes", "first_ps", "last_ps")
    )
    met: dict[Place, list[Met]] = {}
    for node, port, other, wire, first, last in zip(*columns, strict=True):
        met.setdefault((node, port), []).append(Met(other, wire, first, last))
    found = [
        _at_port(ports[place], flow, end, flows)
        for place, flows in met.items()
        if any(each.flow == flow for each in flows)
    ]
    return sorted((each for each in found if each.others), key=lambda each: each.equal_bps)


def _at_port(port: Port, flow: int, end: int, flows: Sequence[Met]) -> AtPort:
    own = next(each for each in flows if each.flow == flow)
    others = [each for each in flows if each.flow != flow]
    total = sum(each.wire_bytes for each in flows)
    return AtPort(
        port,
        sorted(others, key=lambda each: -each.wire_bytes),
        own.wire_bytes / total,
        _equal_share(own, others),
        total * 8e12 / port.rate_bps / (end - own.first_ps),
    )


def _equal_share(own: Met, others: Sequence[Met]) -> float:
    """The mean over time of one over the number of flows that are there."""
    changes = [(own.first_ps, 0), (own.last_ps, 0)]
    for other in others:
        begin, end = max(other.first_ps, own.first_ps), min(other.last_ps, own.last_ps)
        if begin < end:
            changes += [(begin, 1), (end, -1)]
    changes.sort()
    flows, area = 1, 0.0
    for (time, change), (following, _) in pairwise(changes):
        flows += change
        area += (following - time) / flows
    whole = own.last_ps - own.first_ps
    return area / whole if whole > 0 else 1 / (1 + len(others))
