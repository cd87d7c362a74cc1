"""The machines, as networks made from published data of their links."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

from incast.papers.figure import RunPlan, Scale
from incast.papers.readings import labelled
from incast.papers.seeds import over
from incast.present.units import plural

from incast_papers.hardware.algorithms import DEFAULTS, algorithm
from incast_papers.hardware.metrics import LEAF_PAYLOAD, MEASURED, MIB

__all__ = [
    "ALONE",
    "END",
    "LINE_RATE",
    "PAIRS",
    "QPS",
    "SENDERS",
    "SETTLED",
    "TEN",
    "at",
    "leaf",
    "nic",
    "nvlink",
    "ring",
    "ring_at",
    "servers",
]

LINE_RATE = "links at their rate on the wire"
"""The reading in which NVLink's packets have no headers."""
SETTLED, END = 50e-3, 100e-3
"""The measured period of the testbed's runs, in seconds."""
SENDERS = 7
QPS = int(MEASURED["incast"]["qps"])
TEN = 10
"""The number of QPs that the source's summary uses."""
PAIRS = 8

_LINK = MEASURED["nvlink"]
_ROCE = 38 + 20 + 8 + 12 + 4
"""Bytes around a payload of RoCEv2: preamble, start of frame, Ethernet header, FCS and gap (38),
IPv4, UDP, BTH, ICRC.
"""
_MRC = 38 + 40 + 40 + 8 + 12 + 16 + 4
"""Header bytes of MRC: IPv6 in IPv6, and an RETH with the target address in every packet."""
_INFINIBAND = 8 + 12 + 4 + 2
"""Header bytes of InfiniBand: LRH, BTH, ICRC, VCRC. No gap is required between packets."""
_MTU = 4096
ALONE = 400e9 * _MTU / (_MTU + _ROCE)
"""Goodput in bit/s of a pair of hosts that is alone on the testbed."""
_NOTHING: dict[str, Any] = {
    "queues": {"ports": "none", "every": "10us"},
    "flows": {"which": "none"},
    "pauses": False,
    "fair_share": "none",
}


def at(label: str, qps: int) -> str:
    """The label of runs of the testbed, by the NICs' congestion control and the number of QPs per
    pair of hosts.
    """
    return f"{label} {plural(qps, 'QP')}"


def ring_at(gpus: int, mebibytes: int) -> str:
    """The label of an all-reduce."""
    return f"{gpus} GPUs {mebibytes} MiB"


def nvlink(reading: str = "") -> tuple[dict[str, str], str]:
    """Packets and rate of a GPU's 18 links, combined into one.

    NCCL assumes 20.6 of 25 GB/s per link, which corresponds to packets of 5000 B with 4120 B of
    payload.
    """
    gbps = _LINK["links"] * _LINK["gb_per_s"] * 8
    if reading == LINE_RATE:
        return {"mtu": "5000B", "data_header": "0B"}, f"{gbps:g}Gbps"
    payload = 5000 * MEASURED["nccl"]["nvlink_gb_per_s"] / _LINK["gb_per_s"]
    return {"mtu": f"{payload:.0f}B", "data_header": f"{5000 - payload:.0f}B"}, f"{gbps:g}Gbps"


def ring(gpus: int, mebibytes: int, reading: str = "") -> RunPlan:
    """A ring all-reduce among the GPUs of an HGX-H100. Each GPU has one link to a common switch.

    The delay of a link is half of NCCL's time for a step, as a step crosses two links.
    """
    packets, rate = nvlink(reading)
    delay = MEASURED["nccl"]["ring_simple_step_us"] / 2 * 1000
    topology = {"kind": "star", "hosts": gpus, "rate": rate, "delay": f"{delay:g}ns"}
    scenario = {
        "run": {"name": f"HGX-H100 {ring_at(gpus, mebibytes)} {reading}".strip()},
        "network": {"topology": topology, "packets": packets, "ack_every": 64},
        "nic": {"qps": "persistent"},
        "cc": {"algorithm": "none"},
        "traffic": [
            {"kind": "collective", "operation": "all-reduce", "data": f"{mebibytes}MiB"},
        ],
        "measure": _NOTHING,
    }
    return RunPlan(scenario, hops=2 * (gpus - 1) * mebibytes * MIB / 4120 * 2)


class Protocol(Enum):
    """A protocol: its name, and its bytes around a payload."""

    MRC = ("MRC", _MRC)
    ROCE = ("RoCEv2", _ROCE)
    INFINIBAND = ("InfiniBand", _INFINIBAND)

    def __init__(self, title: str, header: int) -> None:
        self.title = title
        self.header = header


