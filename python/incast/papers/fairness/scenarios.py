"""The paper's networks and traffic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from incast.papers.fairness.variants import ALGORITHMS
from incast.papers.paper import Planned, Scale

__all__ = ["DATACENTER_SCALED", "datacenter", "hadoop", "star", "stars"]

_NETWORK = {"profile": "hpcc-ns3", "model": {"clock": "picoseconds", "ties": "port"}}
"""What the HPCC artifact does, which the paper used; but events at the same time in the order of
ports, for which the faster engine is enough.
"""

_HOSTS, _LINK_RATE = 320, 100e9
_PACKET_BYTES = 1000
_LINKS = 5.6
"""Of a path between two hosts of the fat tree, on average: 304 of 319 are in another rack."""


def star(cc: dict[str, Any], senders: int, *, name: str) -> Planned:
    """Flows of 1 MB to one host; two start every 20 µs. Jain's index is taken of 20 µs, with many
    senders of 100 µs: in less, a flow gets so few packets that their number alone makes it unfair.
    """
    bin_width = "20us" if senders <= 16 else "100us"
    scenario = {
        "run": {"name": name},
        "network": {**_NETWORK, "topology": {"kind": "star", "hosts": senders + 1}},
        "cc": cc,
        "traffic": [
            {
                "kind": "incast",
                "senders": f"0-{senders - 1}",
                "receiver": senders,
                "sizes": "1MB",
                "stagger": {"group": 2, "every": "20us"},
            }
        ],
        "measure": {
            "queues": {"ports": "none", "every": "1us"},
            "flows": {"which": "none", "every": bin_width},
        },
    }
    return Planned(scenario, packet_hops=4000 * senders)


def stars(*labels: str, senders: int = 16) -> dict[str, Planned]:
    """The star under these algorithms."""
    return {
        label: star(ALGORITHMS[label], senders, name=f"star-{senders} {label}") for label in labels
    }


DATACENTER_SCALED = "2 ms of arrivals instead of 50 ms"


def datacenter(cc: dict[str, Any], scale: Scale, *, name: str, loads: dict[str, float]) -> Planned:
    """Poisson traffic on the 320-host fat tree, each distribution of sizes with its load."""
    duration_ms = scale.pick(quick=2, full=50)
    scenario = {
        "run": {"name": name},
        "network": {**_NETWORK, "topology": "clos-320"},
        "cc": cc,
        "traffic": [
            {"kind": "poisson", "sizes": sizes, "load": load, "duration": f"{duration_ms}ms"}
            for sizes, load in loads.items()
        ],
        # Of use to no figure, and much data.
        "measure": {"queues": {"ports": "none", "every": "10us"}, "flows": {"which": "none"}},
    }
    packets = sum(loads.values()) * _HOSTS * _LINK_RATE / 8 * duration_ms * 1e-3 / _PACKET_BYTES
    return Planned(scenario, packet_hops=packets * 2 * _LINKS)


def hadoop(scale: Scale, labels: Sequence[str]) -> dict[str, Planned]:
    """Hadoop sizes at half load, under these algorithms."""
    return {
        label: datacenter(
            ALGORITHMS[label], scale, name=f"hadoop {label}", loads={"fb-hadoop": 0.5}
        )
        for label in labels
    }
