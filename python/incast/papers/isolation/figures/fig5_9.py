"""Figures 5.9 to 5.11: Hadoop traffic whose large flows attack, under s-PERC."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array
from incast.measure.statistics import Average
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.isolation.algorithms import (
    COLOURS,
    PERC,
    PERC_1RC_WEIGHTS,
    PERC_1RC_WEIGHTS_ACKS,
)
from incast.papers.isolation.metrics import Groups, of_run, over_size
from incast.papers.isolation.networks import BDP, Attack, hadoop, of, seeds
from incast.present.units import ratio_text, seconds_text
from incast.time_units import PICOSECOND

_ALGORITHMS = (PERC, PERC_1RC_WEIGHTS, PERC_1RC_WEIGHTS_ACKS)
_ATTACKS = (Attack.NONE, Attack.STAGGERED)
_MIDDLE = (10_000, 1_000_000)
"""Bytes: the flows that the paper finds slow with 1RC and weights."""


def _label(algorithm: str, attack: Attack) -> str:
    return f"{algorithm}, {'attack' if attack is Attack.STAGGERED else 'no attack'}"


def _run(algorithm: str, attack: Attack, scale: Scale, seed: int) -> RunPlan:
    return hadoop(
        algorithm,
        attack,
        seed,
        milliseconds=scale.pick(quick=1.0, full=50.0),
        piece=BDP,
        spacing="12.24us",
        larger_than=f"{BDP}B",
        acks_among_data=False,
        packet_latency=True,
    )


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for algorithm in _ALGORITHMS:
        for attack in _ATTACKS:
            make = partial(_run, algorithm, attack, scale)
            planned |= seeds(scale, _label(algorithm, attack), make, full=1)
    return planned


def _latency(run: Run) -> Average:
    """Seconds: over flows, p99.9 of the latency of the slowest packet."""
    return of_run(run, run.completed.numbers("longest_packet_latency_ps") * PICOSECOND, 99.9)


def _latencies(runs: Runs, *labels: str) -> Measured:
    return {label: _latency(*of(runs, label)) for label in labels}


def _weighted(run: Run) -> Array:
    """Slowdown times the flow's mean weight over its life."""
    return np.asarray(run.completed.numbers("slowdown") * run.completed.numbers("mean_weight"))


