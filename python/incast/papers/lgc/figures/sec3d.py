"""Section III-D: few ACKs in an interval."""

from __future__ import annotations

from functools import partial

from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import average
from incast.papers.lgc.algorithms import LGC
from incast.papers.lgc.metrics import goodput, load_spread, share
from incast.papers.lgc.networks import LINK_RATE, PACKET, RTT, incast, seeded

_FLOWS = 5
_PACKETS = LINK_RATE * RTT / 8 / PACKET / _FLOWS
"""In an interval, at the fair share."""
_ACKS = {f"{_PACKETS / every:.0f} ACKs": every for every in (1, 4, 8, 16)}
"""One ACK for how many packets, by ACKs in an interval."""
_MOST, *_ENOUGH, _TOO_FEW = _ACKS


def _plan(scale: Scale) -> dict[str, RunPlan]:
    stop_ms = scale.pick(quick=100, full=200)
    planned: dict[str, RunPlan] = {}
    for label, every in _ACKS.items():
        make = partial(incast, LGC, _FLOWS, stop_ms=stop_ms, ack_every=every)
        planned |= seeded(scale, label, make)
    return planned


def _robustness(runs: Runs) -> Measured:
    found = {}
    for label in _ACKS:
        found[f"Gb/s, {label}"] = average(runs, label, lambda run: goodput(run) / 1e9)
        found[f"S·x, {label}"] = average(runs, label, lambda run: _FLOWS * share(run))
        found[f"deviation of l, {label}"] = average(runs, label, load_spread)
    return found


def _robust(values: Values) -> bool:
    most = values[f"Gb/s, {_MOST}"]
    through = all(values[f"Gb/s, {label}"] >= 0.97 * most for label in _ENOUGH)
    return through and all(abs(values[f"S·x, {label}"] - 1) <= 0.1 for label in (_MOST, *_ENOUGH))


FIGURE = Figure(
    id="sec3d",
    title="Few ACKs in an interval",
    where="§III-D",
    setup="5 flows of Fig. 7 under LGC, an ACK for every packet, or for every 4, 8 and 16. Ten "
    "seeds, 200 ms.",
    scaled="three seeds, 100 ms",
    runs=_plan,
    claims=[
        Claim(
            "L33",
            "four ACKs in an interval are enough",
            claimed="performance is robust",
            metric="throughput, sum of shares and deviation of l in the second half",
            measure=_robustness,
            holds=_robust,
            tolerance="throughput with 8 and 4 ACKs at least 97 % of that with 33, and shares "
            "within 10 % of 1/S; 2 ACKs, fewer than asked for, are not judged",
            kind=Kind.TREND,
            show=lambda value: f"{value:.2f}",
            replaced="the same rule over numbers of flows, 5, 20 and 40, which have 33, 8 and 4 "
            "ACKs, but are also more flows; it held.",
        )
    ],
)
