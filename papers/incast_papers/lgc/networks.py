"""The paper's networks and traffic, each run with ten seeds."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from incast.papers.figure import RunPlan, Scale
from incast.papers.seeds import of, over

from incast_papers.lgc.algorithms import ALGORITHMS, Algorithm

__all__ = [
    "COUNTS",
    "FULL_LINK",
    "HEADER",
    "LINK_RATE",
    "PACKET",
    "PAYLOAD",
    "QUEUE_PACKETS",
    "RTT",
    "bottleneck",
    "incast",
    "incast_name",
    "incasts",
    "of",
    "seeded",
    "uniform",
    "uplink",
]

LINK_RATE = 10e9
RTT = 200e-6
PAYLOAD, HEADER = 1460, 54
PACKET = PAYLOAD + HEADER
"""Bytes on the wire: Ethernet 14, IP and TCP 40, and 1460 of payload."""
FULL_LINK = LINK_RATE * PAYLOAD / PACKET
"""Payload rate of a full link, in bit/s."""
COUNTS = (5, 20, 40)
"""Numbers of flows in the incasts of the evaluation."""
QUEUE_PACKETS = 250
"""The most packets in a port's queue; further packets are dropped."""
_ENDLESS = "100GB"
_START_WITHIN = "200us"


def seeded(
    scale: Scale, label: str, make: Callable[[int], RunPlan], *, first: int = 1
) -> dict[str, RunPlan]:
    """Runs with several seeds, ten as in the paper."""
    seeds = range(first, first + scale.pick(quick=3, full=10))
    return over(seeds, label, make)


def _scenario(
    name: str,
    algorithm: Algorithm,
    seed: int,
    topology: object,
    traffic: Sequence[Mapping[str, Any]],
    *,
    stop_ms: float,
    sample_us: float,
    ack_every: int = 1,
    traced: object = False,
) -> dict[str, Any]:
    return {
        "run": {"name": name, "seed": seed, "stop": f"{stop_ms:g}ms"},
        "network": {
            "topology": topology,
            "packets": {"mtu": f"{PAYLOAD}B", "data_header": f"{HEADER}B"},
            "base_rtt": "path",
            "flow_control": "none",
            "buffer": {"size": "16MB"},
            "drop": {
                "alpha": 1024,
                "queue_limit": f"{QUEUE_PACKETS * PACKET}B",
                "contention": "tail",  # As in queues of other simulators.
            },
            "ecn": algorithm.ecn,
            "ack_every": ack_every,
        },
        "cc": algorithm.cc,
        "traffic": list(traffic),
        "measure": {
            "fct": "all",
            "queues": {"ports": "none", "every": "20us"},
            "flows": {
                "which": "all",
                "every": f"{sample_us:g}us",
                "probes": algorithm.cc["algorithm"] == "lgc",
            },
            # Of the second half, as for everything called settled.
            "round_trips": {"from": f"{stop_ms / 2:g}ms"},
            "fair_share": "none",
            "packets": traced,
        },
    }


def incast(
    label: str,
    senders: int,
    seed: int,
    *,
    stop_ms: float,
    sample_us: float = 200,
    late: float | None = None,
    delays_us: Sequence[float] = (),
    ack_every: int = 1,
    algorithm: Algorithm | None = None,
) -> RunPlan:
    """Hosts of a rack send to another host until the run stops.

    Args:
        label: The algorithm.
        senders: The number of senders.
        seed: The seed of the run.
        stop_ms: The end of the run, in ms.
        sample_us: The sampling interval of flows, in µs.
        late: The time at which the last sender joins, in ms; by default, it joins with the others.
        delays_us: The one-way delay from each sender to the receiver, in µs; by default 100.
        ack_every: The number of packets per ACK.
        algorithm: The algorithm, if it is not the label's.
    """
    # A sender's delay is split: 50 µs from the switch to the receiver, the rest to the switch.
    delays = [delay - 50 for delay in delays_us] or [50.0] * senders
    topology = {
        "kind": "star",
        "hosts": senders + 1,
        "rate": "10Gbps",
        "host_delays": [f"{delay:g}us" for delay in [*delays, 50]],
    }
    together = senders if late is None else senders - 1
    flows = {
        "kind": "incast",
        "senders": f"0-{together - 1}",
        "receiver": senders,
        "sizes": _ENDLESS,
        "jitter": _START_WITHIN,
    }
    traffic = [flows]
    if late is not None:
        newcomer = {"source": senders - 1, "destination": senders, "size": _ENDLESS}
        traffic.append({"kind": "flows", "flows": [{**newcomer, "start": f"{late:g}ms"}]})
    name = f"incast-{senders} {label}"
    scenario = _scenario(
        name,
        algorithm or ALGORITHMS[label],
        seed,
        topology,
        traffic,
        stop_ms=stop_ms,
        sample_us=sample_us,
        ack_every=ack_every,
    )
    return RunPlan(scenario, hops=_hops(1, 2, stop_ms))