def _tails(runs: Runs, label: str, *, weighted: bool = False) -> Measured:
    """p99.9 of the slowdown of flows of 10 KB to 1 MB: the highest of the groups by size, and of
    all of them together.
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

_NO_ROOM = (
    "ACKs of 60 B for packets of 1048 B take up to 5.7 % of a link against the data, and the "
    "printed shares, 2 % for control packets and 2 % idle, leave them no room: a queue stands as "
    "long as scheduled flows are allotted the whole of a link in both directions. See the rows "
    "with room for ACKs."
)
_WITH_ROOM = "Reading: 8 % of each link stay idle, 2 % as printed and 5.7 % for ACKs."
_ALLOTTED = (
    "Without an attack it is what the text has, 30 µs less 10. Under attack the pieces of one host "
    "share its weight, so they last; how many are alive at once depends on the load, which the "
    "text does not restate for this experiment. Here it is 50 %."
)


def _defended(
    suffix: str,
    calm: str,
    attacked: str,
    *,
    note: str = "",
    of_latency: str = "",
    of_attack: str = "",
) -> list[Claim]:
    """What is claimed of 1RC and weights, by runs without and with an attack; with a note on the
    reading, and explanations of the latency and of what the attack adds to it.
    """
    make = partial(Claim, full_only=True, kind=Kind.NUMBER)
    return [
        make(
            f"E16{suffix}",
            "with 1RC and weights, by about 30 µs",
            where="Dissertation, Fig. 5.10",
            claimed="~30 µs",
            metric="p99.9 over flows of the slowest packet's latency",
            measure=lambda runs: _latencies(runs, attacked),
            holds=lambda values: 22e-6 <= values[attacked] <= 38e-6,
            trend=lambda values: values[attacked] <= 60e-6,
            tolerance="a quarter; as a trend, up to twice as much",
            show=seconds_text,
            note=note,
            explanation=of_latency,
        ),
        make(
            f"E17{suffix}",
            "of which the attack adds about 10 µs",
            where="Dissertation, Fig. 5.10",
            claimed="~10 µs",
            metric="p99.9 over flows of the slowest packet's latency",
            measure=lambda runs: _latencies(runs, calm, attacked),
            holds=lambda values: 5e-6 <= values[attacked] - values[calm] <= 15e-6,
            trend=lambda values: 0 < values[attacked] - values[calm] <= 30e-6,
            tolerance="half of it; as a trend, up to 30 µs",
            show=seconds_text,
            explanation=of_attack,
        ),
        make(
            f"E18{suffix}",
            "with 1RC and weights, under attack, p99.9 of the slowdown of 10 KB to 1 MB is about "
            "100",
            claimed="~100",
            metric="p99.9 of FCT slowdown of flows of 10 KB to 1 MB",
            measure=lambda runs: _tails(runs, attacked),
            holds=lambda values: 75 <= values["highest group"] <= 125,
            trend=lambda values: 40 <= values["highest group"] <= 250,
            tolerance="a quarter; as a trend, 40 to 250. The highest group of sizes; the figure of "
            "all of them together stands beside it",
            show=ratio_text,
        ),
        make(
            f"E19{suffix}",
            "times the flow's mean weight it is less than 4",
            where="Dissertation, Fig. 5.11",
            claimed="< 4",
            metric="p99.9 of FCT slowdown times the flow's mean weight, 10 KB to 1 MB",
            measure=lambda runs: _tails(runs, attacked, weighted=True),
            holds=lambda values: values["highest group"] < 4,
            trend=lambda values: values["highest group"] < 8,
            tolerance="none; as a trend, 8. The highest group of sizes; the figure of all of them "
            "together stands beside it. The mean of 1/n over the time of the flow's life",
            show=ratio_text,
        ),
    ]


FIGURE = Figure(
    id="fig5_9",
    title="Attacks in a datacentre under s-PERC",
    where="Dissertation, Figs. 5.9 to 5.11, §5.5.2",
    setup="320 hosts, Hadoop traffic at 50 % load for 50 ms. Flows above a BDP (153 KB) attack: "
    "they go in pieces of a BDP, one every 12.24 µs. With room for ACKs, 8 % of each link stay "
    "idle instead of 2 %. Intervals are over the time of one run, by a bootstrap over blocks "
    "of 5 ms.",
    scaled="1 ms",
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
        Claim(
            "E13",
            "without an attack both perform well; 1RC and weights are slightly worse for long "
            "flows",
            claimed="slightly worse for longer flows",
            metric="p99.9 of FCT slowdown of flows above 1 MB",
            measure=lambda runs: _p999(runs, _PLAIN, _DEFENDED, sizes=(1e6 + 1, math.inf)),
            holds=lambda values: 1 <= values[_DEFENDED] / values[_PLAIN] <= 1.5,
            trend=lambda values: values[_DEFENDED] >= values[_PLAIN],
            tolerance="p99.9 of flows above 1 MB up to half as much again; as a trend, not better",
            kind=Kind.TREND,
            full_only=True,
        ),
        Claim(
            "E14",
            "an attack under s-PERC makes short flows' tail dramatically longer",
            claimed="dramatically longer",
            metric="p99.9 of FCT slowdown of flows up to 10 KB",
            measure=lambda runs: _p999(runs, _PLAIN, _PLAIN_ATTACKED, sizes=(0, 10_000)),
            holds=lambda values: values[_PLAIN_ATTACKED] >= 5 * values[_PLAIN],
            tolerance="p99.9 of flows up to 10 KB at least fivefold",
            full_only=True,
        ),
        Claim(
            "E15",
            "an attack under s-PERC delays packets by more than 1.6 ms",
            where="Dissertation, Fig. 5.10",
            claimed="> 1.6 ms",
            metric="p99.9 over flows of the slowest packet's latency",
            measure=lambda runs: _latencies(runs, _PLAIN_ATTACKED),
            holds=lambda values: values[_PLAIN_ATTACKED] >= 1.6e-3,
            trend=lambda values: values[_PLAIN_ATTACKED] >= 0.8e-3,
            tolerance="none; as a trend, half of it. Over flows, p99.9 of the slowest packet",
            kind=Kind.NUMBER,
            full_only=True,
            show=seconds_text,
        ),
        *_defended("", _DEFENDED, _DEFENDED_ATTACKED, of_latency=_NO_ROOM),
        *(
            claim.as_reading()
            for claim in _defended(
                "-acks", _ROOM, _ROOM_ATTACKED, note=_WITH_ROOM, of_attack=_ALLOTTED
            )
        ),
    ],
)
