"""Section III-D: few ACKs per update interval, and different lengths of the interval."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from incast.measure.run import Run
from incast.measure.series import curves
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, median
from incast.present.units import seconds_text
from incast.time_units import PICOSECOND

from incast_papers.lgc.algorithms import ALGORITHMS, LGC, Algorithm
from incast_papers.lgc.metrics import goodput, load_spread, share, share_spread
from incast_papers.lgc.networks import FULL_LINK, LINK_RATE, PACKET, RTT, incast, seeded
from incast_papers.lgc.words import WORDS

_FLOWS = 5
_PACKETS = LINK_RATE * RTT / 8 / PACKET / _FLOWS
"""Packets of a flow per update interval, at the fair share."""
_ACKS = {f"{_PACKETS / every:.0f} ACKs": every for every in (1, 4, 8, 16)}
"""Packets per ACK, by the number of ACKs per interval."""
_MOST, *_ENOUGH, _TOO_FEW = _ACKS
_INTERVALS = {f"every {each} µs": each for each in (20, 100, 200, 400, 800)}
"""Update intervals of the rate in µs, by label."""
_FASTEST, *_SLOWER = _INTERVALS
_OWN = "every 200 µs"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    stop_ms = scale.pick(quick=100, full=200)
    planned: dict[str, RunPlan] = {}
    for label, every in _ACKS.items():
        make = partial(incast, LGC, _FLOWS, stop_ms=stop_ms, ack_every=every)
        planned |= seeded(scale, label, make)
    for label, microseconds in _INTERVALS.items():
        algorithm = ALGORITHMS[LGC] if label == _OWN else _updated(microseconds)
        make = partial(incast, LGC, _FLOWS, stop_ms=stop_ms, algorithm=algorithm)
        planned |= seeded(scale, label, make)
    return planned


def _updated(microseconds: int) -> Algorithm:
    """LGC with another update interval."""
    own = ALGORITHMS[LGC]
    return Algorithm({**own.cc, "interval": f"{microseconds}us"}, own.ecn)


def reached_after(run: Run) -> float:
    """Seconds until goodput reaches 90 % of the link's payload rate."""
    ((times, values),) = curves(run.series, "goodput_bps").values()
    enough = np.flatnonzero(values >= 0.9 * FULL_LINK)
    return float(times[enough[0]]) * PICOSECOND if len(enough) else float("inf")


def _converges(runs: Runs) -> Measured:
    return {label: average(runs, label, lambda run: _FLOWS * share(run)) for label in _SLOWER}


def _same_point(values: Values) -> bool:
    return max(values.values()) - min(values.values()) <= 0.05


def _times(runs: Runs) -> Measured:
    return {label: median(runs, label, reached_after) for label in _SLOWER}


def _ever_slower(values: Values) -> bool:
    found = [values[label] for label in _SLOWER]
    return all(one < other for one, other in pairwise(found))


def _oscillations(runs: Runs) -> Measured:
    return {label: average(runs, label, share_spread) for label in _INTERVALS}


def _by_interval() -> list[Claim]:
    return [
        WORDS.claim(
            "L36",
            measure=_converges,
            holds=_same_point,
            show=lambda value: f"{value:.3f}",
        ),
        WORDS.claim(
            "L37",
            measure=_times,
            holds=_ever_slower,
            show=seconds_text,
        ),
        WORDS.claim(
            "L38",
            measure=_oscillations,
            holds=lambda values: values[_FASTEST] >= 2 * values[_OWN],
            trend=lambda values: values[_FASTEST] > values[_OWN],
            show=lambda value: f"{value:.4f}",
        ),
    ]


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


FIGURE = WORDS.figure(
    "sec3d",
    runs=_plan,
    claims=[
        WORDS.claim(
            "L33",
            measure=_robustness,
            holds=_robust,
            show=lambda value: f"{value:.2f}",
        ),
        *_by_interval(),
    ],
)
