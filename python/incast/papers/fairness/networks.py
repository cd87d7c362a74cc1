"""The paper's networks and traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from incast.papers.fairness.algorithms import ALGORITHMS, HPCC, RANDOM, SWIFT
from incast.papers.framework import seeds
from incast.papers.framework.paper import RunPlan, Scale

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
    """Flows of 1 MB to one host. Jain's index is taken of 20 µs, with many senders of 100 µs: in
    less, a flow gets so few packets that their number alone makes it unfair.

    Args:
        cc: The algorithm.
        senders: Their number.
        name: Of the run.
        seed: Of its random streams.
        group: Flows that start together every 20 µs; `None` if all do at once.
        megabytes: Of each flow.
        more: Tables of the scenario beside these.
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
    """The star under these algorithms; where they ignore feedback at random, with several seeds."""

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


RANDOM_SEEDS = range(1, 6)
"""Seeds of algorithms that draw random numbers, and of marking."""
_QUICK_MS = 2


HADOOP_MS = {1: 50, 2: 20, 3: 20}
"""Time of arrivals by seed, in ms: the paper's with the first, less with the others."""
_WEBSEARCH_STORAGE_MS = dict.fromkeys((1, 2, 3), 10)


def datacenter(
    cc: Mapping[str, Any],
    *,
    name: str,
    loads: Mapping[str, float],
    milliseconds: int,
    seed: int,
) -> RunPlan:
    """Poisson traffic on the 320-host fat tree, each distribution of sizes with its load."""
    scenario = {
        "run": {"name": name, "seed": seed},
        "network": network(cc, "clos-320"),
        "cc": cc,
        "traffic": [
            {"kind": "poisson", "sizes": sizes, "load": load, "duration": f"{milliseconds}ms"}
            for sizes, load in loads.items()
        ],
        # No figure uses these series, which are large. FCTs are of all flows, as in the paper.
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
"""Load by distribution of sizes."""
_WEBSEARCH_STORAGE = {"web-search": 0.25, "ali-storage": 0.25}


def hadoop(scale: Scale, *labels: str) -> dict[str, RunPlan]:
    """Hadoop sizes at half load, under these algorithms, with several seeds."""
    return _seeded(scale, "hadoop", labels, _HADOOP, HADOOP_MS)


def websearch_storage(scale: Scale, *labels: str) -> dict[str, RunPlan]:
    """Web search and storage sizes at a quarter of the load each, under these algorithms, with
    several seeds.
    """
    name = "websearch-storage"
    return _seeded(scale, name, labels, _WEBSEARCH_STORAGE, _WEBSEARCH_STORAGE_MS)


def changed(scale: Scale, label: str, change: Mapping[str, Any], of: str = SWIFT) -> RunPlan:
    """Hadoop traffic under Swift, or another algorithm, with other parameters: the second seed,
    which is short.
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
    """Swift's flow scaling ends at 100 packets here, on the star at 50 (dissertation, Table 3.1);
    without flow scaling, with VAI SF, there is none to end.
    """
    cc = ALGORITHMS[label]
    return {**cc, "fs_max_packets": 100} if cc["algorithm"].startswith("swift") else cc
