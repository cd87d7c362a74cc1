"""The paper's networks and traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from incast.papers import seeds
from incast.papers.figure import RunPlan, Scale

from incast_papers.fairness.algorithms import ALGORITHMS, HPCC, RANDOM, SWIFT

__all__ = [
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
"""Mean number of links between two hosts of the fat tree, where 304 of 319 hosts are in another
rack.
"""


def network(cc: Mapping[str, Any], topology: object, **more: Any) -> dict[str, Any]:
    """The network of the HPCC artifact, which the paper used. Durations are exact, and ties are
    ordered by port, so that the faster engine can run it. Under HPCC and Swift, which the paper
    compares on one network, ACKs are queued with data. Under all others ACKs have priority, as in
    the artifact's `run.py`.
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


def star(
    cc: Mapping[str, Any],
    senders: int,
    *,
    name: str,
    seed: int = 1,
    group: int | None = 2,
    megabytes: int = 1,
    more: Mapping[str, Any] | None = None,
) -> RunPlan:
    """Flows of 1 MB to one host. Jain's index is computed over intervals of 20 µs, with many
    senders of 100 µs. In shorter intervals a flow has so few packets that rounding alone looks
    unfair.

    Args:
        cc: The algorithm.
        senders: The number of senders.
        name: The name of the run.
        seed: The seed of the run.
        group: The number of flows that start together every 20 µs; `None` if all start at once.
        megabytes: The size of each flow.
        more: Further tables of the scenario.
    """
    bin_width = "20us" if senders <= 16 else "100us"
    flows = {
        "kind": "incast",
        "senders": f"0-{senders - 1}",
        "receiver": senders,
        "sizes": f"{megabytes}MB",
    }
    stagger = {} if group is None else {"stagger": {"group": group, "every": "20us"}}
    scenario = {
        "run": {"name": name, "seed": seed},
        "network": network(cc, {"kind": "star", "hosts": senders + 1}),
        "cc": cc,
        "traffic": [{**flows, **stagger}],
        "measure": {
            "queues": {"ports": "none", "every": "1us"},
            "flows": {"which": "none", "every": bin_width},
        },
        **(more or {}),
    }
    return RunPlan(scenario, hops=4000 * senders * megabytes)


def stars(*labels: str, senders: int = 16) -> dict[str, RunPlan]:
    """The star under these algorithms; with several seeds for algorithms that ignore feedback at
    random.
    """

    def run(label: str, seed: int = 1) -> RunPlan:
        return star(ALGORITHMS[label], senders, name=f"star-{senders} {label}", seed=seed)

    planned: dict[str, RunPlan] = {}
    for label in labels:
        if label in RANDOM:
            planned |= seeds.over(RANDOM_SEEDS, label, partial(run, label))
        else:
            planned[label] = run(label)
    return planned


def one_flow() -> RunPlan:
    """A run of one packet across the fat tree, for facts of the network."""
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


RANDOM_SEEDS = range(1, 6)
"""Seeds for algorithms and ECN marking that draw random numbers."""
_QUICK_MS = 2


HADOOP_MS = {1: 50, 2: 20, 3: 20}
"""Duration of arrivals by seed, in ms. The first seed has the paper's duration, the others less."""
_WEBSEARCH_STORAGE_MS = dict.fromkeys((1, 2, 3), 10)


def datacenter(
    cc: Mapping[str, Any],
    *,
    name: str,
    loads: Mapping[str, float],
    milliseconds: int,
    seed: int,
) -> RunPlan:
    """Poisson traffic on the 320-host fat tree, with a load for each distribution of sizes."""
    scenario = {
        "run": {"name": name, "seed": seed},
        "network": network(cc, "clos-320"),
        "cc": cc,
        "traffic": [
            {"kind": "poisson", "sizes": sizes, "load": load, "duration": f"{milliseconds}ms"}
            for sizes, load in loads.items()
        ],
        # Series are large, and no figure uses them. FCTs are of all flows, as in the paper.
        "measure": {
            "fct": "all",
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "none"},
        },
    }
    seconds = milliseconds * 1e-3
    packets = sum(loads.values()) * _HOSTS * _LINK_RATE / 8 * seconds / _PACKET_BYTES
    return RunPlan(scenario, hops=packets * 2 * _LINKS)


_HADOOP = {"fb-hadoop": 0.5}
"""The load of each distribution of sizes."""
_WEBSEARCH_STORAGE = {"web-search": 0.25, "ali-storage": 0.25}


def hadoop(scale: Scale, *labels: str) -> dict[str, RunPlan]:
    """Hadoop traffic at a load of 50 %, under these algorithms, with several seeds."""
    return _seeded(scale, "hadoop", labels, _HADOOP, HADOOP_MS)


def websearch_storage(scale: Scale, *labels: str) -> dict[str, RunPlan]:
    """Web search and storage traffic at a load of 25 % each, under these algorithms, with several
    seeds.
    """
    name = "websearch-storage"
    return _seeded(scale, name, labels, _WEBSEARCH_STORAGE, _WEBSEARCH_STORAGE_MS)


def changed(scale: Scale, label: str, change: Mapping[str, Any], of: str = SWIFT) -> RunPlan:
    """Hadoop traffic under Swift, or another algorithm, with changed parameters. It takes the
    second seed, whose duration is short.
    """
    return datacenter(
        {**_datacenter_cc(of), **change},
        name=f"hadoop {label}",
        loads=_HADOOP,
        milliseconds=scale.pick(quick=_QUICK_MS, full=HADOOP_MS[2]),
        seed=2,
    )


def _seeded(
    scale: Scale,
    name: str,
    labels: Sequence[str],
    loads: Mapping[str, float],
    lengths: Mapping[int, int],
) -> dict[str, RunPlan]:
    chosen = scale.pick(quick={1: _QUICK_MS}, full=lengths)

    def run(label: str, seed: int) -> RunPlan:
        return datacenter(
            _datacenter_cc(label),
            name=f"{name} {label}",
            loads=loads,
            milliseconds=chosen[seed],
            seed=seed,
        )

    planned: dict[str, RunPlan] = {}
    for label in labels:
        planned |= seeds.over(chosen, label, partial(run, label))
    return planned


def _datacenter_cc(label: str) -> dict[str, Any]:
    """In this traffic, Swift's flow scaling ends at 100 packets, on the star at 50 (dissertation,
    Table 3.1). VAI SF has no flow scaling.
    """
    cc = ALGORITHMS[label]
    return {**cc, "fs_max_packets": 100} if cc["algorithm"].startswith("swift") else cc
