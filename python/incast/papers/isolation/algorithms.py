"""Algorithms of the dissertation, and enforcement: to whom congestion control is applied."""

from __future__ import annotations

from enum import Enum
from typing import Any

__all__ = [
    "COLOURS",
    "CONNECTX",
    "DCQCN",
    "HPCC",
    "HPCC_VAI_SF",
    "PERC",
    "PERC_1RC",
    "PERC_1RC_WEIGHTS",
    "PERC_1RC_WEIGHTS_ACKS",
    "PERC_ALL_SCHEDULED",
    "PERC_THRESHOLD",
    "PERC_WEIGHTS",
    "SWIFT",
    "UNCONTROLLED",
    "Enforcement",
    "algorithm",
]

DCQCN, HPCC, SWIFT = "DCQCN", "HPCC", "Swift"
HPCC_VAI_SF = "HPCC VAI SF"
CONNECTX = "DCQCN, ConnectX"
UNCONTROLLED = "no congestion control"
PERC, PERC_THRESHOLD = "s-PERC", "s-PERC, 153 KB"
PERC_ALL_SCHEDULED = "s-PERC, all scheduled"
PERC_1RC, PERC_1RC_WEIGHTS = "s-PERC + 1RC", "s-PERC + 1RC + weights"
PERC_WEIGHTS = "s-PERC + weights"
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
"""The vendor's defaults (set `connectx`) without the byte counter: with it a fast QP recovers
sooner than a slow one, so that an attacker with several QPs ends below a victim with one.
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
    PERC_WEIGHTS: {"algorithm": "s-perc+weights", "exempt": "none"},
    # ACKs of 60 B for packets of 1048 B take 5.7 % of the opposite direction.
    PERC_1RC_WEIGHTS_ACKS: {"algorithm": "s-perc+1rc+weights", "headroom": 0.08},
}


class Enforcement(Enum):
    """Whose packets share one state of congestion control."""

    QP = ("per QP", "per-qp")
    """The InfiniBand specification: each QP has its own."""
    DESTINATION = ("ConnectX-5", "per-destination")
    """All QPs to a destination have one rate, and each sends at it."""
    PAIR = ("per pair", "per-pair")
    """All QPs of a source and a destination divide one rate."""

    def __init__(self, label: str, key: str) -> None:
        self.label = label
        self.key = key


def algorithm(label: str) -> dict[str, Any]:
    """The `[cc]` section of an algorithm."""
    return dict(_NAMED[label])


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