def incast_name(flows: int, label: str) -> str:
    """The label of an incast of `flows` flows under an algorithm, without its seed."""
    return f"{flows} flows, {label}"


def incasts(counts: Sequence[int], *labels: str) -> Callable[[Scale], dict[str, RunPlan]]:
    """Incasts with these numbers of flows under these algorithms."""

    def plan(scale: Scale) -> dict[str, RunPlan]:
        stop_ms = scale.pick(quick=100, full=200)
        planned: dict[str, RunPlan] = {}
        for flows in counts:
            for label in labels:
                make = partial(incast, label, flows, stop_ms=stop_ms)
                planned |= seeded(scale, incast_name(flows, label), make)
        return planned

    return plan


def bottleneck(label: str, ratio: int, seed: int, *, background: float, stop_ms: float) -> RunPlan:
    """Ten senders of 10 Gb/s over a link of `ratio` times that. Poisson background traffic takes
    the fraction `background` of the link, and does not react to marks.
    """
    count = 10
    topology = {
        "kind": "dumbbell",
        "switches": 2,
        "senders": 2 * count,
        "receivers": 2 * count,
        "sender_rate": "10Gbps",
        "receiver_rate": "10Gbps",
        "trunk_rate": f"{10 * ratio}Gbps",
        "delay": "33.3333us",
    }
    traffic: list[dict[str, Any]] = [_pairs(count, 2 * count, seed)]
    if background:
        traffic.append(
            {
                "kind": "poisson",
                "sizes": f"{PAYLOAD}B",
                # A fraction of the trunk with headers, divided among ten sources.
                "load": background * ratio / count * PAYLOAD / PACKET,
                "duration": f"{stop_ms:g}ms",
                "sources": f"{count}-{2 * count - 1}",
                "destinations": f"{3 * count}-{4 * count - 1}",
                "controlled": False,
            }
        )
    scenario = _scenario(
        f"bottleneck-{ratio}{' background' if background else ''} {label}",
        ALGORITHMS[label],
        seed,
        topology,
        traffic,
        stop_ms=stop_ms,
        sample_us=1000,
    )
    return RunPlan(scenario, hops=_hops(ratio, 3, stop_ms))


def uniform(
    label: str, topology: str, seed: int, *, stop_ms: float, traced: bool = False
) -> RunPlan:
    """Longest-path uniform random traffic. Destinations are every eighth host. Each host sends to
    one of the destinations that are farthest from it, drawn at random. A traced run records the
    links of each packet.
    """
    hosts, apart, links = {"clos-64": (64, 8, 6), "leaf-spine-144": (144, 8, 4)}[topology]
    destinations = ",".join(str(host) for host in range(0, hosts, apart))
    flows = {
        "kind": "all-to-all",
        "fan_out": 1,
        "farthest": True,
        "destinations": destinations,
        "sizes": _ENDLESS,
        "jitter": _START_WITHIN,
    }
    scenario = _scenario(
        f"{topology} {label}",
        ALGORITHMS[label],
        seed,
        topology,
        [flows],
        stop_ms=stop_ms,
        sample_us=1000,
        traced=traced,
    )
    return RunPlan(scenario, hops=_hops(hosts / apart, links, stop_ms))


def uplink(label: str, seed: int, *, stop_ms: float) -> RunPlan:
    """Eight hosts of 10 Gb/s send to another leaf over one link of 40 Gb/s."""
    topology = {
        "kind": "leaf-spine",
        "leaves": 2,
        "spines": 1,
        "hosts_per_leaf": 8,
        "host_rate": "10Gbps",
        "spine_rate": "40Gbps",
        "delay": "25us",
    }
    scenario = _scenario(
        f"uplink {label}",
        ALGORITHMS[label],
        seed,
        topology,
        [_pairs(8, 8, seed)],
        stop_ms=stop_ms,
        sample_us=1000,
    )
    return RunPlan(scenario, hops=_hops(4, 4, stop_ms))


def _pairs(count: int, apart: int, seed: int) -> dict[str, Any]:
    """Each of the first `count` hosts sends to the host `apart` numbers further on, starting within
    one RTT.
    """
    moments = random.Random(seed)
    flows = [
        {
            "source": host,
            "destination": apart + host,
            "size": _ENDLESS,
            "start": f"{moments.randrange(200_000)}ns",
        }
        for host in range(count)
    ]
    return {"kind": "flows", "flows": sorted(flows, key=lambda flow: int(flow["start"][:-2]))}


def _hops(bottlenecks: float, links: int, stop_ms: float) -> float:
    """Packet-hops of full bottlenecks of 10 Gb/s. Each packet and its ACK cross `links` links."""
    packets = bottlenecks * LINK_RATE / 8 / PACKET * stop_ms * 1e-3
    return packets * 2 * links
