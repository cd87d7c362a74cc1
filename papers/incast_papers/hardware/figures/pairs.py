"""Eight hosts to eight others: the effects of ECMP and PFC."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from incast.measure.run import Run, Runs
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Scale
from incast.papers.seeds import average, of
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, rate_text

from incast_papers.hardware.algorithms import DCQCN, PFC_ONLY
from incast_papers.hardware.metrics import per_pair
from incast_papers.hardware.networks import ALONE, END, PAIRS, QPS, SETTLED, at, servers
from incast_papers.hardware.words import WORDS

_LABELS = tuple((label, qps) for label in (PFC_ONLY, DCQCN) for qps in (1, QPS))


def _plan(scale: Scale) -> dict[str, RunPlan]:
    found: dict[str, RunPlan] = {}
    for label, qps in _LABELS:
        found |= servers(scale, label, qps, incast=False)
    return found


def _shares(run: Run, qps: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The goodput of each pair, relative to a pair that is alone."""
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = per_pair(run, qps, SETTLED, END) / ALONE
    return found


def _whole_parts(run: Run) -> float:
    """The fraction of pairs whose relative goodput is 1, 1/2 or 1/3."""
    parts = np.array([1, 1 / 2, 1 / 3])
    apart = np.abs(_shares(run, 1)[:, None] - parts).min(axis=1)
    return float((apart <= 0.03).mean())


def _mean(qps: int) -> Callable[[Run], float]:
    return lambda run: float(per_pair(run, qps, SETTLED, END).mean())


def _means(runs: Runs) -> Measured:
    return {at(*each): average(runs, at(*each), _mean(each[1])) for each in _LABELS}


def _drawn(runs: Runs) -> Chart:
    names = tuple(at(*each) for each in _LABELS)
    curves = []
    for place, (label, qps) in enumerate(_LABELS):
        values = np.concatenate(
            [np.sort(per_pair(run, qps, SETTLED, END)) for run in of(runs, names[place])]
        )
        x = place + 0.6 * (np.tile(np.arange(PAIRS), len(values) // PAIRS) / PAIRS - 0.5)
        curves.append(Curve(names[place], x, values, int(label == DCQCN) * 3, mark="dots"))
    return Chart(
        "pairs",
        "Goodput of eight pairs, in order, over draws of paths",
        Axis("NICs", Quantity.COUNT, names=names),
        Axis("goodput", Quantity.RATE, lower=0, upper=400e9),
        curves,
    )


FIGURE = WORDS.figure(
    "pairs",
    runs=_plan,
    charts={"pairs": _drawn},
    claims=[
        WORDS.claim(
            "H14",
            measure=lambda runs: {
                label: average(runs, at(label, 1), _whole_parts) for label in (PFC_ONLY, DCQCN)
            },
            holds=lambda values: min(values.values()) >= 0.9,
            trend=lambda values: min(values.values()) >= 0.75,
            show=percent_text,
        ),
        WORDS.claim(
            "H15",
            measure=_means,
            holds=lambda values: (
                0
                <= values[at(PFC_ONLY, QPS)] - values[at(PFC_ONLY, 1)]
                <= 0.5 * (ALONE - values[at(PFC_ONLY, 1)])
            ),
            trend=lambda values: values[at(PFC_ONLY, QPS)] < values[at(DCQCN, QPS)],
            show=rate_text,
        ),
        WORDS.claim(
            "H16",
            measure=_means,
            holds=lambda values: values[at(DCQCN, QPS)] >= 0.95 * ALONE,
            trend=lambda values: values[at(DCQCN, QPS)] > values[at(DCQCN, 1)],
            show=rate_text,
        ),
    ],
)
