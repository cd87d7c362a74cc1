"""The dissertation's networks and traffic."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from incast.papers.figure import RunPlan, Scale
from incast.papers.seeds import of, over

from incast_papers.isolation.algorithms import (
    CONNECTX,
    PERC_WEIGHTS,
    UNCONTROLLED,
    Choice,
    Enforcement,
    algorithm,
    chosen,
)

__all__ = [
    "BDP",
    "PAIRS",
    "SHARED_UNTIL",
    "Attack",
    "attackers",
    "datacenter",
    "hadoop",
    "incast",
    "large_transfer",
    "long_flows",
    "of",
    "overlays",
    "seeds",
    "shared_cluster",
    "weighted",
]

PIECE = 150_000
"""Bytes of a piece of an attacker's flow in §3.6.2."""
BDP = 153_000
"""The BDP in bytes, at 100 Gb/s and the fat tree's base RTT of 12.24 µs."""


class Attack(Enum):
    """The kind of attack."""

    NONE = "none"
    PARALLEL = "parallel"
    STAGGERED = "staggered"
    SHUFFLED = "shuffled"


def seeds(
    scale: Scale, label: str, make: Callable[[int], RunPlan], *, full: int = 3, quick: int = 1
) -> dict[str, RunPlan]:
    """Runs with several seeds: equal seeds give equal flows under every algorithm."""
    numbers = range(1, scale.pick(quick=quick, full=full) + 1)
    return over(numbers, label, make)


def attackers(attack: Attack, **options: Any) -> dict[str, Any]:
    """The `[attack]` section of an attack by the tenant `attacker`."""
    return {"kind": attack.value, "attackers": {"tenant": "attacker"}, **options}


_NO_SERIES = {
    # FCTs are of all flows, as in the dissertation.
    "fct": "all",
    "queues": {"ports": "none", "every": "10us"},
    "flows": {"which": "none"},
    "pauses": False,
    "fair_share": "none",
}
"""The `[measure]` section of large runs, without series, as no figure uses them."""


def _named(name: str, choice: Choice | None) -> str:
    return f"{name}, {choice.name}" if choice else name


_HOSTS = 320
_LINKS = 5.51
"""Mean number of links between two hosts of `clos-320`. Of 319 other hosts, 15 are in the same
rack, 48 in the same pod and 256 in other pods: 2, 4 and 6 links away.
"""


def hadoop(
    label: str,
    attack: Attack,
    seed: int,
    *,
    milliseconds: float,
    load: float = 0.5,
    enforcement: Enforcement = Enforcement.QP,
    piece: int = PIECE,
    spacing: str = "13us",
    larger_than: str = "1MB",
    acks_among_data: bool = True,
    packet_latency: bool = False,
    choice: Choice | None = None,
    idle: Mapping[str, str] | None = None,
) -> RunPlan:
    """§3.6.2: Hadoop traffic on the fat tree of 320 hosts, in which large flows attack.

    Args:
        label: The algorithm.
        attack: The attack by large flows.
        seed: The seed of the run.
        milliseconds: The duration of arrivals.
        load: The load of the hosts' links.
        enforcement: On what the NIC enforces congestion control.
        piece: The bytes of a piece of an attacker's flow.
        spacing: The time between two pieces of a staggered attack.
        larger_than: Flows above this size attack.
        acks_among_data: Whether ACKs queue with data, as in the HPCC artifact's configuration.
        packet_latency: Whether to measure the slowest packet of each flow.
        choice: An alternative where the text leaves something open.
        idle: The treatment of a shared state without flows, if it is not kept.
    """
    options: dict[str, Any] = {} if attack is Attack.NONE else {"piece": f"{piece}B"}
    if attack is Attack.STAGGERED:
        options["spacing"] = spacing
    name = f"{enforcement.label} {label} {attack.value} {load:g}"
    scenario = {
        "run": {"name": _named(f"isolation {name}", choice), "seed": seed},
        "network": {
            "topology": "clos-320",
            "profile": "default",
            "model": {"ack_class": "data" if acks_among_data else "control"},
        },
        "nic": {"enforcement": enforcement.key, **({"idle": idle} if idle else {})},
        "cc": chosen(label, choice),
        "traffic": [
            {
                "kind": "poisson",
                "sizes": "fb-hadoop",
                "load": load,
                "duration": f"{milliseconds:g}ms",
            }
        ],
        "attack": {
            "kind": attack.value,
            "attackers": {"larger_than": larger_than},
            **options,
        },
        "measure": {**_NO_SERIES, "packet_latency": packet_latency},
    }
    packets = load * _HOSTS * 100e9 / 8 * milliseconds * 1e-3 / 1000
    return RunPlan(scenario, hops=packets * 2 * _LINKS)


