"""Figure 3: the fluid model compared with packets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from incast.fluid import lgc, logistic
from incast.measure.run import Run
from incast.measure.series import curves
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured, Values
from incast.papers.explanation import Text
from incast.papers.figure import Runs
from incast.papers.seeds import average
from incast.papers.tolerances import close_to
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis
from incast.time_units import PICOSECOND

from incast_papers.lgc.algorithms import LGC, REGULAR_01, REGULAR_03
from incast_papers.lgc.metrics import (
    load,
    load_spread,
    loads,
    oscillation,
    probes,
    queue,
    settled_rows,
)
from incast_papers.lgc.networks import LINK_RATE, PACKET, RTT, incast_name, incasts, of
from incast_papers.lgc.words import WORDS

FLOWS = (5, 20)
REGULAR = {REGULAR_01: 0.1, REGULAR_03: 0.3}
_QUEUE_UNIT = LINK_RATE * RTT / 8 / PACKET
"""The length of a queue of K·τ, in packets."""
_INITIAL = 0.006
_EACH = slice(None, None, 100)
"""Selects the fluid's steps at the ends of update intervals."""
_SEEN_MS = 60
"""Milliseconds shown in panels."""


@cache
def _fluid(flows: int, growth: float, end: float, **otherwise: Any) -> lgc.Course:
    return lgc.simulate(flows, growth=growth, initial=_INITIAL, end=end, **otherwise)


def _settled_fluid(runs: Runs, flows: int, label: str, **otherwise: Any) -> lgc.Course:
    """The fluid model's course, in the second half of the runs' time."""
    end = of(runs, incast_name(flows, label))[0].summary["simulated_ps"] * PICOSECOND / RTT
    course = _fluid(flows, REGULAR[label], end, **otherwise)
    late = course.times >= end / 2
    return lgc.Course(
        course.times[late], course.shares[:, late], course.loads[:, late], course.queue[late]
    )


def _cases() -> Iterator[tuple[int, str, str]]:
    """All cases: number of flows, algorithm, and label of the runs."""
    for flows in FLOWS:
        for label in REGULAR:
            yield flows, label, incast_name(flows, label)


def _swings_agree(runs: Runs) -> Measured:
    """Ratios of the settled rates' period and amplitude, packets over fluid."""
    found = {}
    for flows, label, name in _cases():
        course = _settled_fluid(runs, flows, label)
        of_fluid = oscillation(course.shares, RTT * float(course.times[1] - course.times[0]))
        swings = np.array([oscillation(settled_rows(run, "share"), RTT) for run in of(runs, name)])
        for what, own, other in zip(("period", "amplitude"), swings.T, of_fluid, strict=True):
            found[f"{what}, {name}"] = Average.of(list(own / other))
    return found


def _fluid_swings(runs: Runs) -> str:
    texts = []
    for flows, label, name in _cases():
        course = _settled_fluid(runs, flows, label)
        step = RTT * float(course.times[1] - course.times[0])
        period, amplitude = oscillation(course.shares, step)
        texts.append(f"{period * 1e3:.2g} ms and {amplitude:.2g} with {name}")
    return "; ".join(texts)


def _mean_queue(run: Run) -> float:
    return float(queue(run).mean())


def _queues_agree(form: str = "integral") -> Callable[[Runs], Measured]:
    def measure(runs: Runs) -> Measured:
        found = {}
        for flows, label, name in _cases():
            course = _settled_fluid(runs, flows, label, queue=form)
            of_fluid = float(course.queue.mean()) * _QUEUE_UNIT
            found[name] = Average.of([_mean_queue(run) / of_fluid for run in of(runs, name)])
        return found

    return measure


def _fluid_queues(otherwise: Callable[[int], Mapping[str, Any]]) -> Text:
    """Mean queues of fluids with some settings changed, in words."""

    def told(runs: Runs) -> str:
        found = [
            _settled_fluid(runs, flows, label, **otherwise(flows)) for flows, label, _ in _cases()
        ]
        *first, last = (f"{float(each.queue.mean()) * _QUEUE_UNIT:.0f}" for each in found)
        return f"{', '.join(first)} and {last}"

    return told


