"""Streams into a full port of a switch that drops packets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from incast.measure.run import Run, Runs
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Scale
from incast.papers.seeds import average, of, over
from incast.papers.tolerances import at_most, within
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, rate_text

from incast_papers.hardware.metrics import MEASURED, repeated, spread_of_losses, together
from incast_papers.hardware.networks import leaf
from incast_papers.hardware.words import WORDS

_LEAF = MEASURED["leaf"]
_LEAST, _MOST = (1e9 * end for end in _LEAF["payload_gbps"])
_EQUAL, _RANDOM = "equal starts", "random starts"
_STARTS = {_EQUAL: "0us", _RANDOM: "10us"}
_EIGHT, _TWO = 8, 2


def _at(streams: int, start: str) -> str:
    return f"{streams} streams, {start}"


OF_TWO = [_at(_TWO, start) for start in _STARTS]
"""Labels of the runs with two streams."""


def _plan(scale: Scale) -> dict[str, RunPlan]:
    found: dict[str, RunPlan] = {}
    numbers = range(1, scale.pick(quick=1, full=8) + 1)
    for streams, mebibytes in ((_EIGHT, 128), (_TWO, 64)):
        for start, within_time in _STARTS.items():
            label = _at(streams, start)
            found |= over(numbers, label, partial(leaf, streams, mebibytes, within_time))
    return found


def _over_seeds(streams: int, metric: Callable[[Run], float]) -> Callable[[Runs], Measured]:
    return lambda runs: {start: average(runs, _at(streams, start), metric) for start in _STARTS}


def _drawn(runs: Runs) -> Chart:
    losses = {"measured": np.array(_LEAF["lost"], float)}
    for start in _STARTS:
        run = of(runs, _at(_EIGHT, start))[0]
        losses[start] = run.flows.numbers("retransmitted_packets").astype(float)
    curves = [
        Curve(
            name,
            place + 0.6 * (np.arange(_EIGHT) / _EIGHT - 0.5),
            values / values.mean(),
            place,
            mark="dots",
        )
        for place, (name, values) in enumerate(losses.items())
    ]
    return Chart(
        "losses",
        "Packets lost by each of eight streams, over their mean",
        Axis("", Quantity.COUNT, names=tuple(losses)),
        Axis("lost / mean", Quantity.RATIO, lower=0.98, upper=1.02),
        curves,
    )


FIGURE = WORDS.figure(
    "drops",
    runs=_plan,
    charts={"losses": _drawn},
    claims=[
        WORDS.claim(
            "H17",
            measure=_over_seeds(_EIGHT, spread_of_losses),
            holds=at_most(0.01),
            trend=at_most(0.03),
            show=percent_text,
        ),
        WORDS.claim(
            "H18",
            measure=_over_seeds(_TWO, together),
            holds=within(_LEAST, _MOST),
            trend=within(_LEAST, _MOST, 0.1),
            show=rate_text,
        ),
        WORDS.claim(
            "H19",
            measure=_over_seeds(_TWO, repeated),
            holds=within(0.24, 0.28),
            trend=within(0.21, 0.31),
            show=percent_text,
        ),
    ],
)
