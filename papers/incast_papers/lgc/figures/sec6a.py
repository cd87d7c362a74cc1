"""Section VI-A1: longer intervals for many flows."""

from __future__ import annotations

import dataclasses
from functools import partial

from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average

from incast_papers.lgc.algorithms import ALGORITHMS, LGC
from incast_papers.lgc.metrics import load_spread
from incast_papers.lgc.networks import incast, seeded
from incast_papers.lgc.words import WORDS

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


FIGURE = WORDS.figure(
    "sec6a",
    runs=_intervals,
    claims=[
        WORDS.claim(
            "L34",
            measure=_longer,
            holds=lambda values: list(values.values()) == sorted(values.values(), reverse=True),
            trend=lambda values: values["800 µs"] < values["200 µs"],
            show=lambda value: f"{value:.3f}",
        )
    ],
)