def datacenter(
    label: str,
    seed: int,
    *,
    microseconds: float,
    hosts: str = "clos-320",
    choice: Choice | None = None,
) -> RunPlan:
    """§5.5.1: AliStorage traffic at 70 % of 1.6 Tb/s; links between switches have 6.4 Tb/s."""
    scenario = {
        "run": {"name": _named(f"isolation 1.6 Tb/s {label}", choice), "seed": seed},
        "network": {
            "topology": {"kind": hosts, "host_rate": "1600Gbps", "fabric_rate": "6400Gbps"},
        },
        "cc": chosen(label, choice),
        "traffic": [
            {
                "kind": "poisson",
                "sizes": "ali-storage",
                "load": 0.7,
                "duration": f"{microseconds:g}us",
            }
        ],
        "measure": _NO_SERIES,
    }
    packets = 0.7 * _HOSTS * 1.6e12 / 8 * microseconds * 1e-6 / 1000
    return RunPlan(scenario, hops=packets * 2 * _LINKS)


def incast(
    label: str,
    attack: Attack,
    *,
    attacker: str = "10MB",
    arbitration: str = "fifo",
    seed: int = 1,
    trace: bool = False,
) -> RunPlan:
    """§5.5.2: 16 senders and one receiver at a switch; host 0 attacks. The BDP is 52 KB, the RTT
    4.16 µs. Packets have 1000 bytes on the wire.
    """
    victims = [{"source": host, "destination": 16, "size": "1MB"} for host in range(1, 16)]
    one = [{"source": 0, "destination": 16, "size": attacker}]
    pieces = {"piece": "52KB", "spacing": "4.16us"} if attack is Attack.STAGGERED else {}
    scenario = {
        "run": {
            "name": f"isolation incast {label} {attack.value} {attacker} {arbitration}",
            "seed": seed,
        },
        "network": {"topology": "star", "arbitration": arbitration},
        "cc": algorithm(label),
        "traffic": [
            {"kind": "flows", "flows": one, "tenant": "attacker"},
            {"kind": "flows", "flows": victims, "tenant": "victims"},
        ],
        "attack": attackers(attack, **pieces),
        "measure": {
            "queues": {"ports": ["switch 17 port 16"], "every": "1us"},
            "flows": {"which": "none"},
            **({"packets": {"ports": ["host 16"]}} if trace else {}),
        },
    }
    return RunPlan(scenario, hops=(15 + 10) * 1000 * 4)


def large_transfer() -> RunPlan:
    """§3.5.2: a transfer of 100 MB across the 320-host fat tree, in pieces of a BDP."""
    scenario = {
        "run": {"name": "isolation 100 MB"},
        "network": {"topology": "clos-320", "profile": "hpcc-ns3"},
        "cc": algorithm(CONNECTX),
        "traffic": [
            {
                "kind": "flows",
                "flows": [{"source": 0, "destination": 319, "size": "100MB"}],
                "tenant": "attacker",
            }
        ],
        "attack": attackers(Attack.STAGGERED, piece=f"{BDP}B", spacing="12.24us"),
        "measure": _NO_SERIES,
    }
    return RunPlan(scenario, hops=100_000 * 12)


