"""The dissertation's testbed: four hosts, two switches, and one shared link."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from incast.papers.figure import RunPlan

from incast_papers.isolation.algorithms import CONNECTX, Enforcement, algorithm
from incast_papers.isolation.networks import Attack, attackers

__all__ = [
    "ATTACK_AT",
    "PIECE_NS",
    "QPS",
    "SETTLED",
    "Marking",
    "isolation",
    "parallel_testbed",
    "reused",
    "sent_in_turn",
    "staggered_testbed",
]

QPS = (1, 2, 4, 8, 12, 16)
"""Numbers of QPs of the attacker on the testbed."""
ATTACK_AT = 1e-3
"""Start of the staggered attack on the testbed, in seconds; the victim sends from 0 on."""
SETTLED = (50e-3, 150e-3)
"""The measured period of long flows on the testbed, in seconds."""


class Marking(Enum):
    """The ECN marking of the testbed's switch."""

    RED = ("RED from 200 KB", {"k_min": "200KB", "k_max": "800KB", "p_max": 0.2})
    STEP = ("above 200 KB", {"step": "200KB"})
    LOW = ("above 8 KB", {"step": "8KB"})

    def __init__(self, label: str, options: Mapping[str, Any]) -> None:
        self.label = label
        self.options = options


def _testbed(marking: Marking, arbitration: str) -> dict[str, Any]:
    """Figure 3.8: two senders and two receivers with a loop between them, at 100 Gb/s, with an RTT
    of 3.0 µs. Of 1106 bytes on the wire 1024 are payload, so a full link carries 92.6 Gb/s of
    payload.
    """
    return {
        "topology": {
            "kind": "dumbbell",
            "switches": 2,
            "senders": 2,
            "receivers": 2,
            "sender_rate": "100Gbps",
            "receiver_rate": "100Gbps",
            "trunk_rate": "100Gbps",
            "delay": "450ns",
        },
        "packets": {"mtu": "1024B", "data_header": "82B", "minimum": "84B"},
        "arbitration": arbitration,
        "ecn": dict(marking.options),
    }


def _testbed_flows(victim: bool, size: str, start: str) -> list[dict[str, Any]]:
    """The attacker's flow and, if there is one, the victim's."""
    attacker = {"source": 0, "destination": 2, "size": size, "start": start}
    flows = [{"kind": "flows", "flows": [attacker], "tenant": "attacker"}]
    if victim:
        long = {"source": 1, "destination": 3, "size": "10GB"}
        flows.append({"kind": "flows", "flows": [long], "tenant": "victim"})
    return flows


_MEASURE_FLOWS = {"which": "all", "every": "500us"}


def parallel_testbed(
    enforcement: Enforcement,
    qps: int,
    *,
    seed: int = 1,
    label: str = CONNECTX,
    arbitration: str = "round-robin",
) -> RunPlan:
    """Figure 3.9: an attacker with several QPs, and a victim with one."""
    name = f"testbed {enforcement.label} {qps} QPs {label}"
    scenario = {
        "run": {"name": name, "seed": seed, "stop": f"{SETTLED[1] * 1e3:g}ms"},
        "network": _testbed(Marking.RED, arbitration),
        "nic": {"enforcement": enforcement.key},
        "cc": algorithm(label),
        "traffic": _testbed_flows(True, "10GB", "0s"),
        "attack": attackers(Attack.PARALLEL, qps=qps),
        "measure": {"queues": {"ports": "none", "every": "10us"}, "flows": _MEASURE_FLOWS},
    }
    return RunPlan(scenario, hops=100e9 / 8 / 1106 * SETTLED[1] * 6)


def staggered_testbed(
    marking: Marking, *, victim: bool, interval: str = "4.05us", seed: int = 1
) -> RunPlan:
    """Figure 3.10: 30 QPs in turn, each sending a BDP of 37.5 KB."""
    name = f"testbed staggered {marking.label}{' beside a victim' if victim else ''}"
    scenario = {
        "run": {"name": name, "seed": seed, "stop": "1.5ms"},
        "network": _testbed(marking, "round-robin"),
        "cc": algorithm(CONNECTX),
        "traffic": _testbed_flows(victim, "1125KB", f"{ATTACK_AT * 1e6:g}us"),
        "attack": attackers(Attack.STAGGERED, piece="37500B", spacing=interval),
        "measure": {
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "all", "every": "5us"},
        },
    }
    return RunPlan(scenario, hops=100e9 / 8 / 1106 * 1.5e-3 * 6)


