"""Figure 3.12: the cost of enforcement per pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from incast.measure.run import Run
from incast.measure.statistics import Average
from incast.papers.claim import Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, first, ratio
from incast.papers.variations import Variation

from incast_papers.isolation.algorithms import DCQCN, HPCC, Enforcement
from incast_papers.isolation.metrics import Groups, over_size
from incast_papers.isolation.networks import Attack, hadoop, seeds
from incast_papers.isolation.words import WORDS

_SIZES = (20_000, 110_000)
"""Range of flow sizes in bytes that the dissertation discusses."""
_KINDS = (Enforcement.QP, Enforcement.PAIR)
_ALGORITHMS = (HPCC, DCQCN)


def _label(algorithm: str, enforcement: Enforcement) -> str:
    return f"{algorithm}, {enforcement.label}"


_SHORT = 10.0
"""Milliseconds of arrivals in variations."""
_AS_HERE, _AMONG, _FORGOTTEN = (
    f"{name}{_SHORT:g} ms"
    for name in ("", "ACKs among the data, ", "states that are idle for 100 µs begin anew, ")
)
_KEPT, _ANEW, _LATER = "kept", "anew", "states that are idle for 1 ms begin anew"
_IDLE: Mapping[str, dict[str, Any]] = {
    _KEPT: {},
    _ANEW: {"idle": {"reset_after": "100us"}},
    _LATER: {"idle": {"reset_after": "1ms"}},
}
"""Treatments of congestion states without flows, in runs that are paired by seed."""
_PAIRED, _FEW, _PAIRED_MS = 5, 2, 5.0
"""The number of seeds of these runs, the number of seeds of a variation, and milliseconds of
arrivals.
"""


def _run(
    algorithm: str,
    enforcement: Enforcement,
    seed: int,
    *,
    milliseconds: float,
    acks_among_data: bool = False,
    idle: Mapping[str, str] | None = None,
) -> RunPlan:
    return hadoop(
        algorithm,
        Attack.NONE,
        seed,
        milliseconds=milliseconds,
        enforcement=enforcement,
        acks_among_data=acks_among_data,
        idle=idle,
    )


def _varied(scale: Scale) -> dict[str, RunPlan]:
    """Runs of HPCC with alternatives. What is kept of idle states only matters per pair."""
    milliseconds = scale.pick(quick=0.5, full=_SHORT)
    pair_alone = [Enforcement.PAIR]
    wanted: dict[str, tuple[Sequence[Enforcement], dict[str, Any]]] = {
        _AS_HERE: (_KINDS, {}),
        _AMONG: (_KINDS, {"acks_among_data": True}),
        _FORGOTTEN: (pair_alone, {"idle": {"reset_after": "100us"}}),
    }
    planned: dict[str, RunPlan] = {}
    for name, (kinds, options) in wanted.items():
        for kind in kinds:
            make = partial(_run, HPCC, kind, milliseconds=milliseconds, **options)
            planned |= seeds(scale, f"{_label(HPCC, kind)} [{name}]", make, full=1)
    return planned


def _paired(scale: Scale) -> dict[str, RunPlan]:
    """Runs of HPCC per pair with each treatment of idle states."""
    milliseconds = scale.pick(quick=0.5, full=_PAIRED_MS)
    planned: dict[str, RunPlan] = {}
    for name, options in _IDLE.items():
        make = partial(_run, HPCC, Enforcement.PAIR, milliseconds=milliseconds, **options)
        planned |= seeds(scale, name, make, full=_FEW if name == _LATER else _PAIRED)
    return planned


def _variation(name: str) -> Variation:
    """A variation. Per QP, where idle states have no effect, it takes the runs of the same
    duration.
    """
    per_qp = _AS_HERE if name == _FORGOTTEN else name
    names = dict(zip(_KINDS, (per_qp, name), strict=True))
    return Variation(
        name, {_label(HPCC, kind): f"{_label(HPCC, kind)} [{names[kind]}]" for kind in _KINDS}
    )


_PER_QP = [_variation(name) for name in (_AS_HERE, _AMONG)]
_PER_PAIR = [*_PER_QP, _variation(_FORGOTTEN)]


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for algorithm in _ALGORITHMS:
        for enforcement in _KINDS:
            milliseconds = scale.pick(quick=1.0, full=50.0)
            make = partial(_run, algorithm, enforcement, milliseconds=milliseconds)
            planned |= seeds(scale, _label(algorithm, enforcement), make, full=1)
    return planned | _varied(scale) | _paired(scale)


def _groups(runs: Runs, label: str, share: float) -> Groups:
    run = first(runs, label)
    return Groups.of(run, run.completed.numbers("slowdown"), share, _SIZES)


def _range(runs: Runs, label: str, share: float) -> Measured:
    """The lowest and the highest value over the groups of flows in this range of sizes."""
    found = _groups(runs, label, share)
    return {"lowest": found.lowest(), "highest": found.highest()}


def _by_idle_state(runs: Runs) -> Measured:
    """The highest value over groups if idle states are kept, and if they are reset after an idle
    time.
    """
    found = ratio(runs, _ANEW, _KEPT, _highest)
    return {
        _KEPT: average(runs, _KEPT, _highest),
        _ANEW: average(runs, _ANEW, _highest),
        _RATIO: found,
        _UPPER: found.mean + found.half_width,
    }


def _highest(run: Run) -> float:
    return Groups.of(run, run.completed.numbers("slowdown"), 99.9, _SIZES).highest().mean


_RATIO = f"{_ANEW} over {_KEPT}"
_UPPER = f"{_RATIO}, upper end"


def _penalty(runs: Runs, algorithm: str, share: float) -> Average:
    per_qp, per_pair = (_groups(runs, _label(algorithm, kind), share) for kind in _KINDS)
    return per_pair.highest_over(per_qp)


def _between(values: Values, low: float, high: float, slack: float) -> bool:
    return abs(values["lowest"] / low - 1) <= slack and abs(values["highest"] / high - 1) <= slack


def _off(low: float, high: float) -> Callable[[Values], float]:
    """The distance from a claimed range: the larger relative error of its two ends."""
    return lambda values: max(abs(values["lowest"] / low - 1), abs(values["highest"] / high - 1))


FIGURE = WORDS.figure(
    "fig3_12",
    runs=_plan,
    charts={
        "a-p999": over_size(
            "(a) p99.9 of the FCT slowdown",
            {_label(HPCC, kind): _label(HPCC, kind) for kind in _KINDS},
            99.9,
        ),
        "b-p99": over_size(
            "(b) p99 of the FCT slowdown",
            {_label(HPCC, kind): _label(HPCC, kind) for kind in _KINDS},
            99,
        ),
        "c-dcqcn": over_size(
            "(c) DCQCN, p99.9 of the FCT slowdown",
            {_label(DCQCN, kind): _label(DCQCN, kind) for kind in _KINDS},
            99.9,
        ),
    },
    claims=[
        WORDS.claim(
            "D13",
            measure=lambda runs: _range(runs, _label(HPCC, Enforcement.QP), 99.9),
            holds=lambda values: _between(values, 5, 10, 0.25),
            trend=lambda values: values["lowest"] >= 2.5 and values["highest"] <= 15,
            variations=_PER_QP,
            distance=_off(5, 10),
        ),
        WORDS.claim(
            "D14",
            measure=lambda runs: _range(runs, _label(HPCC, Enforcement.PAIR), 99.9),
            holds=lambda values: _between(values, 6, 34, 0.25),
            trend=lambda values: values["highest"] >= 15,
            variations=_PER_PAIR,
            distance=_off(6, 34),
        ),
        WORDS.claim(
            "D15",
            measure=lambda runs: {
                "p99": _penalty(runs, HPCC, 99),
                "p99.9": _penalty(runs, HPCC, 99.9),
            },
            holds=lambda values: 1 < values["p99"] < values["p99.9"],
            variations=_PER_PAIR,
        ),
        WORDS.claim(
            "D16",
            measure=lambda runs: {
                algorithm: _penalty(runs, algorithm, 99.9) for algorithm in _ALGORITHMS
            },
            holds=lambda values: values[DCQCN] < values[HPCC],
        ),
        WORDS.claim(
            "D21",
            measure=_by_idle_state,
            holds=lambda values: values[_RATIO] <= 0.9,
            trend=lambda values: values[_UPPER] < 1,
            variations=[Variation(_LATER, {_ANEW: _LATER}, seeds=_FEW)],
            distance=lambda values: values[_RATIO],
        ),
    ],
)
