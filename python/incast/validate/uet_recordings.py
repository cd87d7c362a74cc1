"""The recorded results of uet-htsim that come with incast: see ``data/uet/README.md``."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

__all__ = ["ExactCase", "SeededCase", "exact_cases", "seeded_cases"]

_DATA = Path(__file__).parent / "data" / "uet"

_FAT_TREES = {16: 4, 54: 6, 128: 8}
"""Ports of a switch in a fat tree, by the number of hosts."""

_PACKET, _HEADER = 4150, 64
"""Bytes of a full packet on the wire, and of its header. Control packets are as long as a
header.
"""

_SET = "uet-htsim"
"""Name of the set of parameters of the algorithms."""


@dataclass(frozen=True)
class Experiment:
    """The traffic and the network of an experiment."""

    flows: str
    """The name of the experiment's flows in ``flows.csv``."""
    topology: Mapping[str, Any]
    links: int
    """The number of links between the hosts that are furthest apart."""
    gbps: int = 100
    oversubscription: int = 1
    slow: int = 1
    """Some links have a rate that is smaller by this factor, in one direction."""


@dataclass(frozen=True)
class ExactCase:
    """A case whose completion times do not depend on the seed."""

    group: str
    mode: str
    scenario: Mapping[str, Any]
    finish_ps: list[int]
    """Completion times in ps, in the order of the scenario's flows."""
    acks: int | None
    """ACKs of all flows; ``None`` if their number depends on the seed or includes pulls."""


@dataclass(frozen=True)
class SeededCase:
    """An experiment that depends on random draws, recorded with several seeds."""

    experiment: str
    mode: str
    balance: str
    entropies: int
    option: str
    runs: Sequence[Mapping[str, int]]
    """A row for each seed: see ``data/uet/README.md``."""

    @property
    def name(self) -> str:
        """The name of a row in tables."""
        parts = [self.experiment, self.mode]
        if self.balance != "mixed" or self.entropies != 64:
            parts.append(f"{self.balance} {self.entropies}")
        return " ".join([*parts, self.option] if self.option else parts)

    def scenario(self, seed: int) -> dict[str, Any]:
        """The scenario of the experiment, with one of our seeds."""
        experiment = _EXPERIMENTS[self.experiment]
        balance = _balance(self.balance, self.entropies)
        topology, links, gbps = experiment.topology, experiment.links, experiment.gbps
        network = _network(
            topology, links, gbps, balance=balance, mode=self.mode, option=self.option
        )
        if experiment.slow > 1:
            _fit_slow_links(network, links, gbps, experiment.slow)
        return {
            "cc": _controls(self.mode, experiment.oversubscription),
            "network": network,
            "traffic": [{"kind": "flows", "flows": _flows(experiment.flows)}],
            "run": {"seed": seed},
        }


def exact_cases() -> Iterator[ExactCase]:
    """All exact cases. A case is one flow, or all flows of a group, rate and mode."""
    rows = _read("exact.csv")

    def case(row: Mapping[str, str]) -> tuple[str, ...]:
        alone = row["group"] == "one flow"
        flow = (row["source"], row["destination"], row["size_bytes"]) if alone else ()
        return (row["group"], row["hosts"], row["gbps"], row["mode"], *flow)

    for (group, hosts, gbps, mode, *_), of_case in groupby(rows, case):
        flows = list(of_case)
        acks = sum(int(row["acks"]) for row in flows) if mode == "nscc" else None
        rate = f"{gbps}Gbps"
        tree = {"kind": "fat-tree", "k": _FAT_TREES[int(hosts)], "host_rate": rate}
        scenario = {
            "cc": _controls(mode),
            "network": _network(tree, 6, int(gbps), balance={"kind": "flow"}, mode=mode),
            "traffic": [{"kind": "flows", "flows": [_flow(row) for row in flows]}],
        }
        finish = [int(row["finish_ps"]) for row in flows]
        yield ExactCase(group, mode, scenario, finish, acks)


def seeded_cases() -> Iterator[SeededCase]:
    """All cases, in the order in which tables list them."""
    keys = ("experiment", "mode", "balance", "entropies", "option")
    rows = _read("runs.csv")
    for case, runs in groupby(rows, lambda row: tuple(row[key] for key in keys)):
        experiment, mode, balance, entropies, option = case
        numbers = [
            {key: int(value) for key, value in row.items() if key not in keys} for row in runs
        ]
        yield SeededCase(experiment, mode, balance, int(entropies), option, numbers)


_LEAF_SPINE = {
    "kind": "leaf-spine",
    "leaves": 8,
    "hosts_per_leaf": 4,
    "spines": 4,
    "spine_rate": "100Gbps",
}
_INCASTS = ("3to1-600KB", "7to1-600KB", "20to1-600KB", "20to1-60KB")

_EXPERIMENTS: dict[str, Experiment] = {
    **{f"incast-{kind}": Experiment(f"incast-{kind}", _LEAF_SPINE, 4) for kind in _INCASTS},
    "permutation-3MB": Experiment("permutation-3MB", {"kind": "fat-tree", "k": 8}, 6),
    "permutation-3MB-400G": Experiment(
        "permutation-3MB", {"kind": "fat-tree", "k": 8, "host_rate": "400Gbps"}, 6, 400
    ),
    "oversubscribed-4": Experiment(
        "permutation-2MB",
        {"file": str(_DATA / "oversubscribed-4.graph"), "format": "graph"},
        6,
        oversubscription=4,
    ),
    **{
        f"permutation-3MB-slow-{count}": Experiment(
            "permutation-3MB",
            {"file": str(_DATA / f"slow-{count}.graph"), "format": "graph"},
            6,
            slow=4,
        )
        for count in (1, 2)
    },
    "all-to-all-400KB": Experiment("all-to-all-400KB", {"kind": "fat-tree", "k": 4}, 6),
}