_COARSE = 25
"""Steps per τ in fluids that only serve an explanation."""


def _lotka_volterra(flows: int, growth: float) -> Curve:
    """One of as many competing species, Eq. (4), with immediate feedback."""
    stays = [logistic.Stay(0)] * flows
    end = _SEEN_MS * 1e-3 / RTT
    times, shares = logistic.competition(stays, rate=growth, initial=_INITIAL, end=end)
    return Curve("Lotka–Volterra", times[::2] * RTT, shares[0][::2], 1, dash="dotted")


PALE = 5
"""Palette index of flows in the background, behind theory or a newcomer."""


def rate_panel(flows: int, label: str) -> Callable[[Runs], Chart]:
    """Rates of the flows of one run; without exponential delays, also of the fluid and of
    species.
    """

    def draw(runs: Runs) -> Chart:
        run = of(runs, incast_name(flows, label))[0]
        drawn = []
        name = f"{flows} flows of packets"
        for times, share in probes(run, "share").values():
            seen = times <= _SEEN_MS * 1e9
            drawn.append(Curve(name, times[seen] * PICOSECOND, share[seen], PALE))
        if label in REGULAR:
            course = _fluid(flows, REGULAR[label], _SEEN_MS * 1e-3 / RTT)
            times, share = course.times[_EACH] * RTT, course.shares[0][_EACH]
            drawn.append(Curve("fluid", times, share, 6, dash="dashed"))
            drawn.append(_lotka_volterra(flows, REGULAR[label]))
        return Chart(
            "rates",
            f"Rates, {flows} flows, {label}",
            time_axis(),
            Axis("rate / K", Quantity.RATIO, lower=0),
            drawn,
            note="Packets of one run, the fluid, and the species that both stand for."
            if label in REGULAR
            else "One run.",
        )

    return draw


def _queue_panel(flows: int, label: str) -> Callable[[Runs], Chart]:
    def draw(runs: Runs) -> Chart:
        run = of(runs, incast_name(flows, label))[0]
        ((ends, values),) = curves(run.series, "queue_max_bytes").values()
        seen = ends <= _SEEN_MS * 1e9
        course = _fluid(flows, REGULAR[label], _SEEN_MS * 1e-3 / RTT)
        times = course.times[_EACH] * RTT
        return Chart(
            "queue",
            f"Queue, {flows} flows, {label}",
            time_axis(),
            Axis("queue / packet", Quantity.COUNT, lower=0),
            [
                Curve("packets", ends[seen] * PICOSECOND, values[seen] / PACKET, PALE),
                Curve("fluid", times, course.queue[_EACH] * _QUEUE_UNIT, 6, dash="dashed"),
            ],
            note="One run.",
        )

    return draw


_WHOLE_MS = (100, 150, 200)
"""Durations of runs that are averaged as a whole. The paper does not give its own; ours is 200
ms.
"""


def _of_both(flows: int, metric: Callable[[Run], float]) -> Callable[[Runs], Measured]:
    """A metric under each of the two growth rates."""
    return lambda runs: {
        label: average(runs, incast_name(flows, label), metric) for label in REGULAR
    }


def _whole(flows: int, statistic: Callable[[np.ndarray], float]) -> Callable[[Runs], Measured]:
    """A statistic of l under the whole of LGC, from the start of runs to each of several ends."""

    def until(end_ms: float) -> Callable[[Run], float]:
        return lambda run: float(statistic(loads(run, (0, end_ms * 1e9))))

    return lambda runs: {
        f"{end} ms": average(runs, incast_name(flows, LGC), until(end)) for end in _WHOLE_MS
    }


def _near(expected: float) -> Callable[[Values], bool]:
    return lambda values: all(abs(value - expected) <= 0.01 for value in values.values())


