"""Algorithms of the dissertation, and enforcement: on what the NIC enforces congestion control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from incast.papers.readings import labelled

__all__ = [
    "ACK_ROOM",
    "COLOURS",
    "CONNECTX",
    "DCQCN",
    "HPCC",
    "HPCC_VAI_SF",
    "NO_DEMAND",
    "N_AT_START",
    "PERC",
    "PERC_1RC",
    "PERC_1RC_WEIGHTS",
    "PERC_1RC_WEIGHTS_ACKS",
    "PERC_ALL_SCHEDULED",
    "PERC_THRESHOLD",
    "PERC_WEIGHTS",
    "ROCC",
    "ROCC_1RC",
    "SWIFT",
    "UNCONTROLLED",
    "Choice",
    "Enforcement",
    "algorithm",
    "chosen",
]

DCQCN, HPCC, SWIFT = "DCQCN", "HPCC", "Swift"
HPCC_VAI_SF = "HPCC VAI SF"
CONNECTX = "DCQCN, ConnectX"
UNCONTROLLED = "no congestion control"
PERC, PERC_THRESHOLD = "s-PERC", "s-PERC, 153 KB"
PERC_ALL_SCHEDULED = "s-PERC, all scheduled"
PERC_1RC, PERC_1RC_WEIGHTS = "s-PERC + 1RC", "s-PERC + 1RC + weights"
PERC_WEIGHTS = "s-PERC + weights"
ROCC, ROCC_1RC = "RoCC", "RoCC + 1RC"
PERC_1RC_WEIGHTS_ACKS = "s-PERC + 1RC + weights, room for ACKs"

_HPCC = {"max_stage": 5, "additive_increase": "50Mbps", "min_rate": "100Mbps"}

_VENDOR = {
    "notification": "cnp",
    "gain": 5 / 1024,
    "initial_alpha": 1023 / 1024,
    "additive_increase": "5Mbps",
    "hyper_increase": "50Mbps",
    "min_rate": "1Mbps",
}
"""The vendor's defaults (set `connectx`) without the byte counter. With the byte counter, a fast QP
recovers sooner than a slow one, and an attacker with several QPs ends below a victim with one.
"""

_ACK_ROOM = 0.08
"""Share of a link's rate kept for ACKs. ACKs of 60 B for packets of 1048 B take 5.7 % of the
opposite direction.
"""

_NAMED: dict[str, dict[str, Any]] = {
    DCQCN: {"algorithm": "dcqcn", "parameters": "isolation"},
    CONNECTX: {"algorithm": "dcqcn", "parameters": "artifact", **_VENDOR},
    HPCC: {"algorithm": "hpcc", **_HPCC},
    HPCC_VAI_SF: {"algorithm": "hpcc+vai+sf", **_HPCC},
    SWIFT: {"algorithm": "swift", "parameters": "fairness"},
    UNCONTROLLED: {"algorithm": "none"},
    PERC: {"algorithm": "s-perc"},
    PERC_THRESHOLD: {"algorithm": "s-perc", "threshold": "153KB"},
    PERC_ALL_SCHEDULED: {"algorithm": "s-perc", "exempt": "none"},
    PERC_1RC: {"algorithm": "s-perc+1rc"},
    PERC_1RC_WEIGHTS: {"algorithm": "s-perc+1rc+weights"},
    ROCC: {"algorithm": "rocc"},
    ROCC_1RC: {"algorithm": "rocc+1rc"},
    PERC_WEIGHTS: {"algorithm": "s-perc+weights", "exempt": "none"},
    PERC_1RC_WEIGHTS_ACKS: {"algorithm": "s-perc+1rc+weights", "headroom": _ACK_ROOM},
}


class Enforcement(Enum):
    """Which QPs share a congestion state."""

    QP = ("per QP", "per-qp")
    """As in the InfiniBand specification, each QP has its own state."""
    DESTINATION = ("ConnectX-5", "per-destination")
    """All QPs to a destination have the same rate, and each sends at it."""
    PAIR = ("per pair", "per-pair")
    """All QPs of a source and a destination divide one rate among them."""

    def __init__(self, label: str, key: str) -> None:
        self.label = label
        self.key = key


def algorithm(label: str) -> dict[str, Any]:
    """The `[cc]` section of an algorithm."""
    return dict(_NAMED[label])


@dataclass(frozen=True)
class Choice:
    """An alternative to a choice of the rows, where the text leaves it open."""

    name: str
    options: Mapping[str, Any]
    """Keys of the `[cc]` section."""

    def __add__(self, other: Choice) -> Choice:
        """Both choices together."""
        return Choice(f"{self.name}, {other.name}", {**self.options, **other.options})

    def of(self, label: str) -> str:
        """The label of a run with this alternative."""
        return labelled(label, self.name)


NO_DEMAND = Choice("no host demand", {"host_demand": False})
"""Algorithms 3 and 4 as printed: a flow's demand does not limit its allotment."""
ACK_ROOM = Choice("room for ACKs", {"headroom": _ACK_ROOM})
N_AT_START = Choice("n at flow start", {"weights": {"divided_by": "flow-start"}})
"""1RC divides a window by the number of connections at the flow's start."""


def chosen(label: str, choice: Choice | None) -> dict[str, Any]:
    """The `[cc]` section of an algorithm, changed by an alternative if one is given."""
    return {**algorithm(label), **(choice.options if choice else {})}


COLOURS = {
    DCQCN: 2,
    HPCC: 1,
    SWIFT: 3,
    HPCC_VAI_SF: 4,
    PERC: 0,
    PERC_THRESHOLD: 4,
    PERC_1RC: 5,
    PERC_1RC_WEIGHTS: 6,
    PERC_1RC_WEIGHTS_ACKS: 5,
}
