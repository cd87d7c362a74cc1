"""Beyond the dissertation: a standing queue, and changes that drain it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from incast.measure.run import Run
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, of, ratio
from incast.present.charts import Axis, Chart, Curve, Quantity

from incast_papers.threecpo.algorithms import (
    PRINTED,
    REPAIRED,
    WINDOW_3,
    control,
    window,
)
from incast_papers.threecpo.metrics import LATENCY, bandwidth, cycles_text, mean
from incast_papers.threecpo.networks import plan, with_seeds
from incast_papers.threecpo.words import WORDS

_WHOLE, _PACED, _OPENED, _STEEPER = (
    "3CPO, decrease of the whole",
    "3CPO, paced",
    "3CPO, opening of 2",
    "3CPO, κ up to 4",
)
_SCHEMES: Mapping[str, Mapping[str, Any]] = {
    PRINTED: control(PRINTED),
    _WHOLE: control(PRINTED, decrease="whole"),
    _PACED: control(PRINTED, pacing=True),
    _OPENED: control(PRINTED, opening=2),
    _STEEPER: control(PRINTED, discount_max=4.0),
    REPAIRED: control(REPAIRED),
    WINDOW_3: window(3),
}
_COLOURS = {_WHOLE: 1, _PACED: 6, _OPENED: 3, _STEEPER: 4}
_BINS = 60


def _plan(scale: Scale) -> dict[str, RunPlan]:
    count = scale.pick(quick=128, full=512)
    work = {"kind": "writes", "count": count}
    measure = {"every": 1000, "endpoints": [0]}
    planned: dict[str, RunPlan] = {}
    for label, scheme in _SCHEMES.items():
        options = {"name": "writes", "operations": 64 * count, "measure": dict(measure)}
        planned |= with_seeds(scale, label, plan, 64, scheme, [work], **options)
    return planned


def _over_time(run: Run) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Mean latency of operations by completion time, in equal parts of the run."""
    ends = run.operations.numbers("completed_cycle").astype(float)
    cycles = run.operations.numbers("latency_cycles").astype(float)
    edges = np.linspace(0, float(ends.max()), _BINS + 1)
    counts, _ = np.histogram(ends, edges)
    sums, _ = np.histogram(ends, edges, weights=cycles)
    kept = counts > 0
    return ((edges[:-1] + edges[1:]) / 2)[kept], sums[kept] / counts[kept]


def _at_the_end(run: Run) -> float:
    """Mean latency in the last quarter of the run, long after all starts."""
    ends = run.operations.numbers("completed_cycle").astype(float)
    cycles = run.operations.numbers("latency_cycles").astype(float)
    return float(cycles[ends >= 0.75 * ends.max()].mean())


def _values(metric: Callable[[Run], float], runs: Runs) -> Measured:
    return {label: average(runs, label, metric) for label in _SCHEMES}


def _draw(runs: Runs) -> Chart:
    drawn = []
    for label in _SCHEMES:
        x, y = _over_time(of(runs, label)[0])
        drawn.append(Curve(label, x, y, _COLOURS.get(label, 0), group=label))
    times = Axis("cycle of completion", Quantity.COUNT, lower=0)
    return Chart("latency", "Mean latency over time", times, LATENCY, drawn, note="Seed 1.")


def _draw_watermarks(runs: Runs) -> Chart:
    drawn = []
    for colour, label in enumerate((PRINTED, _WHOLE, REPAIRED)):
        table = of(runs, label)[0].controls
        x = table.numbers("cycle").astype(float)
        drawn.append(Curve(label, x, table.numbers("request_watermark"), colour, group=label))
    times = Axis("cycle", Quantity.COUNT, lower=0)
    watermark = Axis("watermark of endpoint 0", Quantity.COUNT, lower=0)
    return Chart("watermark", "Request watermark", times, watermark, drawn, note="Seed 1.")


FIGURE = WORDS.figure(
    "repair",
    runs=_plan,
    charts={"latency": _draw, "watermark": _draw_watermarks},
    claims=[
        WORDS.claim(
            "T08",
            measure=lambda runs: _values(_at_the_end, runs),
            holds=lambda values: values[PRINTED] >= 5 * values[WINDOW_3],
            show=cycles_text,
        ),
        WORDS.claim(
            "T09",
            measure=lambda runs: {
                "latency at the end": ratio(runs, REPAIRED, WINDOW_3, _at_the_end),
                "bandwidth": ratio(runs, REPAIRED, WINDOW_3, bandwidth),
            },
            holds=lambda values: (
                values["latency at the end"] <= 1.5 and values["bandwidth"] >= 0.98
            ),
        ),
        WORDS.claim(
            "T10",
            measure=lambda runs: _values(mean, runs),
            holds=lambda values: all(
                values[each] < values[PRINTED] for each in (_WHOLE, _PACED, _OPENED, _STEEPER)
            ),
            show=cycles_text,
        ),
    ],
)