def _on_load(number: str, flows: int, paper: float) -> list[Claim]:
    """Claims on the mean load: settled, and over whole runs."""
    theory = 1 - 1 / flows
    settled = WORDS.claim(
        number,
        measure=_of_both(flows, load),
        holds=_near(paper),
        trend=_near(theory),
        show=lambda value: f"{value:.3f}",
    )
    whole = WORDS.again(
        settled,
        f"{number}-whole",
        measure=_whole(flows, np.mean),
        holds=lambda values: _near(paper)({"": values["200 ms"]}),
        trend=lambda values: _near(theory)({"": values["200 ms"]}),
    )
    return [settled, whole]


def _on_spread(number: str, flows: int, paper: float) -> list[Claim]:
    settled = WORDS.claim(
        f"{number}-sd",
        measure=_of_both(flows, load_spread),
        holds=_near(paper),
        trend=lambda values: all(abs(value / paper - 1) <= 0.2 for value in values.values()),
        show=lambda value: f"{value:.3f}",
        values={"two_values": f"{math.sqrt(flows - 1) / flows:.3f}"},
    )
    whole = WORDS.again(
        settled,
        f"{number}-sd-whole",
        measure=_whole(flows, np.std),
        holds=lambda values: _near(paper)({"": values["200 ms"]}),
        trend=lambda values: abs(values["200 ms"] / paper - 1) <= 0.2,
    )
    averaged = WORDS.again(
        whole,
        f"{number}-sd-average",
        measure=_whole_average(flows),
    )
    return [settled, whole, averaged]


_AVERAGED = 40
"""The number of intervals over which LGC averages l, w in Algorithm 1."""


def moving_average(values: np.ndarray) -> np.ndarray:
    """At each step, the mean of the last 40 values, or of all if there are fewer."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    begins = np.maximum(0, ends - _AVERAGED)
    found: np.ndarray = (sums[ends] - sums[begins]) / (ends - begins)
    return found


def _average_spread(end_ms: float) -> Callable[[Run], float]:
    def of_run(run: Run) -> float:
        flows = [values[times < end_ms * 1e9] for times, values in probes(run, "load").values()]
        return float(np.concatenate([moving_average(values) for values in flows]).std())

    return of_run


def _whole_average(flows: int) -> Callable[[Runs], Measured]:
    return lambda runs: {
        f"{end} ms": average(runs, incast_name(flows, LGC), _average_spread(end))
        for end in _WHOLE_MS
    }


_L04_QUEUE = WORDS.claim(
    "L04-queue",
    measure=_queues_agree(),
    holds=close_to(1, 0.25),
    trend=close_to(1, 0.6),
    values={
        "as_it_is": _fluid_queues(lambda _: {}),
        "early": _fluid_queues(lambda _: {"marks": "arrivals", "steps": _COARSE}),
        "apart": _fluid_queues(
            lambda flows: {
                "phases": tuple(place / flows for place in range(flows)),
                "steps": _COARSE,
            }
        ),
    },
)

FIGURE = WORDS.figure(
    "fig3",
    runs=incasts(FLOWS, *REGULAR, LGC),
    charts={
        "a-rates-5": rate_panel(5, REGULAR_01),
        "b-queue-5": _queue_panel(5, REGULAR_01),
        "c-rates-20": rate_panel(20, REGULAR_01),
        "d-queue-20": _queue_panel(20, REGULAR_01),
        "e-rates-5-fast": rate_panel(5, REGULAR_03),
        "f-queue-5-fast": _queue_panel(5, REGULAR_03),
    },
    claims=[
        WORDS.claim(
            "L04-rates",
            measure=_swings_agree,
            holds=close_to(1, 0.25),
            trend=close_to(1, 0.6),
            values={"fluid_swings": _fluid_swings},
        ),
        _L04_QUEUE,
        WORDS.again(
            _L04_QUEUE,
            "L04-queue-printed",
            measure=_queues_agree("excess"),
        ),
        *_on_load("L05", 5, 0.796),
        *_on_spread("L05", 5, 0.124),
        *_on_load("L06", 20, 0.937),
        *_on_spread("L06", 20, 0.113),
    ],
)
