"""The paper's algorithms by label, under the readings with which figures are run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "ALGORITHMS",
    "COLOURS",
    "DCTCP",
    "DCTCP_GENTLE",
    "EXPONENTIAL_01",
    "EXPONENTIAL_03",
    "FAR_045",
    "FAR_045_PRINTED",
    "LGC",
    "LGC_POISSON",
    "LGC_TWO",
    "LGC_WINDOW",
    "NO_EXP",
    "NO_EXP_TWO",
    "PRINTED",
    "REGULAR_01",
    "REGULAR_03",
    "Algorithm",
]

LGC = "LGC"
NO_EXP = "LGC no exp."
LGC_TWO = "LGC, 2 waiting"
NO_EXP_TWO = "LGC no exp., 2 waiting"
LGC_POISSON = "LGC, Poisson"
LGC_WINDOW = "LGC, 10 packets"
PRINTED = "adaptive r as printed"
FAR_045 = "adaptive r, g₂ = 0.45"
FAR_045_PRINTED = "adaptive r as printed, g₂ = 0.45"
DCTCP = "DCTCP"
DCTCP_GENTLE = "DCTCP, IW 2, dequeue"
REGULAR_01 = "r = 0.1, no exp."
REGULAR_03 = "r = 0.3, no exp."
EXPONENTIAL_01 = "r = 0.1"
EXPONENTIAL_03 = "r = 0.3"


@dataclass(frozen=True)
class Algorithm:
    """Parameters of an algorithm, and the switches' marking for it."""

    cc: Mapping[str, Any]
    ecn: Mapping[str, Any]


_ONE_WAITING = {"step": "1 packet", "at": "enqueue"}
_TWO_WAITING = {"step": "2 packets", "at": "enqueue"}
_DCTCP_ECN = {"step": "65 packets", "at": "enqueue"}
"""The threshold of DCTCP's authors at 10 Gb/s."""


def _lgc(ecn: Mapping[str, Any] = _ONE_WAITING, **parameters: object) -> Algorithm:
    return Algorithm({"algorithm": "lgc", **parameters}, ecn)


ALGORITHMS: Mapping[str, Algorithm] = {
    LGC: _lgc(),
    NO_EXP: _lgc(pacing="regular"),
    LGC_TWO: _lgc(_TWO_WAITING),
    NO_EXP_TWO: _lgc(_TWO_WAITING, pacing="regular"),
    LGC_POISSON: _lgc(pacing="poisson"),
    LGC_WINDOW: _lgc(initial_window="10 packets"),
    PRINTED: _lgc(interpolation="printed"),
    FAR_045: _lgc(far=0.45),
    FAR_045_PRINTED: _lgc(interpolation="printed", far=0.45),
    REGULAR_01: _lgc(pacing="regular", fixed_growth=0.1),
    REGULAR_03: _lgc(pacing="regular", fixed_growth=0.3),
    EXPONENTIAL_01: _lgc(fixed_growth=0.1),
    EXPONENTIAL_03: _lgc(fixed_growth=0.3),
    DCTCP: Algorithm({"algorithm": "dctcp"}, _DCTCP_ECN),
    DCTCP_GENTLE: Algorithm(
        {"algorithm": "dctcp", "initial_window": "2 packets"}, {**_DCTCP_ECN, "at": "dequeue"}
    ),
}
"""LGC as a whole, and its variants: without exponential delays; with marking from two waiting
packets on; as a Poisson process; with DCTCP's initial window; with the growth rate as Algorithm 1
prints it; with the g₂ of §V-B; with a constant growth rate. DCTCP by RFC 8257, and with a smaller
initial window and marking at dequeue.
"""

COLOURS = {
    LGC: 0,
    DCTCP: 1,
    NO_EXP: 2,
    EXPONENTIAL_01: 3,
    EXPONENTIAL_03: 4,
    LGC_WINDOW: 5,
    PRINTED: 5,
    DCTCP_GENTLE: 6,
}
