"""Section III-D: few ACKs in an interval."""

from __future__ import annotations

from incast.papers.framework.paper import Claim, Figure, Kind, Runs, Values
from incast.papers.lgc.algorithms import LGC
from incast.papers.lgc.metrics import goodput, shares
from incast.papers.lgc.networks import (
    COUNTS,
    LINK_RATE,
    PACKET,
    RTT,
    incast_name,
    incasts,
    of,
)

_ACKS = {flows: LINK_RATE * RTT / 8 / PACKET / flows for flows in COUNTS}
"""In an interval, at the fair share."""


def _robustness(runs: Runs) -> Values:
    found = {}
    for flows in COUNTS:
        chosen = of(runs, incast_name(flows, LGC))
        acks = f"{_ACKS[flows]:.0f} ACKs"
        found[f"Gb/s, {acks}"] = goodput(chosen) / 1e9
        found[f"S·x, {acks}"] = flows * shares(chosen)
    return found


def _robust(values: Values) -> bool:
    through = [value for key, value in values.items() if key.startswith("Gb/s")]
    shared = [value for key, value in values.items() if key.startswith("S·x")]
    return min(through[1:]) >= 0.97 * through[0] and all(abs(each - 1) <= 0.1 for each in shared)


FIGURE = Figure(
    id="sec3d",
    title="Few ACKs in an interval",
    where="§III-D",
    setup="The incasts of Fig. 7 under LGC: 33, 8 and 4 ACKs in an interval at the fair share.",
    scaled="three seeds, 100 ms",
    runs=incasts(COUNTS, LGC),
    claims=[
        Claim(
            "L33",
            "four ACKs in an interval are enough",
            claimed="performance is robust",
            measure=_robustness,
            holds=_robust,
            tolerance="throughput with 8 and 4 ACKs at least 97 % of that with 33, and shares "
            "within 10 % of 1/S",
            kind=Kind.TREND,
            note="The three numbers of ACKs are three numbers of flows: what more flows and what "
            "fewer ACKs do is not told apart here.",
        )
    ],
)
