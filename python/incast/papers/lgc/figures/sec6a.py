"""Section VI-A1: longer intervals for many flows."""

from __future__ import annotations

import dataclasses
from functools import partial

from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import average
from incast.papers.lgc.algorithms import ALGORITHMS, LGC
from incast.papers.lgc.metrics import load_spread
from incast.papers.lgc.networks import incast, seeded

_INTERVALS_US = (200, 400, 800)


def _name(interval: int) -> str:
    return f"{interval} µs"


def _longer(runs: Runs) -> Measured:
    names = map(_name, _INTERVALS_US)
    return {name: average(runs, name, load_spread) for name in names}


def _intervals(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for interval in _INTERVALS_US:
        own = ALGORITHMS[LGC]
        algorithm = dataclasses.replace(own, cc={**own.cc, "interval": f"{interval}us"})
        label = f"{LGC} {interval} us"
        make = partial(incast, label, 40, stop_ms=200, sample_us=interval, algorithm=algorithm)
        planned |= seeded(scale, _name(interval), make)
    return planned


FIGURE = Figure(
    id="sec6a",
    title="Longer intervals for many flows",
    where="§VI-A1",
    setup="40 flows as in Fig. 7, updates every 200, 400 and 800 µs. Ten seeds, 200 ms.",
    scaled="three seeds",
    runs=_intervals,
    claims=[
        Claim(
            "L34",
            "with more than 20 flows, longer intervals make the estimate of load more precise",
            claimed="improves",
            metric="deviation of l over flows and the intervals of the second half",
            measure=_longer,
            holds=lambda values: list(values.values()) == sorted(values.values(), reverse=True),
            trend=lambda values: values["800 µs"] < values["200 µs"],
            tolerance="falls with every doubling; as a trend, from 200 to 800 µs",
            kind=Kind.TREND,
            show=lambda value: f"{value:.3f}",
            explanation="More ACKs make each estimate less a matter of chance, but a longer "
            "interval also delays the answer, and what the load really does swings more.",
        )
    ],
)
