"""Eight hosts to eight others: what ECMP and PFC make of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from incast.measure.run import Run, Runs
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, RunPlan, Scale
from incast.papers.framework.seeds import average, of
from incast.papers.hardware.algorithms import DCQCN, PFC_ONLY
from incast.papers.hardware.metrics import per_pair
from incast.papers.hardware.networks import ALONE, END, PAIRS, QPS, SETTLED, at, servers
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, rate_text

_LABELS = tuple((label, qps) for label in (PFC_ONLY, DCQCN) for qps in (1, QPS))


def _plan(scale: Scale) -> dict[str, RunPlan]:
    found: dict[str, RunPlan] = {}
    for label, qps in _LABELS:
        found |= servers(scale, label, qps, incast=False)
    return found


def _shares(run: Run, qps: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of what a pair has alone."""
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = per_pair(run, qps, SETTLED, END) / ALONE
    return found


def _whole_parts(run: Run) -> float:
    """The share of pairs that have all, a half or a third."""
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


FIGURE = Figure(
    id="pairs",
    title="Eight pairs across spines",
    where="Araujo et al., appendix, load balancing",
    setup="The testbed of the incast. Each of the eight hosts of two racks sends to one of the "
    "other two racks, so that all links to spines would be full.",
    scaled="3 seeds instead of 8",
    runs=_plan,
    charts={"pairs": _drawn},
    claims=[
        Claim(
            "H14",
            "with one QP pairs have line rate, a half or a third, under PFC alone and under DCQCN",
            claimed="line rate, or a half or a third of it",
            metric="pairs within 3 % of line rate, a half or a third",
            measure=lambda runs: {
                label: average(runs, at(label, 1), _whole_parts) for label in (PFC_ONLY, DCQCN)
            },
            holds=lambda values: min(values.values()) >= 0.9,
            trend=lambda values: min(values.values()) >= 0.75,
            tolerance="nine pairs of ten; as a trend, three of four",
            kind=Kind.TREND,
            show=percent_text,
            explanation="Paths of two meetings in a row leave other parts.",
        ),
        Claim(
            "H15",
            "eight QPs help little under PFC alone",
            claimed="helps only little",
            metric="goodput of a pair, mean",
            measure=_means,
            holds=lambda values: (
                0
                <= values[at(PFC_ONLY, QPS)] - values[at(PFC_ONLY, 1)]
                <= 0.5 * (ALONE - values[at(PFC_ONLY, 1)])
            ),
            trend=lambda values: values[at(PFC_ONLY, QPS)] < values[at(DCQCN, QPS)],
            tolerance="at most half of what is lost with one QP is won; as a trend, less than "
            "under DCQCN",
            kind=Kind.TREND,
            show=rate_text,
            explanation="The slowest QP of a host holds up its others, as the source says; what is "
            "won depends on the draw of paths.",
        ),
        Claim(
            "H16",
            "under DCQCN they do",
            claimed="DCQCN avoids it",
            metric="goodput of a pair, mean",
            measure=_means,
            holds=lambda values: values[at(DCQCN, QPS)] >= 0.95 * ALONE,
            trend=lambda values: values[at(DCQCN, QPS)] > values[at(DCQCN, 1)],
            tolerance="95 % of line rate; as a trend, more than with one QP",
            kind=Kind.TREND,
            show=rate_text,
            explanation="Links that more than a few QPs were drawn for hold theirs back.",
        ),
    ],
)
