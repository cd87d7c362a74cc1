"""The algorithms that the paper compares, with its parameters."""

from __future__ import annotations

from typing import Any

__all__ = ["ALGORITHMS", "COLOURS", "HPCC", "HPCC_1G"]

HPCC = "HPCC"
HPCC_1G = "HPCC 1Gbps"

_HPCC = {
    "target_utilisation": 0.95,
    "max_stage": 5,
    "additive_increase": "50Mbps",
    "min_rate": "100Mbps",
}
"""Paper §III-D; the lowest rate is not in it, this is the artifact's example."""

ALGORITHMS: dict[str, dict[str, Any]] = {
    HPCC: {"algorithm": "hpcc", **_HPCC},
    HPCC_1G: {"algorithm": "hpcc", **_HPCC, "additive_increase": "1Gbps"},
}
"""By the label that figures have."""

COLOURS = {HPCC: 0, HPCC_1G: 1}
