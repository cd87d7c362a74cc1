"""Section IV-E: bottlenecks of one to six times the capacity of a source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from incast.fluid.lgc import poisson_equilibrium
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import Dash

from incast_papers.lgc.algorithms import EXPONENTIAL_01, REGULAR_01
from incast_papers.lgc.metrics import rates
from incast_papers.lgc.networks import bottleneck, of, seeded
from incast_papers.lgc.words import WORDS

_SOURCES = 10
RATIOS = (1, 2, 3, 4, 5, 6)
BACKGROUND = 0.4
_KINDS = ((REGULAR_01, 0.0), (REGULAR_01, BACKGROUND), (EXPONENTIAL_01, 0.0))


def named(ratio: int, label: str, background: float = 0.0) -> str:
    """The label of runs over a link of `ratio` times a source's rate."""
    return f"k = {ratio}, {label}{', background' if background else ''}"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    stop_ms = scale.pick(quick=60, full=200)
    planned: dict[str, RunPlan] = {}
    for ratio in RATIOS:
        for label, background in _KINDS:
            planned |= seeded(
                scale,
                named(ratio, label, background),
                partial(bottleneck, label, ratio, background=background, stop_ms=stop_ms),
            )
    return planned


def _by_node(runs: Runs, name: str) -> np.ndarray:
    """The rate of each node, as the mean over seeds."""
    mean: np.ndarray = np.mean([rates(run) for run in of(runs, name)], axis=0)
    return mean


def _nodes(ratio: int) -> Callable[[Runs], Measured]:
    def measure(runs: Runs) -> Measured:
        name = named(ratio, REGULAR_01, BACKGROUND)
        own = _by_node(runs, name)
        return {
            "lowest node": float(own.min()),
            "highest node": float(own.max()),
            "mean": Average.of([float(rates(run).mean()) for run in of(runs, name)]),
        }

    return measure


def _within(expected: float, slack: float) -> Callable[[Values], bool]:
    return lambda values: all(
        abs(value - expected) <= slack * expected for value in values.values()
    )


def _claim(number: str, ratio: int) -> Claim:
    share = ratio / _SOURCES
    return WORDS.claim(
        number,
        measure=_nodes(ratio),
        holds=_within(share, 0.05),
        trend=_within(share, 0.2),
        show=lambda value: f"{value:.3f}",
    )


def _ends(background: float, left: float) -> Callable[[Runs], Measured]:
    """For each k, the lowest and the highest node's rate, relative to the k/S that the background
    leaves.
    """

    def measure(runs: Runs) -> Measured:
        found: dict[str, float] = {}
        for ratio in RATIOS:
            nodes = _by_node(runs, named(ratio, REGULAR_01, background))
            own = nodes / (left * ratio / _SOURCES)
            found |= {
                f"k = {ratio}, lowest": float(own.min()),
                f"k = {ratio}, highest": float(own.max()),
            }
        return found

    return measure


def _equation(background: float) -> str:
    left = 1 - background
    *first, last = (
        f"{poisson_equilibrium(_SOURCES, ratio, background).share * _SOURCES / ratio / left:.2f}"
        for ratio in RATIOS
    )
    return f"{', '.join(first)} and {last}"


_SHAPES: Sequence[Dash] = ("solid", "dashed", "dotted")


def _chart(runs: Runs) -> Chart:
    ratios = np.array(RATIOS, dtype=float)
    drawn = [
        Curve("k/S", ratios, ratios / _SOURCES, 1, dash="dashed"),
        Curve("0.6 k/S", ratios, (1 - BACKGROUND) * ratios / _SOURCES, 3, dash="dashdot"),
    ]
    poisson = [poisson_equilibrium(_SOURCES, ratio).share for ratio in RATIOS]
    drawn.append(Curve("equation of Poisson arrivals", ratios, np.array(poisson), 6, dash="dotted"))
    names = {
        (REGULAR_01, 0.0): "runs without exp. delays",
        (EXPONENTIAL_01, 0.0): "runs with exp. delays",
        (REGULAR_01, BACKGROUND): "runs beside 40 % of background",
    }
    for place, ((label, background), text) in enumerate(names.items()):
        nodes = [_by_node(runs, named(ratio, label, background)) for ratio in RATIOS]
        ends = (np.array([own.min() for own in nodes]), np.array([own.max() for own in nodes]))
        means = np.array([own.mean() for own in nodes])
        # Side by side, as points coincide at small k.
        x = ratios + 0.12 * (place - 1)
        drawn.append(
            Curve(text, x, means, (0, 2, 4)[place], dash=_SHAPES[place], mark="dots", spread=ends)
        )
    return Chart(
        "shares",
        "Share of each of ten sources",
        Axis("k", Quantity.COUNT),
        Axis("rate / K", Quantity.RATIO, lower=0),
        drawn,
        note="Marks are runs, mean of ten nodes and all seeds, bars from the lowest node to the "
        "highest, side by side for each k; lines are theory.",
    )


FIGURE = WORDS.figure(
    "sec4e",
    runs=_plan,
    charts={"shares": _chart},
    claims=[
        *(_claim(f"L07-k{ratio}", ratio) for ratio in RATIOS),
        WORDS.claim(
            "L07-alone",
            measure=_ends(0.0, 1.0),
            holds=_within(1, 0.05),
            trend=_within(1, 0.2),
            values={"shares": lambda _: _equation(0.0)},
        ),
        WORDS.claim(
            "L07-residual",
            measure=_ends(BACKGROUND, 1 - BACKGROUND),
            holds=_within(1, 0.05),
            trend=_within(1, 0.2),
            values={"shares": lambda _: _equation(BACKGROUND)},
        ),
    ],
)
