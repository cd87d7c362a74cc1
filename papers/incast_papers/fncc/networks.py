"""The paper's networks and traffic."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from incast.papers.figure import RunPlan, Scale
from incast.papers.seeds import over

from incast_papers.fncc.algorithms import DCQCN, Choice, Reading, algorithm, telemetry

__all__ = [
    "CLOSE_UP",
    "CONGESTED",
    "JOIN",
    "PACKET",
    "SHOWN",
    "STARTS",
    "STOP",
    "Chance",
    "Place",
    "ages",
    "any_start",
    "at",
    "at_any_start",
    "chosen",
    "datacenter",
    "duration_ms",
    "elephants",
    "elephants_at",
    "elephants_at_any_start",
    "far",
    "joining",
    "located",
    "long_elephants",
    "many_to_one",
    "seeds",
    "step",
    "tree",
    "trees",
    "under_readings",
]

JOIN = 300e-6
"""The start of the second elephant, in seconds."""
_RANDOM = random.Random(1)
STARTS = tuple(round(_RANDOM.uniform(0, 12.5e-6), 9) for _ in range(10))
"""Delays of the second elephant's start in seconds, drawn uniformly from a base RTT, for ten runs.
Nothing else is random with two elephants, and their behaviour depends on their phases.
"""
STOP = 1e-3
"""The end of the short runs, in seconds; the paper does not give it."""
SHOWN = (250e-6, 700e-6)
"""The period shown, in seconds: from shortly before the second elephant's start until rates have
settled.
"""
CLOSE_UP = (295e-6, 360e-6)
"""The close-up in seconds: the period in which FNCC and HPCC differ."""
PACKET = 1470
"""Bytes of payload in a full frame of 1518 bytes."""
_HOSTS = 128
_LINKS = 5.75
"""Mean number of links between two hosts of the fat tree. Of 127 other hosts, 3 are in the same
rack, 12 in the same pod and 112 in other pods: 2, 4 and 6 links away.
"""
_LONG = "1GB"
"""The size of a flow that lasts longer than a run."""


def _network(topology: object, label: str, reading: Reading = Reading.OURS) -> dict[str, Any]:
    """The network of §5: frames of 1518 bytes, PFC at 500 KB, data in one class. ACKs take the path
    of their data back, under every algorithm.
    """
    return {
        "topology": topology,
        "routing": "symmetric-ecmp",
        "packets": {"mtu": f"{PACKET}B"},
        "pfc": {"threshold": "500KB"},
        **telemetry(label, reading),
    }


def _chain(gbps: int, senders: int, switches: int = 3) -> dict[str, Any]:
    """The topology of Figure 9: M = 3 switches in a row, senders at the first, the receiver at the
    last.
    """
    rate = f"{gbps}Gbps"
    return {
        "kind": "dumbbell",
        "switches": switches,
        "senders": senders,
        "receivers": 1,
        "sender_rate": rate,
        "receiver_rate": rate,
        "trunk_rate": rate,
        "delay": "1.5us",
    }


CONGESTED = "switch 3 port 2"
"""The port where the elephants of Figure 9 meet: at the first switch, towards the second."""


def _measure(port: str) -> dict[str, Any]:
    """Measures one queue, traces all packets of its port, and samples the rates of senders."""
    return {
        "queues": {"ports": [port], "every": "100ns"},
        "flows": {"which": "all", "every": "100ns"},
        "packets": {"ports": [port]},
    }


def _two(sources: Sequence[int], receiver: int, late: float = 0.0) -> list[dict[str, Any]]:
    """Flow 0 from the start, and flow 1 from 300 µs plus `late` seconds."""
    starts = ("0s", f"{(JOIN + late) * 1e6:g}us")
    flows = [
        {"source": source, "destination": receiver, "size": _LONG, "start": start}
        for source, start in zip(sources, starts, strict=True)
    ]
    return [{"kind": "flows", "flows": flows}]


def elephants(
    label: str,
    gbps: int = 100,
    reading: Reading = Reading.OURS,
    *,
    seed: int = 1,
    stop: float = STOP,
    switches: int = 3,
    late: float = 0.0,
) -> RunPlan:
    """§5.1: two elephants over a chain of switches, under one algorithm."""
    scenario = {
        "run": {
            "name": f"fncc {gbps}G {reading.form(label)}",
            "seed": seed,
            "stop": f"{stop * 1e6:g}us",
        },
        "network": _network(_chain(gbps, 2, switches), label, reading),
        "cc": algorithm(label, gbps, reading),
        "traffic": _two((0, 1), 2, late),
        "measure": _measure(CONGESTED),
    }
    return RunPlan(scenario, hops=200 * switches * gbps * stop / STOP)


class Chance(Enum):
    """The source of randomness in runs of two elephants."""

    NONE = "nothing random"
    PACKETS = "1 % of random packets"
    """A third sender sends single packets at random times, 1 % of the link rate."""
    TIES = "ties by a hash"
    """Simultaneous arrivals have no fixed order."""


def long_elephants(
    label: str, chance: Chance, reading: Reading = Reading.OURS, seed: int = 1
) -> RunPlan:
    """Two elephants for 20 ms, which is 1600 base RTTs."""
    stop = 20e-3
    planned = elephants(label, reading=reading, seed=seed, stop=stop)
    network = {**planned.scenario["network"], "topology": _chain(100, 3)}
    traffic = _two((0, 1), 3)
    if chance is Chance.TIES:
        network["model"] = {**network.get("model", {}), "ties": "hash"}
    if chance is Chance.PACKETS:
        packets = {"kind": "poisson", "sizes": f"{PACKET}B", "load": 0.01, "controlled": False}
        traffic.append({**packets, "sources": "2", "destinations": "3", "duration": "20ms"})
    scenario = {
        **planned.scenario,
        "run": {**planned.scenario["run"], "name": f"fncc {chance.value} {reading.form(label)}"},
        "network": network,
        "traffic": traffic,
        "measure": {
            "fct": "all",
            "queues": {"ports": "none", "every": "1us"},
            "flows": {"which": "all", "every": "1us"},
        },
    }
    return RunPlan(scenario, planned.hops)


class Place(Enum):
    """Figure 11: the place where the second elephant joins. The values are its host in a parking
    lot of three switches, and the port where the two meet.
    """

    FIRST = ("first", 2, "switch 6 port 2")
    MIDDLE = ("middle", 4, "switch 7 port 3")
    LAST = ("last", 5, "switch 8 port 0")

    def __init__(self, hop: str, joins: int, port: str) -> None:
        self.hop = hop
        self.joins = joins
        self.port = port


_FAR: dict[Place, dict[str, Any]] = {
    # With one spine both share its port to the receiver's leaf. With four, they share only the
    # receiver's port.
    Place.MIDDLE: {"spines": 1, "port": "switch 6 port 2"},
    Place.LAST: {"spines": 4, "port": "switch 5 port 0"},
}


def far(label: str, place: Place, reading: Reading = Reading.OURS, *, late: float = 0) -> RunPlan:
    """A network with both elephants equally far from the receiver: each is on its own leaf, three
    switches away, as the first elephant in the parking lot.
    """
    topology = {
        "kind": "leaf-spine",
        "leaves": 3,
        "spines": _FAR[place]["spines"],
        "hosts_per_leaf": 1,
        "host_rate": "100Gbps",
        "spine_rate": "100Gbps",
        "delay": "1.5us",
    }
    planned = located(label, place, reading, late=late)
    scenario = {
        **planned.scenario,
        "run": {**planned.scenario["run"], "name": f"fncc {place.hop} far {reading.form(label)}"},
        "network": _network(topology, label, reading),
        "traffic": _two((0, 1), 2, late),
        "measure": _measure(_FAR[place]["port"]),
    }
    return RunPlan(scenario, planned.hops)


def located(
    label: str, place: Place, reading: Reading = Reading.OURS, *, late: float = 0
) -> RunPlan:
    """§5.4: two elephants that meet at the first, the middle or the last switch."""
    topology = {
        "kind": "parking-lot",
        "bottlenecks": 2,
        "host_rate": "100Gbps",
        "trunk_rate": "100Gbps",
        "delay": "1.5us",
    }
    scenario = {
        "run": {"name": f"fncc {place.hop} hop {reading.form(label)}", "stop": f"{STOP * 1e6:g}us"},
        "network": _network(topology, label, reading),
        "cc": algorithm(label, reading=reading),
        "traffic": _two((0, place.joins), 1, late),
        "measure": _measure(place.port),
    }
    return RunPlan(scenario, hops=60_000)


def ages(label: str) -> RunPlan:
    """Figure 12: the first elephant alone, with every event of its packets traced."""
    scenario = {
        "run": {"name": f"fncc ages {label}", "stop": "250us"},
        "network": _network(_chain(100, 2), label),
        "cc": algorithm(label),
        "traffic": _two((0, 1), 2),
        "measure": {
            "queues": {"ports": [CONGESTED], "every": "100ns"},
            "flows": {"which": "none"},
            "packets": {"flows": [0]},
        },
    }
    return RunPlan(scenario, hops=15_000)


def step(scale: Scale) -> float:
    """Seconds between two flows that join, or leave."""
    return scale.pick(quick=2e-3, full=100e-3)


def joining(label: str, scale: Scale) -> RunPlan:
    """§5.3: four flows join one after the other, and leave in the same order. A flow leaves when it
    is complete. Its size is what it can send until then if flows share equally and fill 95 % of the
    link.
    """
    every = step(scale)
    alive = (1, 2, 3, 4, 3, 2, 1)
    payload = 0.95 * 100e9 / 8 * PACKET / (PACKET + 48)
    sizes = [every * payload * sum(1 / n for n in alive[i : i + 4]) for i in range(4)]
    scenario = {
        "run": {"name": f"fncc joining {label}", "stop": f"{every * 8e3:g}ms"},
        "network": _network(_chain(100, 4), label),
        "cc": algorithm(label),
        "traffic": [
            {
                "kind": "flows",
                "flows": [
                    {
                        "source": i,
                        "destination": 4,
                        "size": f"{round(size)}B",
                        "start": f"{i * every * 1e6:g}us",
                    }
                    for i, size in enumerate(sizes)
                ],
            }
        ],
        "measure": {
            "queues": {"ports": "none", "every": f"{every * 1e4:g}us"},
            "flows": {"which": "all", "every": f"{every * 1e4:g}us"},
        },
    }
    return RunPlan(scenario, hops=sum(sizes) / PACKET * 8)


_DURATIONS_MS = {"web-search": 20, "fb-hadoop": 8}
"""Milliseconds of arrivals, which the paper does not give: some 9000 and 53 000 flows per run."""


def seeds(scale: Scale) -> range:
    """The seeds; the paper repeats each experiment five times."""
    return range(1, scale.pick(quick=2, full=5) + 1)


def duration_ms(sizes: str, scale: Scale) -> int:
    """Milliseconds of arrivals in the fat tree."""
    return scale.pick(quick=1, full=_DURATIONS_MS[sizes])


def datacenter(
    label: str,
    sizes: str,
    scale: Scale,
    seed: int,
    reading: Reading = Reading.OURS,
    *,
    load: float = 0.5,
    duration: int = 0,
) -> RunPlan:
    """§5.5: 128 hosts in a fat tree of 8-port switches, by default at half the load. Equal seeds
    give equal flows under every algorithm.
    """
    duration = duration or duration_ms(sizes, scale)
    scenario = {
        "run": {"name": f"fncc {sizes} {reading.form(label)}", "seed": seed},
        "network": _network("fat-tree-128", label, reading),
        "cc": algorithm(label, reading=reading),
        "traffic": [{"kind": "poisson", "sizes": sizes, "load": load, "duration": f"{duration}ms"}],
        # Series are large, and no figure uses them. FCTs are of all flows, as in the paper.
        "measure": {
            "fct": "all",
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "none"},
            "pauses": False,
        },
    }
    packets = load * _HOSTS * 100e9 / 8 * duration * 1e-3 / PACKET
    return RunPlan(scenario, hops=packets * 2 * _LINKS)


def tree(label: str, sizes: str) -> str:
    """The common label of runs of :func:`datacenter` with all seeds."""
    return f"{label}, {sizes}"


def trees(label: str, sizes: str, scale: Scale) -> dict[str, RunPlan]:
    """Runs at half the load, with every seed."""
    return over(
        seeds(scale), tree(label, sizes), lambda seed: datacenter(label, sizes, scale, seed)
    )


def chosen(planned: RunPlan, choice: Choice) -> RunPlan:
    """The same run with an alternative."""
    return RunPlan(choice.applied(planned.scenario), planned.hops)


def at(label: str, gbps: int) -> str:
    """The label of a run at a link rate."""
    return f"{label}, {gbps}G"


def elephants_at(
    rates: Sequence[int], labels: Sequence[str], reading: Reading = Reading.OURS
) -> dict[str, RunPlan]:
    """Two elephants under each algorithm, at each link rate."""
    return {at(label, gbps): elephants(label, gbps, reading) for gbps in rates for label in labels}


def many_to_one(label: str, star: bool, senders: int) -> RunPlan:
    """An incast of 500 KB from each sender, which start 2 µs after one another. The receiver is the
    last host of a star, or of the fat tree.
    """
    hosts = senders + 1 if star else _HOSTS
    topology = {"kind": "star", "hosts": hosts, "rate": "100Gbps", "delay": "1.5us"}
    scenario = {
        "run": {"name": f"fncc incast {senders} {label}"},
        "network": _network(topology if star else "fat-tree-128", label),
        "cc": algorithm(label),
        "traffic": [
            {
                "kind": "incast",
                "senders": f"0-{senders - 1}",
                "receiver": hosts - 1,
                "sizes": "500KB",
                "stagger": {"group": 1, "every": "2us"},
            }
        ],
        "measure": {
            "fct": "all",
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "none"},
        },
    }
    return RunPlan(scenario, hops=senders * 500e3 / PACKET * 2 * (2 if star else _LINKS))


def any_start(label: str) -> str:
    """The common label of runs with all random start times of the second elephant."""
    return f"{label}, any start"


def at_any_start(label: str, make: Callable[[float], RunPlan]) -> dict[str, RunPlan]:
    """Runs with each delay of `STARTS`, in seconds, of the second elephant's start."""
    numbers = range(1, len(STARTS) + 1)
    return over(numbers, any_start(label), lambda number: make(STARTS[number - 1]))


def elephants_at_any_start(
    rates: Sequence[int], labels: Sequence[str], reading: Reading = Reading.OURS
) -> dict[str, RunPlan]:
    """Two elephants under each algorithm, at each link rate and start time. DCQCN, which marks at
    random, has another seed at each start time.
    """

    def make(label: str, gbps: int) -> Callable[[float], RunPlan]:
        def started(late: float) -> RunPlan:
            seed = STARTS.index(late) + 1 if label.startswith(DCQCN) else 1
            return elephants(label, gbps, reading, late=late, seed=seed)

        return started

    found: dict[str, RunPlan] = {}
    for gbps in rates:
        for label in labels:
            found |= at_any_start(at(label, gbps), make(label, gbps))
    return found


def under_readings(of: Callable[[Reading], Mapping[str, RunPlan]]) -> dict[str, RunPlan]:
    """Runs under each reading, with their labels."""
    return {reading.of(label): plan for reading in Reading for label, plan in of(reading).items()}
