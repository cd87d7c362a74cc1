"""Streams into a full port of a switch that drops."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from incast.measure.run import Run, Runs
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, RunPlan, Scale
from incast.papers.framework.seeds import average, of, over
from incast.papers.framework.tolerances import at_most, within
from incast.papers.hardware.metrics import MEASURED, repeated, spread_of_losses, together
from incast.papers.hardware.networks import leaf
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, rate_text

_LEAF = MEASURED["leaf"]
_LEAST, _MOST = (1e9 * end for end in _LEAF["payload_gbps"])
_EQUAL, _RANDOM = "equal starts", "random starts"
_STARTS = {_EQUAL: "0us", _RANDOM: "10us"}
_EIGHT, _TWO = 8, 2
_WHERE = "Leaf switch, simllm/hacc_fabric_v1"
_RECOVERY = (
    "The measured NICs send again more than was lost: a quarter of the link carries packets that "
    "their receivers have, or have no use for. Neither recovery is like that here. Selective "
    "repeat sends again what was lost, so all of the link carries new payload; go-back-N without "
    "congestion control does not get on at all."
)


def _at(streams: int, start: str) -> str:
    return f"{streams} streams, {start}"


OF_TWO = [_at(_TWO, start) for start in _STARTS]
"""Labels of runs of two streams."""


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


def _of_two(number: str, what: str, *, measure: Callable[[Run], float], **rest: Any) -> Claim:
    """A claim on a number of two streams, with either kind of starts."""
    over_seeds = _over_seeds(_TWO, measure)
    return Claim(number, what, where=_WHERE, measure=over_seeds, kind=Kind.NUMBER, **rest)


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


FIGURE = Figure(
    id="drops",
    title="Streams into a full port",
    where=_WHERE,
    setup="Hosts at 100 Gb/s on one switch, delays of 515 ns, packets of 4032 B of payload in "
    "4096 B, queues of 5.2 MB that drop, a timeout of 67.109 ms, no congestion control. Eight "
    "hosts send 128 MiB each to one, or two send 64 MiB; all at once, or within 10 µs. Losses "
    "are recovered by selective repeat.",
    scaled="1 seed instead of 8",
    runs=_plan,
    charts={"losses": _drawn},
    claims=[
        Claim(
            "H17",
            "eight streams into a full port lose alike",
            where=_WHERE,
            claimed="within 0.5 %",
            metric="packets lost, (most - least)/mean",
            measure=_over_seeds(_EIGHT, spread_of_losses),
            holds=at_most(0.01),
            trend=at_most(0.03),
            tolerance="1 %, the mean over seeds; as a trend, 3 %",
            kind=Kind.NUMBER,
            show=percent_text,
            explanation="The last place of a queue goes to a random one of those who ask for it; "
            "chance alone is left, which is about twice as much as was measured.",
        ),
        _of_two(
            "H18",
            "two streams into one port: payload",
            claimed="74 to 78 Gb/s",
            metric="payload of both until the last has ended",
            measure=together,
            holds=within(_LEAST, _MOST),
            trend=within(_LEAST, _MOST, 0.1),
            tolerance="the range; as a trend, a tenth outside",
            show=rate_text,
            explanation=_RECOVERY,
        ),
        _of_two(
            "H19",
            "of what they send, packets that are sent again",
            claimed="26 %",
            metric="packets sent again, of all sent",
            measure=repeated,
            holds=within(0.24, 0.28),
            trend=within(0.21, 0.31),
            tolerance="2 points; as a trend, 5",
            show=percent_text,
            explanation="Senders at line rate lose every second packet at the port, for as long "
            "as nothing slows them. The source counts on the wire after the port, where here no "
            "packet is sent in vain.",
        ),
    ],
)
