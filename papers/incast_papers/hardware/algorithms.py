"""Congestion control of the machines' NICs, as far as it is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["COLOURS", "DCQCN", "DEFAULTS", "PAPERS", "PFC_ONLY", "VENDORS", "algorithm"]

PFC_ONLY = "PFC only"
DCQCN = "DCQCN"
DEFAULTS, VENDORS, PAPERS = "", "ConnectX defaults", "parameters of its paper"
"""Readings of DCQCN's parameters, which the source does not give: our defaults, those that the
vendor ships with another NIC, those of Zhu et al. at 40 Gb/s.
"""

_SETS: Mapping[str, Mapping[str, Any]] = {
    DEFAULTS: {},
    VENDORS: {"parameters": "connectx"},
    PAPERS: {"parameters": "paper"},
}

COLOURS = {PFC_ONLY: 3, DCQCN: 0}


def algorithm(label: str, reading: str = DEFAULTS) -> dict[str, Any]:
    """The `[cc]` section of a label."""
    return {"algorithm": "none"} if label == PFC_ONLY else {"algorithm": "dcqcn", **_SETS[reading]}
