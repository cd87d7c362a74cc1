"""Figures 5.9 to 5.11: Hadoop traffic whose large flows attack, under s-PERC."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from incast.measure.run import Run
from incast.measure.series import Array
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.readings import claims_under
from incast.papers.variations import Variation, varied
from incast.present.units import ratio_text, seconds_text
from incast.time_units import PICOSECOND

from incast_papers.isolation.algorithms import (
    ACK_ROOM,
    COLOURS,
    N_AT_START,
    NO_DEMAND,
    PERC,
    PERC_1RC_WEIGHTS,
    PERC_1RC_WEIGHTS_ACKS,
    Choice,
)
from incast_papers.isolation.metrics import Groups, of_run, over_size
from incast_papers.isolation.networks import BDP, Attack, hadoop, of, seeds
from incast_papers.isolation.words import WORDS

_ALGORITHMS = (PERC, PERC_1RC_WEIGHTS, PERC_1RC_WEIGHTS_ACKS)
_ATTACKS = (Attack.NONE, Attack.STAGGERED)
_MIDDLE = (10_000, 1_000_000)
"""Range of flow sizes in bytes that are slow under 1RC with weights, according to the
dissertation.
"""


def _label(algorithm: str, attack: Attack) -> str:
    return f"{algorithm}, {'attack' if attack is Attack.STAGGERED else 'no attack'}"


def _run(
    algorithm: str,
    attack: Attack,
    milliseconds: float,
    choice: Choice | None,
    load: float,
    seed: int,
) -> RunPlan:
    return hadoop(
        algorithm,
        attack,
        seed,
        milliseconds=milliseconds,
        load=load,
        choice=choice,
        piece=BDP,
        spacing="12.24us",
        larger_than=f"{BDP}B",
        acks_among_data=False,
        packet_latency=True,
    )


_LOAD = 0.5
_SHORT = 10.0
"""Milliseconds of arrivals in variations."""


@dataclass(frozen=True)
class _Setting:
    """An alternative and a load, of which at least one differs from the rows'."""

    choice: Choice | None = None
    load: float = _LOAD
    algorithm: str = PERC_1RC_WEIGHTS

    @property
    def name(self) -> str:
        """The setting in words, as the name of a variation."""
        parts = [self.choice.name] if self.choice else []
        parts += [f"{self.load:.0%} load".replace("%", " %")] if self.load != _LOAD else []
        return ", ".join([*parts, f"{_SHORT:g} ms"])

    def plan(self, scale: Scale, *attacks: Attack) -> dict[str, RunPlan]:
        """The runs of this setting, by label."""
        milliseconds = scale.pick(quick=0.2, full=_SHORT)
        planned: dict[str, RunPlan] = {}
        for attack in attacks:
            label = f"{_label(self.algorithm, attack)} [{self.name}]"
            make = partial(_run, self.algorithm, attack, milliseconds, self.choice, self.load)
            planned |= seeds(scale, label, make, full=1)
        return planned


_ALL_THREE = NO_DEMAND + ACK_ROOM + N_AT_START
_NEAREST = _Setting(_ALL_THREE)
"""The setting closest to the dissertation's numbers, which is a reading of its own."""
_DEFENDED_SETTINGS = (
    _Setting(),
    _Setting(NO_DEMAND),
    _Setting(ACK_ROOM),
    _Setting(ACK_ROOM + NO_DEMAND),
    _NEAREST,
    _Setting(ACK_ROOM, 0.3),
    _Setting(_ALL_THREE, 0.25),
)
_PLAIN_SETTINGS = (_Setting(algorithm=PERC), _Setting(load=0.25, algorithm=PERC))


def _plan(scale: Scale) -> dict[str, RunPlan]:
    milliseconds = scale.pick(quick=1.0, full=50.0)
    planned: dict[str, RunPlan] = {}
    for algorithm in _ALGORITHMS:
        for attack in _ATTACKS:
            make = partial(_run, algorithm, attack, milliseconds, None, _LOAD)
            planned |= seeds(scale, _label(algorithm, attack), make, full=1)
    for setting in _DEFENDED_SETTINGS:
        planned |= setting.plan(scale, *_ATTACKS)
    for setting in _PLAIN_SETTINGS:
        planned |= setting.plan(scale, Attack.STAGGERED)
    return planned


def _latency(run: Run) -> Average:
    """p99.9, over flows, of the latency of each flow's slowest packet, in seconds."""
    return of_run(run, run.completed.numbers("longest_packet_latency_ps") * PICOSECOND, 99.9)


def _latencies(runs: Runs, *labels: str) -> Measured:
    return {label: _latency(*of(runs, label)) for label in labels}


def _weighted(run: Run) -> Array:
    """Slowdown of each flow times its mean weight."""
    return np.asarray(run.completed.numbers("slowdown") * run.completed.numbers("mean_weight"))


def _tails(runs: Runs, label: str, *, weighted: bool = False) -> Measured:
    """p99.9 slowdown of flows from 10 KB to 1 MB: of the worst group by size, and of all of
    them.
    """
    (run,) = of(runs, label)
    values = _weighted(run) if weighted else run.completed.numbers("slowdown")
    return {
        "highest group": Groups.of(run, values, 99.9, _MIDDLE).highest(),
        "all": of_run(run, values, 99.9, _MIDDLE),
    }