def _controls(mode: str, oversubscription: int = 1) -> dict[str, Any]:
    """Settings of congestion control by mode. In uet-htsim, only receivers take oversubscription
    into account.
    """
    if mode == "rccc" and oversubscription > 1:
        return {"algorithm": mode, "parameters": _SET, "oversubscription": oversubscription}
    if mode != "both":
        return {"algorithm": mode, "parameters": _SET}
    given = {"speculative": 1.5, "idle_turns": "of-demands", "grants_after_end": True}
    return {"algorithm": "nscc+credits", "parameters": _SET, "credits": given}


def _network(
    topology: Mapping[str, Any],
    links: int,
    gbps: int,
    *,
    balance: Mapping[str, Any],
    mode: str,
    option: str = "",
) -> dict[str, Any]:
    """The network of an experiment, with `links` links between its furthest hosts."""
    per_byte = 8000 // gbps
    _, packets = _base_rtt(links, gbps)
    trims = not option.startswith("drop")
    queue = packets * (5 if option.startswith("drop_5bdp") else 1)
    # In uet-htsim the packet in transmission counts towards the limit, here it does not.
    waiting = f"{(queue - 1) * _PACKET}B"
    drop: dict[str, Any] = {
        "sharing": "per-port",
        "queue_limit": waiting,
        "last_hop_queue_limit": waiting,
        "contention": "coin",
    }
    if trims:
        drop["trimming"] = {
            "header": f"{_HEADER}B",
            "header_queue": f"{2 * queue * _PACKET}B",
            "service": "strict",
        }
    # uet-htsim compares the queue after a packet has left, incast when it begins to leave: the
    # difference is one packet.
    marking = {
        "k_min": f"{(-(-packets * 2 // 10) - 1) * _PACKET}B",
        "k_max": f"{(-(-packets * 8 // 10) - 1) * _PACKET}B",
        "p_max": 1.0,
        **({} if mode == "nscc" else {"last_hop": False}),
    }
    timeout = 15_000_000 + 6 * queue * _PACKET * per_byte
    return {
        "topology": dict(topology),
        "flow_control": "none",
        "balance": dict(balance),
        "packets": {
            "mtu": f"{_PACKET - _HEADER}B",
            "data_header": f"{_HEADER}B",
            "ack": f"{_HEADER}B",
            "minimum": f"{_HEADER}B",
            "timestamp": "0B",
        },
        "drop": drop,
        "ecn": marking,
        "base_rtt": "global",
        "recovery": {
            "kind": "selective",
            "loss_detection": _loss_detection(option, trims=trims),
            "timeout": f"{timeout}ps",
            "backoff": "none",
        },
    }


def _fit_slow_links(network: dict[str, Any], links: int, gbps: int, slow: int) -> None:
    """Adapts a network with links that are slower by a factor. Their queues and thresholds are
    shorter by this factor; the base RTT is that without slow links.
    """
    rtt, packets = _base_rtt(links, gbps)
    curves = [
        {
            "link_rate": f"{gbps // part}Gbps",
            "k_min": f"{-(-packets * 2 // 10) * _PACKET // part - _PACKET}B",
            "k_max": f"{-(-packets * 8 // 10) * _PACKET // part - _PACKET}B",
            "p_max": 1.0,
        }
        for part in (1, slow)
    ]
    # Ports count whole packets, the last one begun.
    waiting = f"{(packets - 1.5) * _PACKET * 8000 / gbps / rtt:.6f}bdp"
    network["drop"] |= {"queue_limit": waiting, "last_hop_queue_limit": waiting}
    network |= {"largest_base_rtt": f"{rtt}ps", "ecn": {"per_rate": curves}}


def _base_rtt(links: int, gbps: int) -> tuple[int, int]:
    """The base RTT in ps, and the BDP in packets, over this number of links."""
    per_byte = 8000 // gbps
    rtt = links * (2_000_000 + (_PACKET + _HEADER) * per_byte)
    return rtt, -(-rtt // (_PACKET * per_byte))


def _loss_detection(option: str, *, trims: bool) -> dict[str, Any]:
    """Loss detection: SLEEK with its probes, or only NACKs and timeouts."""
    if "sleek" not in option:
        return {"kind": "explicit"}
    # The target of the queueing delay, in base RTTs.
    return {"kind": "early-count", "probes": {"delay": 0.75 if trims else 1.0}}


def _balance(name: str, entropies: int) -> dict[str, Any]:
    """Settings of load balancing that match uet-htsim."""
    passes = {"order": "xor"}
    aware = {**passes, "skips": "penalties", "timeout_blames": "first"}
    choices: dict[str, dict[str, Any]] = {
        "oblivious": passes,
        "bitmap": aware,
        "mixed": aware,
        "reps": {"exploring": 16},
    }
    return {"kind": name, "entropies": entropies, **choices.get(name, {})}


def _read(name: str) -> list[dict[str, str]]:
    with (_DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _flows(name: str) -> list[dict[str, Any]]:
    return [_flow(row) for row in _read("flows.csv") if row["flows"] == name]


def _flow(row: Mapping[str, str]) -> dict[str, Any]:
    return {
        "source": int(row["source"]),
        "destination": int(row["destination"]),
        "size": f"{row['size_bytes']}B",
        "start": "0s",
    }
