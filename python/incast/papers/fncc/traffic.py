"""What Figures 14 and 15 show of five runs: slowdown by size of flow, averages with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array
from incast.papers.fncc.networks import seeded
from incast.papers.framework.panels import Panel
from incast.papers.framework.paper import Runs
from incast.present.charts import Axis, Chart, Curve, Quantity

__all__ = [
    "HADOOP_DECILES",
    "WEB_SEARCH_DECILES",
    "Average",
    "Change",
    "Statistic",
    "average",
    "by_size",
    "change",
    "mean",
    "panel",
    "percentile",
    "seeds_of",
    "slowdown",
]

WEB_SEARCH_DECILES = (6667, 20e3, 30e3, 50e3, 73_077, 200e3, 1e6, 2e6, 5e6, 30e6)
"""Bytes: a tenth of the flows is up to the first, a tenth from there to the second, and so on."""
HADOOP_DECILES = (325, 400, 500, 600, 700, 1000, 7000, 46e3, 120e3, 10e6)

Statistic = Callable[[Array], float]
"""One number of a sorted array of slowdowns; missing (nan) of none."""

_T_975 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
"""97.5 % quantiles of Student's t by degrees of freedom."""


@dataclass(frozen=True)
class Average:
    """The mean of a number over runs with different seeds, and its 95 % confidence interval."""

    mean: float
    half_width: float
    """Of Student's interval; missing if there is one run only."""

    @staticmethod
    def of(values: Sequence[float]) -> Average:
        """Of the numbers of some runs, at most ten."""
        count = len(values)
        if count < 2:
            return Average(float(np.mean(values)), float("nan"))
        spread = float(np.std(values, ddof=1)) / count**0.5
        return Average(float(np.mean(values)), _T_975[count - 1] * spread)


def mean(slowdowns: Array) -> float:
    """The mean."""
    return float(slowdowns.mean()) if len(slowdowns) else float("nan")


def percentile(percent: float) -> Statistic:
    """The value at ⌊n·p⌋ of n, as everywhere."""

    def of(slowdowns: Array) -> float:
        if not len(slowdowns):
            return float("nan")
        place = min(int(len(slowdowns) * percent / 100), len(slowdowns) - 1)
        return float(slowdowns[place])

    return of


def slowdown(
    run: Run, statistic: Statistic, *, above: float = 0, up_to: float = float("inf")
) -> float:
    """A statistic of the slowdowns of flows larger than `above` bytes and at most `up_to`."""
    sizes = run.flows.numbers("size_bytes")
    chosen = run.flows.numbers("slowdown")[(sizes > above) & (sizes <= up_to)]
    return statistic(np.sort(chosen))


def by_size(run: Run, statistic: Statistic, edges: Sequence[float]) -> Array:
    """The same for each class of sizes; a class reaches from one edge, or zero, up to the next."""
    lows = (0, *edges[:-1])
    return np.array(
        [
            slowdown(run, statistic, above=low, up_to=high)
            for low, high in zip(lows, edges, strict=True)
        ]
    )


def seeds_of(runs: Runs, label: str) -> list[Run]:
    """The runs of an algorithm, by seed."""
    found: list[Run] = []
    while seeded(label, len(found) + 1) in runs:
        found.append(runs[seeded(label, len(found) + 1)])
    return found


def average(runs: Runs, label: str, measure: Callable[[Run], float]) -> Average:
    """A number of an algorithm's runs, averaged over their seeds."""
    return Average.of([measure(run) for run in seeds_of(runs, label)])


@dataclass(frozen=True)
class Change:
    """How a statistic differs from a rival's, as a share of the rival's."""

    all: Average
    """Over all flows of the range."""
    best: float
    """In the class of sizes where it is lowest, on average."""


def change(
    runs: Runs,
    label: str,
    rival: str,
    statistic: Statistic,
    edges: Sequence[float],
    *,
    above: float = 0,
    up_to: float = float("inf"),
) -> Change:
    """How a statistic of flows larger than `above` and at most `up_to` differs from a rival's, seed
    by seed, since equal seeds have equal flows.
    """

    def changes(low: float, high: float) -> list[float]:
        pairs = zip(seeds_of(runs, label), seeds_of(runs, rival), strict=True)
        return [
            slowdown(ours, statistic, above=low, up_to=high)
            / slowdown(theirs, statistic, above=low, up_to=high)
            - 1
            for ours, theirs in pairs
        ]

    bounds = [above, *(edge for edge in edges if above < edge < up_to), min(up_to, edges[-1])]
    parts = [float(np.mean(changes(low, high))) for low, high in pairwise(bounds)]
    return Change(Average.of(changes(above, up_to)), min(parts))


def panel(title: str, statistic: Statistic, edges: Sequence[float], labels: Sequence[str]) -> Panel:
    """A statistic over flow size, averaged over seeds, with its interval."""

    def draw(runs: Runs) -> Chart:
        drawn = []
        for colour, label in enumerate(labels):
            each = np.array([by_size(run, statistic, edges) for run in seeds_of(runs, label)])
            averages = [Average.of(column) for column in each.T]
            means = np.array([one.mean for one in averages])
            widths = np.array([one.half_width for one in averages])
            # Of two runs an interval says nothing.
            spread = (means - widths, means + widths) if len(each) > 2 else None
            x = np.array(edges, dtype=float)
            drawn.append(Curve(label, x, means, colour, group=label, spread=spread))
        return Chart(
            title,
            title,
            Axis("flow size", Quantity.SIZE, log=True),
            Axis("FCT slowdown", Quantity.RATIO, lower=1),
            drawn,
            note="Ten classes of size, each of a tenth of the flows, at their upper ends; means "
            "over seeds, and in figures for papers their 95 % confidence intervals.",
        )

    return draw