def _p999(runs: Runs, *labels: str, sizes: tuple[float, float]) -> Measured:
    found = {}
    for label in labels:
        (run,) = of(runs, label)
        found[label] = of_run(run, run.completed.numbers("slowdown"), 99.9, sizes)
    return found


_PLAIN, _PLAIN_ATTACKED = (_label(PERC, attack) for attack in _ATTACKS)
_DEFENDED, _DEFENDED_ATTACKED = (_label(PERC_1RC_WEIGHTS, attack) for attack in _ATTACKS)
_ROOM, _ROOM_ATTACKED = (_label(PERC_1RC_WEIGHTS_ACKS, attack) for attack in _ATTACKS)
_NAMES = {label: label for label in (_PLAIN, _PLAIN_ATTACKED, _DEFENDED, _DEFENDED_ATTACKED)}
_COLOURS = {
    _PLAIN: COLOURS[PERC],
    _PLAIN_ATTACKED: 2,
    _DEFENDED: 4,
    _DEFENDED_ATTACKED: COLOURS[PERC_1RC_WEIGHTS],
    _ROOM: COLOURS[PERC_1RC_WEIGHTS_ACKS],
    _ROOM_ATTACKED: 3,
}


def _off(claimed: float, label: str, beside: str = "") -> Callable[[Values], float]:
    """The distance of a value, or of its difference from another one, from the claimed value."""
    return lambda values: abs(values[label] - (values[beside] if beside else 0.0) - claimed)


def _defended(suffix: str, calm: str, attacked: str) -> list[Claim]:
    """Claims on 1RC with weights, given the labels of runs without and with an attack."""
    return [
        WORDS.claim(
            f"E16{suffix}",
            measure=lambda runs: _latencies(runs, attacked),
            holds=lambda values: 22e-6 <= values[attacked] <= 38e-6,
            trend=lambda values: values[attacked] <= 60e-6,
            distance=_off(30e-6, attacked),
            show=seconds_text,
        ),
        WORDS.claim(
            f"E17{suffix}",
            measure=lambda runs: _latencies(runs, calm, attacked),
            holds=lambda values: 5e-6 <= values[attacked] - values[calm] <= 15e-6,
            trend=lambda values: 0 < values[attacked] - values[calm] <= 30e-6,
            distance=_off(10e-6, attacked, calm),
            show=seconds_text,
        ),
        *_slow_flows(suffix, attacked),
    ]


def _slow_flows(suffix: str, attacked: str) -> list[Claim]:
    """Claims on flows from 10 KB to 1 MB under attack."""
    return [
        WORDS.claim(
            f"E18{suffix}",
            measure=lambda runs: _tails(runs, attacked),
            holds=lambda values: 75 <= values["highest group"] <= 125,
            trend=lambda values: 40 <= values["highest group"] <= 250,
            distance=_off(100, "highest group"),
            show=ratio_text,
        ),
        WORDS.claim(
            f"E19{suffix}",
            measure=lambda runs: _tails(runs, attacked, weighted=True),
            holds=lambda values: values["highest group"] < 4,
            trend=lambda values: values["highest group"] < 8,
            distance=lambda values: max(0.0, values["highest group"] - 4),
            show=ratio_text,
        ),
    ]


def _tried(settings: Sequence[_Setting], *labels: str) -> list[Variation]:
    return [varied(setting.name, labels) for setting in settings]


_ROWS = _defended("", _DEFENDED, _DEFENDED_ATTACKED)


FIGURE = WORDS.figure(
    "fig5_9",
    runs=_plan,
    charts={
        "a-p999": over_size(
            "(a) p99.9 of the FCT slowdown (Fig. 5.9)", _NAMES, 99.9, colours=_COLOURS
        ),
        "b-weighted": over_size(
            "(b) p99.9 of slowdown x weight (Fig. 5.11), with 1RC and weights",
            {
                _DEFENDED: "no attack",
                _DEFENDED_ATTACKED: "attack",
                _ROOM: "room for ACKs, no attack",
                _ROOM_ATTACKED: "room for ACKs, attack",
            },
            99.9,
            value=_weighted,
            colours=_COLOURS,
        ),
    },
    claims=[
        WORDS.claim(
            "E13",
            measure=lambda runs: _p999(runs, _PLAIN, _DEFENDED, sizes=(1e6 + 1, math.inf)),
            holds=lambda values: 1 <= values[_DEFENDED] / values[_PLAIN] <= 1.5,
            trend=lambda values: values[_DEFENDED] >= values[_PLAIN],
        ),
        WORDS.claim(
            "E14",
            measure=lambda runs: _p999(runs, _PLAIN, _PLAIN_ATTACKED, sizes=(0, 10_000)),
            holds=lambda values: values[_PLAIN_ATTACKED] >= 5 * values[_PLAIN],
        ),
        WORDS.claim(
            "E15",
            measure=lambda runs: _latencies(runs, _PLAIN_ATTACKED),
            holds=lambda values: values[_PLAIN_ATTACKED] >= 1.6e-3,
            trend=lambda values: values[_PLAIN_ATTACKED] >= 0.8e-3,
            show=seconds_text,
            variations=_tried(_PLAIN_SETTINGS, _PLAIN_ATTACKED),
        ),
        *(
            replace(claim, variations=_tried(_DEFENDED_SETTINGS, _DEFENDED, _DEFENDED_ATTACKED))
            for claim in _ROWS
        ),
        *claims_under(_NEAREST.name, "demand", _ROWS),
        *_defended("-acks", _ROOM, _ROOM_ATTACKED),
    ],
)
