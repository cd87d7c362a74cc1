"""The algorithms of the paper by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "ALGORITHMS",
    "COLOURS",
    "DCTCP",
    "ECN",
    "EXPONENTIAL_01",
    "EXPONENTIAL_03",
    "LGC",
    "LGC_WINDOW",
    "NO_EXP",
    "REGULAR_01",
    "REGULAR_03",
]

LGC = "LGC"
NO_EXP = "LGC no exp."
LGC_WINDOW = "LGC, 10 packets"
DCTCP = "DCTCP"
REGULAR_01 = "r = 0.1, no exp."
REGULAR_03 = "r = 0.3, no exp."
EXPONENTIAL_01 = "r = 0.1"
EXPONENTIAL_03 = "r = 0.3"

_LGC: Mapping[str, Any] = {"algorithm": "lgc"}

ALGORITHMS: Mapping[str, Mapping[str, Any]] = {
    LGC: _LGC,
    NO_EXP: {**_LGC, "pacing": "regular"},
    REGULAR_01: {**_LGC, "pacing": "regular", "fixed_growth": 0.1},
    REGULAR_03: {**_LGC, "pacing": "regular", "fixed_growth": 0.3},
    EXPONENTIAL_01: {**_LGC, "fixed_growth": 0.1},
    EXPONENTIAL_03: {**_LGC, "fixed_growth": 0.3},
    LGC_WINDOW: {**_LGC, "initial_window": "10 packets"},
    DCTCP: {"algorithm": "dctcp"},
}
"""Sections ``[cc]``: LGC complete, without exponential gaps, with a growth rate that never changes,
beginning with DCTCP's window; DCTCP by RFC 8257.
"""

ECN: Mapping[str, Mapping[str, Any]] = {
    "lgc": {"step": "1 packet", "at": "enqueue"},
    "dctcp": {"step": "65 packets", "at": "enqueue"},
}
"""ECN options by algorithm: one packet for LGC; for DCTCP its authors' threshold at 10 Gb/s."""

COLOURS = {LGC: 0, DCTCP: 1, NO_EXP: 2, LGC_WINDOW: 2, EXPONENTIAL_01: 3, EXPONENTIAL_03: 4}