def isolation(attack: Attack, enforcement: Enforcement, *, honest: bool, seed: int) -> RunPlan:
    """A victim's long flow with an attacker's traffic or, if `honest`, with the same traffic sent
    without an attack.

    Parallel and staggered attacks run on the testbed. In the shuffled attack, hosts 0 to 7 of a
    star send around a ring, and the victim, host 8, sends to host 0.
    """
    shuffled = attack is Attack.SHUFFLED
    victim = {"source": 8 if shuffled else 1, "destination": 0 if shuffled else 3}
    ring = [
        {"source": host, "destination": (host + 1) % 8, "size": "20MB", "start": "1ns"}
        for host in range(8)
    ]
    own = ring if shuffled else [{"source": 0, "destination": 2, "size": "60MB", "start": "1ns"}]
    options: dict[str, Any] = {"qps": 16} if attack is Attack.PARALLEL else {}
    if attack is Attack.STAGGERED:
        options = {"piece": "37500B", "spacing": "3.24us"}
    if shuffled:
        options = {"piece": "52KB", "spacing": "4.16us"}
    topology = {"topology": {"kind": "star", "hosts": 9}} if shuffled else {}
    kind = Attack.NONE if honest else attack
    return _beside_a_victim(
        f"{attack.value} {enforcement.label} {'honest' if honest else 'attack'}",
        seed,
        network={**_testbed(Marking.RED, "fifo"), **topology},
        nic={"enforcement": enforcement.key},
        victim=victim,
        own=own,
        attack=attackers(kind, **({} if honest else options)),
    )


_PIECES, _PIECE_BYTES, PIECE_NS = 1600, 37_500, 3240
"""The attacker's 60 MB in pieces of a BDP of the testbed, and the transmission time of a piece in
ns.
"""


def sent_in_turn(enforcement: Enforcement, seed: int) -> RunPlan:
    """A staggered attack whose next QP starts when the previous one has sent its bytes, under
    enforcement in which QPs share a state. A fresh QP then continues with the old QP's state, so a
    single persistent QP that sends all pieces has the same effect.
    """
    assert enforcement is not Enforcement.QP, "a fresh QP begins at line rate there"
    piece = {"source": 0, "destination": 2, "size": f"{_PIECE_BYTES}B", "start": "1ns"}
    return _beside_a_victim(
        f"staggered {enforcement.label} in turn",
        seed,
        network=_testbed(Marking.RED, "fifo"),
        nic={"enforcement": enforcement.key, "qps": "persistent"},
        victim={"source": 1, "destination": 3},
        own=[piece] * _PIECES,
        attack=attackers(Attack.NONE),
    )


def reused(qps: int, seed: int) -> RunPlan:
    """A staggered attack over a few QPs, which are used in turn. Each QP has its own receiver, as
    persistent QPs are identified by their hosts. All share the link between the switches.
    """
    network = _testbed(Marking.RED, "fifo")
    network["topology"] = {**network["topology"], "receivers": qps + 1}
    pieces = [
        {
            "source": 0,
            "destination": 2 + number % qps,
            "size": f"{_PIECE_BYTES}B",
            "start": f"{1 + number * PIECE_NS}ns",
        }
        for number in range(_PIECES)
    ]
    return _beside_a_victim(
        f"staggered over {qps} QPs",
        seed,
        network=network,
        nic={"enforcement": Enforcement.QP.key, "qps": "persistent"},
        victim={"source": 1, "destination": 2 + qps},
        own=pieces,
        attack=attackers(Attack.NONE),
    )


def _beside_a_victim(
    name: str,
    seed: int,
    *,
    network: Mapping[str, Any],
    nic: Mapping[str, Any],
    victim: Mapping[str, Any],
    own: list[dict[str, Any]],
    attack: Mapping[str, Any],
) -> RunPlan:
    """A victim's long flow, and an attacker's flows, for 3 ms."""
    scenario = {
        "run": {"name": name, "seed": seed, "stop": "3ms"},
        "network": network,
        "nic": nic,
        "cc": algorithm(CONNECTX),
        "traffic": [
            {"kind": "flows", "flows": [{**victim, "size": "10GB"}], "tenant": "victim"},
            {"kind": "flows", "flows": own, "tenant": "attacker"},
        ],
        "attack": attack,
        "measure": {
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "all", "every": "5us" if len(own) < _PIECES else "50us"},
        },
    }
    return RunPlan(scenario, hops=100e9 / 8 / 1106 * 3e-3 * 6)
