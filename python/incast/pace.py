"""How fast one core simulates: what an estimate of hops comes to in time."""

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
"""By what a scenario is of."""
