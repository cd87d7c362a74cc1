"""Figure 3.11: victims in a datacenter in which large flows attack."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, ratio
from incast.papers.variations import Variation
from incast.present.charts import Chart

from incast_papers.isolation.algorithms import DCQCN, HPCC, HPCC_VAI_SF, SWIFT
from incast_papers.isolation.metrics import VICTIM, of_run, over_size, victims_percentile
from incast_papers.isolation.networks import BDP, Attack, hadoop, of, seeds
from incast_papers.isolation.words import WORDS

_LOADS = {DCQCN: 0.55, HPCC: 0.5, SWIFT: 0.5, HPCC_VAI_SF: 0.5}
"""Loads of the hosts' links, which the dissertation does not give."""
_ATTACKS = (Attack.NONE, Attack.PARALLEL, Attack.STAGGERED)
_HALF = "half load"
_MILLISECONDS = 10.0


def _label(algorithm: str, attack: Attack) -> str:
    return f"{algorithm}, {attack.value}"


def _run(algorithm: str, attack: Attack, load: float, scale: Scale, seed: int) -> RunPlan:
    return hadoop(
        algorithm,
        attack,
        seed,
        milliseconds=scale.pick(quick=1.0, full=_MILLISECONDS),
        load=load,
        acks_among_data=algorithm == DCQCN,
    )


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for algorithm, load in _LOADS.items():
        full = 3 if algorithm == DCQCN else 1
        for attack in _ATTACKS:
            make = partial(_run, algorithm, attack, load, scale)
            planned |= seeds(scale, _label(algorithm, attack), make, full=full)
    for attack in _ATTACKS:
        make = partial(_run, DCQCN, attack, 0.5, scale)
        planned |= seeds(scale, f"{_HALF}, {attack.value}", make)
    return planned


_victims = partial(victims_percentile, share=99, up_to=BDP)
"""p99 slowdown of the victims' flows up to a BDP."""


def _p99(runs: Runs) -> Measured:
    return {attack.value: average(runs, _label(DCQCN, attack), _victims) for attack in _ATTACKS}


_AT_HALF_LOAD = [
    Variation(
        "50 % load",
        {_label(DCQCN, attack): f"{_HALF}, {attack.value}" for attack in _ATTACKS},
    )
]


def _ratios(runs: Runs) -> Measured:
    calm = _label(DCQCN, Attack.NONE)
    return {
        attack.value: ratio(runs, _label(DCQCN, attack), calm, _victims)
        for attack in (Attack.PARALLEL, Attack.STAGGERED)
    }


def _other_algorithms(runs: Runs) -> Measured:
    found = {}
    for algorithm in (HPCC, SWIFT, HPCC_VAI_SF):
        for attack in _ATTACKS:
            (run,) = of(runs, _label(algorithm, attack))
            slowdown = run.completed.numbers("slowdown")
            victims = of_run(run, slowdown, 99, (0, BDP), role=VICTIM, block=2e-3)
            found[f"{algorithm}, {attack.value}"] = victims
    return found


def _all_suffer(values: Values) -> bool:
    factors = [
        values[f"{algorithm}, {attack.value}"] / values[f"{algorithm}, {Attack.NONE.value}"]
        for algorithm in (HPCC, SWIFT, HPCC_VAI_SF)
        for attack in (Attack.PARALLEL, Attack.STAGGERED)
    ]
    return min(factors) >= 4


def _panel(algorithm: str, letter: str) -> Callable[[Runs], Chart]:
    return over_size(
        f"({letter}) Victims under {algorithm}, p99",
        {_label(algorithm, attack): attack.value for attack in _ATTACKS},
        99,
        role=VICTIM,
        up_to=1e6,
    )


def _number(number: str, attack: Attack, claimed: float) -> Claim:
    return WORDS.claim(
        number,
        measure=_p99,
        holds=lambda values: abs(values[attack.value] / claimed - 1) <= 0.25,
        trend=lambda values: claimed / 2 <= values[attack.value] <= 2 * claimed,
        variations=_AT_HALF_LOAD,
        distance=lambda values: abs(values[attack.value] / claimed - 1),
    )


FIGURE = WORDS.figure(
    "fig3_11",
    runs=_plan,
    charts={
        "a-dcqcn": _panel(DCQCN, "a"),
        "b-hpcc": _panel(HPCC, "b"),
        "c-swift": _panel(SWIFT, "c"),
        "d-hpcc-vai-sf": _panel(HPCC_VAI_SF, "d"),
    },
    claims=[
        _number("D09", Attack.NONE, 20),
        WORDS.claim(
            "D10",
            measure=_p99,
            holds=lambda values: 80 < values["parallel"] <= 120,
            trend=lambda values: 40 <= values["parallel"] <= 160,
            variations=_AT_HALF_LOAD,
        ),
        _number("D11", Attack.STAGGERED, 140),
        WORDS.claim(
            "D11-ratio",
            measure=_ratios,
            holds=lambda values: 5 <= values["staggered"] <= 9,
            trend=lambda values: values["staggered"] >= 4,
            variations=_AT_HALF_LOAD,
        ),
        WORDS.claim(
            "D12",
            measure=_other_algorithms,
            holds=_all_suffer,
        ),
    ],
)
