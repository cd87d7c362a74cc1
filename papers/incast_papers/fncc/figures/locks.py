"""Beyond the paper: two elephants without any randomness lock their phases, and keep unequal
rates.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from incast.measure.run import Run
from incast.measure.statistics import Average
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Runs
from incast.papers.readings import labelled
from incast.papers.seeds import average, over
from incast.papers.variations import Variation
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import Dash
from incast.present.units import percent_text

from incast_papers.fncc.algorithms import FNCC, FNCC_PLUS, HPCC
from incast_papers.fncc.metrics import rates
from incast_papers.fncc.networks import Chance, long_elephants
from incast_papers.fncc.words import WORDS

_LABELS = (FNCC, FNCC_PLUS, HPCC)
_SEEDS = range(1, 6)
_EARLY, _LATE = (4e-3, 5e-3), (15e-3, 20e-3)
"""An early and a late period, in seconds."""
_MOMENTS = np.arange(1, 21) * 1e-3
_MOVES = 0.01
_EVEN = 0.95


def _random(label: str) -> str:
    return f"{label}, {Chance.PACKETS.value}"


def _runs() -> dict[str, RunPlan]:
    found: dict[str, RunPlan] = {}
    for label in _LABELS:
        found[label] = long_elephants(label, Chance.NONE)
        found[labelled(label, Chance.TIES.value)] = long_elephants(label, Chance.TIES)
        found |= over(_SEEDS, _random(label), _with_packets(label))
    return found


def _with_packets(label: str) -> Callable[[int], RunPlan]:
    return lambda seed: long_elephants(label, Chance.PACKETS, seed=seed)


def elephants_of(run: Run) -> list[str]:
    """Names of the two elephants, sent by hosts 0 and 1. Random packets are also flows."""
    ids, sources = run.flows.numbers("flow_id"), run.flows.numbers("source")
    return [f"flow {int(ids[sources == source][0])}" for source in (0, 1)]


def share(run: Run, begin: float, end: float) -> float:
    """The slower elephant's rate relative to the mean of both, between two times in seconds."""
    series = rates(run)
    means = []
    for flow in elephants_of(run):
        times, values = series[flow]
        means.append(float(values[(times > begin) & (times <= end)].mean()))
    return 2 * min(means) / sum(means)


def _kept(runs: Runs) -> Measured:
    values: dict[str, float] = {}
    for label in _LABELS:
        values[f"{label}, at 5 ms"] = share(runs[label], *_EARLY)
        values[f"{label}, at 20 ms"] = share(runs[label], *_LATE)
    return values


def _evened(runs: Runs) -> Measured:
    values: dict[str, Average | float] = {}
    for label in _LABELS:
        values[label] = average(runs, _random(label), lambda run: share(run, *_LATE))
        values[f"{label}, nothing random"] = share(runs[label], *_LATE)
    return values


def _until(moment: float) -> Callable[[Run], float]:
    return lambda run: share(run, moment - 1e-3, moment)


def _drawn(label: str) -> dict[str, Dash]:
    return {label: "dashed", _random(label): "solid"}


def _chart(runs: Runs) -> Chart:
    curves = []
    for place, label in enumerate(_LABELS):
        for name, dash in _drawn(label).items():
            means = [average(runs, name, _until(float(moment))).mean for moment in _MOMENTS]
            curves.append(Curve(name, _MOMENTS, np.array(means), place, dash=dash, group=label))
    return Chart(
        "share",
        "The slower elephant's share of what is fair",
        Axis("time", Quantity.TIME),
        Axis("share of the fair rate", Quantity.RATIO, lower=0.7, upper=1),
        curves,
        note="Of each millisecond; with random packets means of five seeds.",
    )


FIGURE = WORDS.figure(
    "locks",
    runs=lambda scale: _runs(),
    charts={"share": _chart},
    claims=[
        WORDS.claim(
            "P01",
            measure=_kept,
            holds=lambda values: all(
                abs(values[f"{label}, at 20 ms"] - values[f"{label}, at 5 ms"]) <= _MOVES
                for label in _LABELS
            ),
            show=percent_text,
            variations=[
                Variation(
                    "ties by a hash, the remedy for equal moments",
                    {label: labelled(label, Chance.TIES.value) for label in _LABELS},
                )
            ],
        ),
        WORDS.claim(
            "P02",
            measure=_evened,
            holds=lambda values: all(values[label] >= _EVEN for label in _LABELS),
            show=percent_text,
        ),
    ],
)
