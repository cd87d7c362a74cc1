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
"""Ports of a switch, by hosts."""

_ALGORITHMS = {"nscc": "nscc", "rccc": "rccc", "both": "nscc+credits"}
"""Congestion control by mode."""


@dataclass(frozen=True)
class Experiment:
    """Traffic on a network."""

    flows: str
    """Their name in ``flows.csv``."""
    topology: Mapping[str, Any]


@dataclass(frozen=True)
class ExactCase:
    """Flows whose completion does not depend on a seed."""

    group: str
    mode: str
    scenario: Mapping[str, Any]
    finish_ps: list[int]
    """In the order of the scenario's flows."""
    acks: int | None
    """ACKs of all flows, where they do not depend on the seed, and no pulls are among them."""


@dataclass(frozen=True)
class SeededCase:
    """An experiment in which random draws matter, over some seeds."""

    experiment: str
    mode: str
    balance: str
    entropies: int
    option: str
    runs: Sequence[Mapping[str, int]]
    """A row for each seed: see ``data/uet/README.md``."""

    @property
    def name(self) -> str:
        """Of a row in tables."""
        parts = [self.experiment, self.mode]
        if self.balance != "mixed" or self.entropies != 64:
            parts.append(f"{self.balance} {self.entropies}")
        return " ".join([*parts, self.option] if self.option else parts)

    def scenario(self, seed: int) -> dict[str, Any]:
        """The experiment with a seed of ours."""
        experiment = _EXPERIMENTS[self.experiment]
        balance = {"kind": self.balance, "entropies": self.entropies}
        return {
            "cc": {"algorithm": _ALGORITHMS[self.mode]},
            "network": _network(experiment.topology, balance, self.option),
            "traffic": [{"kind": "flows", "flows": _flows(experiment.flows)}],
            "run": {"seed": seed},
        }


def exact_cases() -> Iterator[ExactCase]:
    """All of them; one flow is a case, or several of one group, rate and mode."""
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
            "cc": {"algorithm": _ALGORITHMS[mode]},
            "network": _network(tree, {"kind": "flow"}),
            "traffic": [{"kind": "flows", "flows": [_flow(row) for row in flows]}],
        }
        finish = [int(row["finish_ps"]) for row in flows]
        yield ExactCase(group, mode, scenario, finish, acks)


def seeded_cases() -> Iterator[SeededCase]:
    """All of them, in the order in which tables list them."""
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
    **{f"incast-{kind}": Experiment(f"incast-{kind}", _LEAF_SPINE) for kind in _INCASTS},
    "permutation-3MB": Experiment("permutation-3MB", {"kind": "fat-tree", "k": 8}),
    "permutation-3MB-400G": Experiment(
        "permutation-3MB", {"kind": "fat-tree", "k": 8, "host_rate": "400Gbps"}
    ),
    "oversubscribed-4": Experiment(
        "permutation-2MB", {"file": str(_DATA / "oversubscribed-4.graph"), "format": "graph"}
    ),
    "all-to-all-400KB": Experiment("all-to-all-400KB", {"kind": "fat-tree", "k": 4}),
}


_DROPS: dict[str, dict[str, Any]] = {
    "drop_5bdp": {"trimming": "off"},
    "drop_1bdp": {"trimming": "off", "queue_limit": "1bdp"},
}
"""Queues by option."""


def _network(
    topology: Mapping[str, Any], balance: Mapping[str, Any], option: str = ""
) -> dict[str, Any]:
    """The network of an experiment: what its options change of the profile."""
    loss, *_ = option.split("+")
    network = {"profile": "uet-htsim", "topology": dict(topology), "balance": dict(balance)}
    if loss in _DROPS:
        network["drop"] = _DROPS[loss]
    if "sleek" in option:
        network["recovery"] = {"loss_detection": {"kind": "early-count"}}
    return network


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