def overlays(servers: int) -> RunPlan:
    """§3.5.3: an all-reduce over all disjoint rings of a star."""
    scenario = {
        "run": {"name": f"isolation rings of {servers}"},
        "network": {"topology": {"kind": "star", "hosts": servers}},
        "cc": algorithm(UNCONTROLLED),
        "traffic": [{"kind": "all-reduce", "data": "1MB", "rings": "all"}],
        "measure": _NO_SERIES,
    }
    return RunPlan(scenario, hops=2 * servers * 1000 * 4)


def _random_pairs(hosts: int, count: int) -> list[tuple[int, int]]:
    """Random sources and destinations, always the same."""
    generator = random.Random(1)
    pairs = (generator.sample(range(hosts), 2) for _ in range(count))
    return [(source, destination) for source, destination in pairs]


PAIRS = _random_pairs(16, 40)
"""Pairs of hosts of the long flows under s-PERC."""


def long_flows(label: str) -> RunPlan:
    """§5.1.1: flows between fixed hosts of a star that last longer than the run."""
    flows = [{"source": one, "destination": other, "size": "1GB"} for one, other in PAIRS]
    scenario = {
        "run": {"name": f"isolation long flows {label}", "stop": "1ms"},
        "network": {"topology": {"kind": "star", "hosts": 16}},
        "cc": algorithm(label),
        "traffic": [{"kind": "flows", "flows": flows}],
        "measure": {
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "all", "every": "10us"},
        },
    }
    return RunPlan(scenario, hops=16 * 100e9 / 8 / 1048 * 1e-3 * 4)


SHARED_UNTIL = 2e-3
"""The end of the runs with weights, in seconds."""


def weighted(rivals: int, *, second: int | None) -> RunPlan:
    """§5.3: a host of a star opens a connection to a receiver to which `rivals` others send. It
    opens a second one to a receiver with `second` others, unless that is ``None``. The host's own
    flows come first.
    """
    first, other = 1, 2
    counts = [rivals] if second is None else [rivals, second]
    receivers = [first, other][: len(counts)]
    senders = iter(range(3, 3 + sum(counts)))
    pairs = [(0, receiver) for receiver in receivers]
    for receiver, count in zip(receivers, counts, strict=True):
        pairs += [(next(senders), receiver) for _ in range(count)]
    flows = [{"source": one, "destination": two, "size": "1GB"} for one, two in pairs]
    scenario = {
        "run": {
            "name": f"isolation weights {rivals} {second}",
            "stop": f"{SHARED_UNTIL * 1e3:g}ms",
        },
        "network": {"topology": {"kind": "star", "hosts": 3 + sum(counts)}},
        "cc": algorithm(PERC_WEIGHTS),
        "traffic": [{"kind": "flows", "flows": flows}],
        "measure": {
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "all", "every": "10us"},
        },
    }
    return RunPlan(scenario, hops=2 * 100e9 / 8 / 1048 * SHARED_UNTIL * 4)


def shared_cluster(
    label: str,
    enforcement: Enforcement,
    attack: Attack,
    seed: int,
    *,
    milliseconds: float,
) -> RunPlan:
    """Hadoop traffic at half load on a fat tree of 128 hosts. A tenth of the hosts attack with
    every flow above a BDP.
    """
    scenario = {
        "run": {
            "name": f"shared cluster {label} {enforcement.label} {attack.value}",
            "seed": seed,
        },
        "network": {"topology": "fat-tree"},
        "nic": {"enforcement": enforcement.key},
        "cc": algorithm(label),
        "traffic": [
            {
                "kind": "poisson",
                "sizes": "fb-hadoop",
                "load": 0.5,
                "duration": f"{milliseconds:g}ms",
            }
        ],
        "attack": {"kind": attack.value, "attackers": {"share": 0.1}},
        "measure": _NO_SERIES,
    }
    packets = 0.5 * 128 * 100e9 / 8 * milliseconds * 1e-3 / 1000
    return RunPlan(scenario, hops=packets * 2 * 5.75)
