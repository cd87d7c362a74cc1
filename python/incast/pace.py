"""How fast one core simulates: turns an estimate of hops into time."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["PACES", "Pace"]


class Pace(NamedTuple):
    """Packet-hops, or flit-hops, per second of one core: of slow runs, and of fast ones."""

    slow: float
    fast: float


PACES: dict[Literal["network", "fabric"], Pace] = {
    "network": Pace(8e6, 40e6),
    "fabric": Pace(15e6, 100e6),
}
"""Paces for scenarios of a network, and of a memory fabric."""
