"""The algorithms that the paper compares, with the paper's parameters."""

from __future__ import annotations

from typing import Any

__all__ = [
    "ALGORITHMS",
    "COLOURS",
    "HPCC",
    "HPCCS",
    "HPCC_1G",
    "HPCC_CC",
    "HPCC_PROB",
    "HPCC_PROB_RTT",
    "HPCC_VAI_SF",
    "SWIFT",
    "SWIFTS",
    "SWIFT_1G",
    "SWIFT_PROB",
    "SWIFT_PROB_RTT",
    "SWIFT_VAI_SF",
]

HPCC, SWIFT = "HPCC", "Swift"
HPCC_1G, SWIFT_1G = "HPCC 1Gbps", "Swift 1Gbps"
HPCC_PROB, SWIFT_PROB = "HPCC probabilistic", "Swift probabilistic"
HPCC_PROB_RTT, SWIFT_PROB_RTT = "HPCC probabilistic per RTT", "Swift probabilistic per RTT"
HPCC_VAI_SF, SWIFT_VAI_SF = "HPCC VAI SF", "Swift VAI SF"

HPCCS = (HPCC, HPCC_1G, HPCC_PROB, HPCC_VAI_SF)
SWIFTS = (SWIFT, SWIFT_1G, SWIFT_PROB, SWIFT_VAI_SF)

HPCC_CC: dict[str, Any] = {
    "algorithm": "hpcc",
    "target_utilisation": 0.95,
    "max_stage": 5,
    "additive_increase": "50Mbps",
    "min_rate": "100Mbps",
}
"""From §III-D of the paper, except for the lowest rate, which is the artifact's example."""

_PER_RTT = {"prob": {"draws": "every-rtt"}}
"""The other reading of probabilistic feedback: a draw decides for all ACKs of an RTT, not for
each.
"""

_SWIFT_CC: dict[str, Any] = {"algorithm": "swift", "parameters": "fairness"}
"""From §III-D of the paper and Table 3.1 of the dissertation; the scenario states the set's
values.
"""

ALGORITHMS: dict[str, dict[str, Any]] = {
    HPCC: HPCC_CC,
    HPCC_1G: {**HPCC_CC, "additive_increase": "1Gbps"},
    HPCC_PROB: {**HPCC_CC, "algorithm": "hpcc+prob"},
    HPCC_PROB_RTT: {**HPCC_CC, "algorithm": "hpcc+prob", **_PER_RTT},
    HPCC_VAI_SF: {**HPCC_CC, "algorithm": "hpcc+vai+sf"},
    SWIFT: _SWIFT_CC,
    SWIFT_1G: {**_SWIFT_CC, "additive_increase": "1Gbps"},
    SWIFT_PROB: {**_SWIFT_CC, "algorithm": "swift+prob"},
    SWIFT_PROB_RTT: {**_SWIFT_CC, "algorithm": "swift+prob", **_PER_RTT},
    SWIFT_VAI_SF: {**_SWIFT_CC, "algorithm": "swift+vai+sf"},
}
"""Algorithms by their labels in figures."""

RANDOM = (HPCC_PROB, HPCC_PROB_RTT, SWIFT_PROB, SWIFT_PROB_RTT)
"""Algorithms that draw random numbers, so that their runs depend on the seed even with equal
traffic.
"""

COLOURS = {
    HPCC: 0,
    HPCC_1G: 6,
    HPCC_PROB: 4,
    HPCC_PROB_RTT: 3,
    HPCC_VAI_SF: 1,
    SWIFT: 2,
    SWIFT_1G: 5,
    SWIFT_PROB: 4,
    SWIFT_PROB_RTT: 0,
    SWIFT_VAI_SF: 3,
    "DCQCN": 4,
    "no control": 6,
}
