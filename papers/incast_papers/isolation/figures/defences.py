"""Beyond the dissertation: the cost of defences, and the attacks that they stop."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np
from incast.measure.run import Run
from incast.measure.statistics import Average, bounds
from incast.papers.claim import Claim, Measured, Values
from incast.papers.explanation import Text
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, difference
from incast.present.charts import Axis, Chart, Curve, Quantity

from incast_papers.isolation.algorithms import (
    COLOURS,
    DCQCN,
    HPCC,
    HPCC_VAI_SF,
    PERC,
    PERC_1RC,
    PERC_1RC_WEIGHTS,
    PERC_1RC_WEIGHTS_ACKS,
    SWIFT,
    Enforcement,
)
from incast_papers.isolation.metrics import victims_percentile
from incast_papers.isolation.networks import Attack, seeds, shared_cluster
from incast_papers.isolation.words import WORDS

_SEEDS = 5
_S_PERC = (PERC, PERC_1RC, PERC_1RC_WEIGHTS)
"""s-PERC gives every flow its own rate, so only enforcement per QP makes sense."""
_DEFENCES = [
    *(
        (algorithm, enforcement)
        for algorithm in (DCQCN, HPCC, HPCC_VAI_SF, SWIFT)
        for enforcement in Enforcement
    ),
    *((algorithm, Enforcement.QP) for algorithm in _S_PERC),
]
_WITH_ROOM = (PERC_1RC_WEIGHTS_ACKS, Enforcement.QP)
"""The other reading of 1RC with weights, which keeps room for ACKs. It is not drawn, and judged in
a row of its own.
"""
_PARTS = ": without an attack", ": under the worst"
_SHAPES: dict[Enforcement, Literal["solid", "dashed", "dotted"]] = {
    Enforcement.QP: "solid",
    Enforcement.DESTINATION: "dashed",
    Enforcement.PAIR: "dotted",
}


def _defence(algorithm: str, enforcement: Enforcement) -> str:
    if algorithm in (*_S_PERC, PERC_1RC_WEIGHTS_ACKS):
        return algorithm
    return f"{algorithm}, {enforcement.label}"


def _label(algorithm: str, enforcement: Enforcement, attack: Attack) -> str:
    return f"{_defence(algorithm, enforcement)}, {attack.value}"


def _run(
    algorithm: str, enforcement: Enforcement, attack: Attack, scale: Scale, seed: int
) -> RunPlan:
    milliseconds = scale.pick(quick=0.3, full=2.0)
    return shared_cluster(algorithm, enforcement, attack, seed, milliseconds=milliseconds)


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for algorithm, enforcement in (*_DEFENCES, _WITH_ROOM):
        for attack in Attack:
            make = partial(_run, algorithm, enforcement, attack, scale)
            planned |= seeds(scale, _label(algorithm, enforcement, attack), make, full=_SEEDS)
    return planned


def _tail(run: Run) -> float:
    return victims_percentile(run, 99.9)


def _cost(runs: Runs, algorithm: str, enforcement: Enforcement) -> Average:
    """The cost of a defence: p99.9 slowdown of honest flows without an attack."""
    return average(runs, _label(algorithm, enforcement, Attack.NONE), _tail)


def _harm(runs: Runs, algorithm: str, enforcement: Enforcement) -> Average:
    """The harm under a defence: p99.9 slowdown of honest flows under the worst attack."""
    attacks = [attack for attack in Attack if attack is not Attack.NONE]
    found = [average(runs, _label(algorithm, enforcement, attack), _tail) for attack in attacks]
    return max(found, key=lambda each: each.mean)


def _points(runs: Runs, *more: tuple[str, Enforcement]) -> dict[str, tuple[Average, Average]]:
    return {
        _defence(algorithm, enforcement): (
            _cost(runs, algorithm, enforcement),
            _harm(runs, algorithm, enforcement),
        )
        for algorithm, enforcement in (*_DEFENCES, *more)
    }


def pareto(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """The defences that no other one beats in both cost and harm, sorted by cost."""

    def beaten(own: tuple[float, float]) -> bool:
        return any(
            other != own and other[0] <= own[0] and other[1] <= own[1] for other in points.values()
        )

    return sorted((name for name, own in points.items() if not beaten(own)), key=points.__getitem__)


def _front_and(defence: str, runs: Runs) -> Measured:
    """Cost and harm of the defences on the Pareto front, and of this defence."""
    points = _points(runs, *((_WITH_ROOM,) if defence == PERC_1RC_WEIGHTS_ACKS else ()))
    means = {name: (cost.mean, harm.mean) for name, (cost, harm) in points.items()}
    return {
        f"{name}{part}": value
        for name in dict.fromkeys([*pareto(means), defence])
        for part, value in zip(_PARTS, points[name], strict=True)
    }


def _on_front(defence: str, values: Values) -> bool:
    """Whether no defence on the front is better in both cost and harm."""
    names = [key.removesuffix(_PARTS[0]) for key in values if key.endswith(_PARTS[0])]
    return defence in pareto(
        {name: (values[name + _PARTS[0]], values[name + _PARTS[1]]) for name in names}
    )


def _means(runs: Runs) -> dict[str, tuple[float, float]]:
    """Cost and harm of each defence."""
    return {name: (cost.mean, harm.mean) for name, (cost, harm) in _points(runs).items()}


def _better(runs: Runs) -> str:
    """Defences that are better than 1RC with weights in both cost and harm, in words."""
    means = _means(runs)
    own = means[PERC_1RC_WEIGHTS]
    better = [name for name, other in means.items() if other[0] < own[0] and other[1] < own[1]]
    return "; ".join(better)


def _attacked_without_weights(runs: Runs) -> str:
    return f"{average(runs, f'{PERC_1RC}, {Attack.PARALLEL.value}', _tail).mean:.1f}"


def _more(runs: Runs) -> Average:
    """The additional cost of room for ACKs, paired by seed."""
    room, printed = (
        f"{name}, {Attack.NONE.value}" for name in (PERC_1RC_WEIGHTS_ACKS, PERC_1RC_WEIGHTS)
    )
    return difference(runs, room, printed, _tail)


_VALUES: Mapping[str, Text] = {
    "better": _better,
    "cost": lambda runs: f"{_means(runs)[PERC_1RC_WEIGHTS][0]:.2f}",
    "cost_without_weights": lambda runs: f"{_means(runs)[PERC_1RC][0]:.2f}",
    "attacked_without_weights": _attacked_without_weights,
    "more": lambda runs: f"{_more(runs).mean:+.2f}",
    "half_width": lambda runs: f"{_more(runs).half_width:.2f}",
}
"""Numbers in remarks."""


def _claim(number: str, defence: str) -> Claim:
    return WORDS.claim(
        number,
        measure=partial(_front_and, defence),
        holds=partial(_on_front, defence),
        values=_VALUES,
    )


def _draw(runs: Runs) -> Chart:
    return Chart(
        "defences",
        "What a defence costs and what it stops",
        Axis("honest flows' p99.9 slowdown without an attack", Quantity.RATIO, log=True),
        Axis("under the worst attack", Quantity.RATIO, log=True),
        [_point(runs, *defence) for defence in _DEFENCES],
        note="Circles: enforcement per QP; squares: as a ConnectX-5; triangles: per pair. Means "
        f"over seeds ({_SEEDS} at full size), with the 95 % interval of the vertical axis; the "
        "worst attack is the one with the largest mean. Best is the lower left; a defence on the "
        "diagonal stops everything.",
    )


def _point(runs: Runs, algorithm: str, enforcement: Enforcement) -> Curve:
    """A point whose colour stands for the algorithm, and whose shape stands for the enforcement."""
    cost, harm = _cost(runs, algorithm, enforcement), _harm(runs, algorithm, enforcement)
    return Curve(
        _defence(algorithm, enforcement),
        np.array([cost.mean]),
        np.array([harm.mean]),
        COLOURS[algorithm],
        dash=_SHAPES[enforcement],
        mark="dots",
        group=algorithm,
        spread=bounds([harm]),
    )


FIGURE = WORDS.figure(
    "defences",
    runs=_plan,
    charts={"defences": _draw},
    claims=[
        _claim("I01", PERC_1RC_WEIGHTS),
        _claim("I01-acks", PERC_1RC_WEIGHTS_ACKS),
    ],
)