def nic(rate: int, protocol: Protocol, *, hosts: int, mebibytes: int) -> RunPlan:
    """Each host sends to the next one over a common switch, so that no two flows share a link.

    Args:
        rate: The rate of a NIC, in Gb/s.
        protocol: The protocol of the packets.
        hosts: The number of hosts. With two hosts, only one sends.
        mebibytes: The size that each host sends.
    """
    topology = {"kind": "star", "hosts": hosts, "rate": f"{rate}Gbps", "delay": "500ns"}
    kind = {"kind": "collective", "operation": "send-receive", "data": f"{mebibytes}MiB"}
    one_way = {"kind": "flows", "flows": [_flow(0, 1, f"{mebibytes}MiB")]}
    scenario = {
        "run": {"name": f"{protocol.title} {rate} Gbps {hosts} hosts"},
        "network": {"topology": topology, "packets": _packets(protocol.header)},
        "nic": {"qps": "persistent"},
        "cc": {"algorithm": "none"},
        "traffic": [one_way if hosts == 2 else kind],
        "measure": _NOTHING,
    }
    return RunPlan(scenario, hops=hosts * mebibytes * MIB / _MTU * 4)


def leaf(streams: int, mebibytes: int, jitter: str, seed: int) -> RunPlan:
    """Hosts send to another host over a switch that drops packets, without congestion control.

    Args:
        streams: The number of sending hosts.
        mebibytes: The size that each host sends.
        jitter: The period within which all hosts start.
        seed: The seed of the run.
    """
    measured = MEASURED["leaf"]
    delay = f"{measured['delay_ns']}ns"
    topology = {"kind": "star", "hosts": streams + 1, "rate": "100Gbps", "delay": delay}
    traffic = {"kind": "incast", "receiver": streams, "sizes": f"{mebibytes}MiB", "jitter": jitter}
    scenario = {
        "run": {"name": f"leaf {streams} streams {jitter}", "seed": seed},
        "network": {
            "topology": topology,
            "packets": {"mtu": f"{LEAF_PAYLOAD}B", "data_header": f"{4096 - LEAF_PAYLOAD}B"},
            "flow_control": "none",
            "buffer": {"size": "8MiB"},
            "drop": {"alpha": 1000, "queue_limit": f"{measured['queue_limit_kb']}KB"},
            "recovery": {"timeout": f"{measured['timeout_ms'] * 1e6:.0f}ns"},
        },
        "cc": {"algorithm": "none"},
        "traffic": [traffic],
        "measure": _NOTHING,
    }
    # While eight hosts send into a full link, seven of eight packets are lost.
    return RunPlan(scenario, hops=streams * mebibytes * MIB / LEAF_PAYLOAD * (streams + 3))


def servers(
    scale: Scale, label: str, qps: int, *, incast: bool, reading: str = DEFAULTS
) -> dict[str, RunPlan]:
    """The testbed of 16 servers: the 8 hosts of two racks send to the other 8, with several seeds.

    Args:
        scale: The scale, which determines the number of seeds. Seeds draw paths.
        label: The congestion control of the NICs.
        qps: The number of QPs of each pair of hosts.
        incast: Whether seven hosts send to one host and the eighth to its neighbour; otherwise each
            host sends to a host of its own.
        reading: The reading of DCQCN's parameters.
    """
    if incast:
        pairs = [(host, 0) for host in range(4, 4 + SENDERS)] + [(4 + SENDERS, 1)]
    else:
        pairs = [(host, 8 + host) for host in range(PAIRS)]
    name = f"{'incast' if incast else 'pairs'} {at(label, qps)} {reading}".strip()
    numbers = range(1, scale.pick(quick=3, full=8) + 1)
    return over(
        numbers,
        labelled(at(label, qps), reading),
        lambda seed: _scenario(name, seed, pairs, qps, algorithm(label, reading)),
    )


def _scenario(
    name: str, seed: int, pairs: Iterable[tuple[int, int]], qps: int, cc: dict[str, Any]
) -> RunPlan:
    topology = {
        "kind": "leaf-spine",
        "leaves": 4,
        "spines": 4,
        "hosts_per_leaf": 4,
        "host_rate": "400Gbps",
        "spine_rate": "400Gbps",
        "delay": "500ns",
    }
    flows = [_flow(source, to, "100GB") for source, to in pairs for _ in range(qps)]
    scenario = {
        "run": {"name": name, "seed": seed, "stop": f"{END * 1e3:g}ms"},
        "network": {"topology": topology, "packets": _packets(_ROCE)},
        "cc": cc,
        "traffic": [{"kind": "flows", "flows": flows}],
        "measure": {**_NOTHING, "flows": {"which": "all", "every": "500us"}},
    }
    return RunPlan(scenario, hops=END * 400e9 / 8 / _MTU * 2 * 8)


def _packets(header: int) -> dict[str, str]:
    return {"mtu": f"{_MTU}B", "data_header": f"{header}B"}


def _flow(source: int, destination: int, size: str) -> dict[str, Any]:
    return {"source": source, "destination": destination, "size": size}
