"""Section VI-A1: longer intervals for many flows."""

from __future__ import annotations

from functools import partial

from incast.papers.framework.paper import Claim, Figure, Kind, RunPlan, Runs, Scale, Values
from incast.papers.lgc.algorithms import ALGORITHMS, LGC
from incast.papers.lgc.metrics import loads
from incast.papers.lgc.networks import incast, of, seeded


def _longer(runs: Runs) -> Values:
    return {label: float(loads(of(runs, label)).std()) for label in ("200 µs", "400 µs", "800 µs")}


def _intervals(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for interval in (200, 400, 800):
        cc = {**ALGORITHMS[LGC], "interval": f"{interval}us"}
        planned |= seeded(
            scale,
            f"{interval} µs",
            partial(incast, f"{LGC} {interval} us", 40, stop_ms=200, sample_us=interval, cc=cc),
        )
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
            measure=_longer,
            holds=lambda values: list(values.values()) == sorted(values.values(), reverse=True),
            trend=lambda values: values["800 µs"] < values["200 µs"],
            tolerance="the deviation of l falls with every doubling; as a trend, from 200 to 800 "
            "µs",
            kind=Kind.TREND,
            show=lambda value: f"{value:.3f}",
            explanation="More ACKs make each estimate less a matter of chance, but a longer "
            "interval also delays the answer, and what the load really does swings more.",
        )
    ],
)
