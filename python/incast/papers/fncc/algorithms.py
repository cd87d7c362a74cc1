"""The algorithms that the paper compares, and FNCC with our parts, at any link rate."""

from __future__ import annotations

from typing import Any

__all__ = [
    "COLOURS",
    "DCQCN",
    "FNCC",
    "FNCC_PLAIN",
    "FNCC_TABLE",
    "FNCC_VAI_SF",
    "HPCC",
    "RIVALS",
    "ROCC",
    "algorithm",
    "telemetry",
]

FNCC, HPCC, DCQCN, ROCC = "FNCC", "HPCC", "DCQCN", "RoCC"
FNCC_PLAIN = "FNCC without LHCS"
FNCC_TABLE = "FNCC table 1 µs"
FNCC_VAI_SF = "FNCC VAI SF"

RIVALS = (FNCC, HPCC, DCQCN, ROCC)
"""In the order in which the paper has them slow down."""

_WINDOW = {"target_utilisation": 0.95, "max_stage": 5, "min_rate": "100Mbps"}
"""HPCC's published values; FNCC's own are not in the paper, which calls it an extension of HPCC."""

_NAMED: dict[str, dict[str, Any]] = {
    FNCC: {"algorithm": "fncc", **_WINDOW},
    FNCC_PLAIN: {"algorithm": "fncc", "last_hop_speedup": False, **_WINDOW},
    FNCC_TABLE: {"algorithm": "fncc", **_WINDOW},
    FNCC_VAI_SF: {"algorithm": "fncc+vai+sf", **_WINDOW},
    HPCC: {"algorithm": "hpcc", **_WINDOW},
    DCQCN: {"algorithm": "dcqcn", "parameters": "paper"},
    ROCC: {"algorithm": "rocc"},
}


def algorithm(label: str, gbps: int = 100) -> dict[str, Any]:
    """An algorithm at NICs of this many Gb/s. The additive increase of the window algorithms is
    50 Mb/s at 100 Gb/s and grows with the link, as W_AI = W_init·(1 − η)/N has it.
    """
    cc = _NAMED[label]
    if label in (DCQCN, ROCC):
        return cc
    return {**cc, "additive_increase": f"{gbps // 2}Mbps"}


def telemetry(label: str) -> dict[str, Any]:
    """Options of the network for an algorithm: FNCC's table is live, or refreshed at a period,
    which
    the paper mentions without a number.
    """
    return {"int_table_period": "1us"} if label == FNCC_TABLE else {}


COLOURS = {
    FNCC: 0,
    FNCC_PLAIN: 5,
    FNCC_TABLE: 6,
    FNCC_VAI_SF: 4,
    HPCC: 1,
    DCQCN: 2,
    ROCC: 3,
}
