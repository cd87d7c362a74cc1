"""The paper's networks and traffic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from incast.papers.fairness.algorithms import ALGORITHMS, HPCC
from incast.papers.framework.paper import RunPlan, Scale

__all__ = [
    "DATACENTER_SCALED",
    "datacenter",
    "hadoop",
    "network",
    "one_flow",
    "star",
    "stars",
    "websearch_storage",
]

_HOSTS, _LINK_RATE = 320, 100e9
_PACKET_BYTES = 1000
_LINKS = 5.6
"""Links of a path between two hosts of the fat tree, on average: 304 of 319 are in another rack."""


def network(cc: Mapping[str, Any], topology: object, **more: Any) -> dict[str, Any]:
    """The network of the HPCC artifact, which the paper used; but durations are exact, and
    simultaneous events come in the order of ports, so that the faster engine can run it. ACKs go
    among the data under HPCC and Swift, which the paper compares on one network, and ahead of it
    under all others, as in the artifact's `run.py`.
    """
    among_data = str(cc["algorithm"]).startswith(("hpcc", "swift"))
    return {
        "topology": topology,
        "profile": "hpcc-ns3",
        "model": {
            "clock": "picoseconds",
            "ties": "port",
            "ack_class": "data" if among_data else "control",
        },
        **more,
    }


def star(cc: Mapping[str, Any], senders: int, *, name: str, at_once: bool = False) -> RunPlan:
    """Flows of 1 MB to one host; two start every 20 µs, or all of them at once. Jain's index is
    taken of 20 µs, with many senders of 100 µs: in less, a flow gets so few packets that their
    number alone makes it unfair.
    """
    bin_width = "20us" if senders <= 16 else "100us"
    flows = {
        "kind": "incast",
        "senders": f"0-{senders - 1}",
        "receiver": senders,
        "sizes": "1MB",
    }
    stagger = {} if at_once else {"stagger": {"group": 2, "every": "20us"}}
    scenario = {
        "run": {"name": name},
        "network": network(cc, {"kind": "star", "hosts": senders + 1}),
        "cc": cc,
        "traffic": [{**flows, **stagger}],
        "measure": {
            "queues": {"ports": "none", "every": "1us"},
            "flows": {"which": "none", "every": bin_width},
        },
    }
    return RunPlan(scenario, hops=4000 * senders)


def stars(*labels: str, senders: int = 16) -> dict[str, RunPlan]:
    """The star under these algorithms."""
    return {
        label: star(ALGORITHMS[label], senders, name=f"star-{senders} {label}") for label in labels
    }


def one_flow() -> RunPlan:
    """A packet across the fat tree: for facts of the network alone."""
    scenario = {
        "run": {"name": "one packet"},
        "network": network(ALGORITHMS[HPCC], "clos-320"),
        "cc": ALGORITHMS[HPCC],
        "traffic": [
            {"kind": "flows", "flows": [{"source": 0, "destination": _HOSTS - 1, "size": "1KB"}]}
        ],
        "measure": {"queues": {"ports": "none"}, "flows": {"which": "none"}},
    }
    return RunPlan(scenario, hops=12)


DATACENTER_SCALED = "2 ms of arrivals instead of 50 ms"


def datacenter(
    cc: Mapping[str, Any], scale: Scale, *, name: str, loads: Mapping[str, float]
) -> RunPlan:
    """Poisson traffic on the 320-host fat tree, each distribution of sizes with its load."""
    duration_ms = scale.pick(quick=2, full=50)
    scenario = {
        "run": {"name": name},
        "network": network(cc, "clos-320"),
        "cc": cc,
        "traffic": [
            {"kind": "poisson", "sizes": sizes, "load": load, "duration": f"{duration_ms}ms"}
            for sizes, load in loads.items()
        ],
        # No figure uses these series, which are large.
        "measure": {"queues": {"ports": "none", "every": "10us"}, "flows": {"which": "none"}},
    }
    packets = sum(loads.values()) * _HOSTS * _LINK_RATE / 8 * duration_ms * 1e-3 / _PACKET_BYTES
    return RunPlan(scenario, hops=packets * 2 * _LINKS)


def hadoop(scale: Scale, *labels: str) -> dict[str, RunPlan]:
    """Hadoop sizes at half load, under these algorithms."""
    loads = {"fb-hadoop": 0.5}
    return {
        label: datacenter(_datacenter_cc(label), scale, name=f"hadoop {label}", loads=loads)
        for label in labels
    }


def websearch_storage(scale: Scale, *labels: str) -> dict[str, RunPlan]:
    """Web search and storage sizes at a quarter of the load each, under these algorithms."""
    loads = {"web-search": 0.25, "ali-storage": 0.25}
    return {
        label: datacenter(
            _datacenter_cc(label), scale, name=f"websearch-storage {label}", loads=loads
        )
        for label in labels
    }


def _datacenter_cc(label: str) -> dict[str, Any]:
    """Swift's flow scaling ends at 100 packets here, on the star at 50 (dissertation, Table 3.1);
    without flow scaling, with VAI SF, there is none to end.
    """
    cc = ALGORITHMS[label]
    return {**cc, "fs_max_packets": 100} if cc["algorithm"].startswith("swift") else cc
