"""Figure 3: the fluid beside packets."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from incast.fluid import lgc, logistic
from incast.measure.series import curves
from incast.papers.framework.conditions import close_to
from incast.papers.framework.explanation import Recorded
from incast.papers.framework.paper import Claim, Figure, Kind, Runs, Values
from incast.papers.lgc.algorithms import REGULAR_01, REGULAR_03
from incast.papers.lgc.metrics import loads, probes, queue, shares
from incast.papers.lgc.networks import LINK_RATE, PACKET, RTT, incast_name, incasts, of
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis

FLOWS = (5, 20)
REGULAR = {REGULAR_01: 0.1, REGULAR_03: 0.3}
_QUEUE_UNIT = LINK_RATE * RTT / 8 / PACKET
"""Packets in K·τ."""
_INITIAL = 0.006
_SEEN_MS = 60
"""Milliseconds that panels show."""


@cache
def _fluid(flows: int, growth: float, end: float) -> lgc.Course:
    return lgc.simulate(flows, growth=growth, initial=_INITIAL, end=end)


def _of_fluid(runs: Runs, flows: int, label: str) -> tuple[float, float]:
    """Settled share and queue, in packets, of the fluid over the time of the runs."""
    end = of(runs, incast_name(flows, label))[0].summary["simulated_ps"] * 1e-12 / RTT
    course = _fluid(flows, REGULAR[label], end)
    late = course.times >= end / 2
    return float(course.shares[:, late].mean()), float(course.queue[late].mean() * _QUEUE_UNIT)


def _rates_agree(runs: Runs) -> Values:
    return {
        incast_name(flows, label): shares(of(runs, incast_name(flows, label)))
        / _of_fluid(runs, flows, label)[0]
        for flows in FLOWS
        for label in REGULAR
    }


def _queues_agree(runs: Runs) -> Values:
    return {
        incast_name(flows, label): float(queue(of(runs, incast_name(flows, label))).mean())
        / _of_fluid(runs, flows, label)[1]
        for flows in FLOWS
        for label in REGULAR
    }


def _lotka_volterra(flows: int, growth: float) -> Curve:
    """One of as many species that compete, Eq. (4), with feedback at once."""
    stays = [logistic.Stay(0)] * flows
    end = _SEEN_MS * 1e-3 / RTT
    times, shares = logistic.competition(stays, rate=growth, initial=_INITIAL, end=end)
    return Curve("Lotka–Volterra", times * RTT, shares[0], 0.5, dash="dotted", group="theory")


def rate_panel(flows: int, label: str) -> Callable[[Runs], Chart]:
    """Rates of the flows of one run; without exponential gaps, of the fluid and of species too."""

    def draw(runs: Runs) -> Chart:
        run = of(runs, incast_name(flows, label))[0]
        drawn = []
        for place, (times, share) in enumerate(probes(run, "share").values()):
            seen = times <= _SEEN_MS * 1e9
            colour = place / (flows - 1)
            drawn.append(
                Curve(f"flow {place}", times[seen] * 1e-12, share[seen], colour, group="packets")
            )
        if label in REGULAR:
            course = _fluid(flows, REGULAR[label], _SEEN_MS * 1e-3 / RTT)
            times, share = course.times * RTT, course.shares[0]
            drawn.append(Curve("fluid", times, share, 1, dash="dashed", group="fluid"))
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
        ((times, values),) = curves(run.series, "queue_max_bytes").values()
        seen = times <= _SEEN_MS * 1e9
        course = _fluid(flows, REGULAR[label], _SEEN_MS * 1e-3 / RTT)
        return Chart(
            "queue",
            f"Queue, {flows} flows, {label}",
            time_axis(),
            Axis("queue / packet", Quantity.COUNT, lower=0),
            [
                Curve("packets", times[seen] * 1e-12, values[seen] / PACKET, 0),
                Curve("fluid", course.times * RTT, course.queue * _QUEUE_UNIT, 1, dash="dashed"),
            ],
            note="One run.",
        )

    return draw


_WHOLE = "whole runs, "


def _estimate(flows: int) -> Callable[[Runs], Values]:
    def measure(runs: Runs) -> Values:
        found = {}
        for label in REGULAR:
            chosen = of(runs, incast_name(flows, label))
            found[label] = float(loads(chosen).mean())
            found[_WHOLE + label] = float(loads(chosen, whole=True).mean())
        return found

    return measure


def _near(values: Values, expected: float) -> bool:
    settled = [value for name, value in values.items() if not name.startswith(_WHOLE)]
    return all(abs(value - expected) <= 0.01 for value in settled)


def _with_beginnings(runs: Runs) -> str:
    few, many = (_estimate(flows)(runs) for flows in FLOWS)
    of_few, of_many = (
        " and ".join(f"{found[_WHOLE + label]:.3f}" for label in REGULAR) for found in (few, many)
    )
    return (
        "The measured value is the theory's. That the paper's mean has the beginning of runs in "
        f"it, where nothing is marked, would fit 20 flows ({of_many} over whole runs), but is a "
        f"guess: read so, 5 flows have {of_few}, and L05 would not hold."
    )


def _claim_on_load(number: str, flows: int, paper: float) -> Claim:
    """The mean; the spread is :func:`_claim_on_spread`."""
    theory = 1 - 1 / flows
    return Claim(
        number,
        f"{flows} sources estimate the load close to (S − 1)/S = {theory:g}",
        where="§IV-D1",
        claimed=f"{paper}, theory {theory:g}",
        measure=_estimate(flows),
        holds=lambda values: _near(values, paper),
        trend=lambda values: _near(values, theory),
        tolerance="mean within 0.01 of the paper's number, for either growth rate, since the paper "
        "names none; as a trend, within 0.01 of the theory's",
        kind=Kind.NUMBER,
        show=lambda value: f"{value:.3f}",
        note="Mean over flows, intervals of the second half of each run, and seeds. Judged without "
        "the beginning; whole runs of 200 ms are there for comparison.",
        explanation=_with_beginnings,
    )


def _spread(flows: int) -> Callable[[Runs], Values]:
    def measure(runs: Runs) -> Values:
        found = {}
        for label in REGULAR:
            own = loads(of(runs, incast_name(flows, label)))
            found[label] = float(own.std())
            found[f"two values only, {label}"] = math.sqrt(own.mean() * (1 - own.mean()))
        return found

    return measure


def _claim_on_spread(number: str, flows: int, paper: float) -> Claim:
    return Claim(
        number,
        f"with {flows} sources the estimate of load has a standard deviation of {paper}",
        where="§IV-D1",
        claimed=f"{paper}",
        measure=_spread(flows),
        holds=lambda values: all(abs(values[label] - paper) <= 0.01 for label in REGULAR),
        trend=lambda values: all(abs(values[label] / paper - 1) <= 0.2 for label in REGULAR),
        tolerance="within 0.01, as the mean of the same sentence; as a trend, within 20 %",
        kind=Kind.NUMBER,
        show=lambda value: f"{value:.3f}",
        note="Over flows, intervals of the second half of each run, and seeds; beside it what an "
        "estimate of this mean would have that is always 0 or 1. Added after data were seen: "
        "before it, only the mean was judged.",
        explanation="The settled load swings between whole intervals in which all is marked and "
        "some in which less or nothing is. The paper does not say over what it takes the "
        "deviation, or of which growth rate.",
    )


FIGURE = Figure(
    id="fig3",
    title="The fluid model beside packets",
    where="Fig. 3, §IV",
    setup="5 and 20 flows to one host over one switch, 10 Gb/s, RTT 200 µs, no exponential gaps; "
    "r fixed, 0.1 and 0.3. Ten seeds, 200 ms. The fluid: Eqs. (10) to (13) with their corrections.",
    scaled="three seeds, 100 ms",
    runs=incasts(FLOWS, *REGULAR),
    charts={
        "a-rates-5": rate_panel(5, REGULAR_01),
        "b-queue-5": _queue_panel(5, REGULAR_01),
        "c-rates-20": rate_panel(20, REGULAR_01),
        "d-queue-20": _queue_panel(20, REGULAR_01),
        "e-rates-5-fast": rate_panel(5, REGULAR_03),
        "f-queue-5-fast": _queue_panel(5, REGULAR_03),
    },
    claims=[
        Claim(
            "L04-rates",
            "rates of packets match the fluid's",
            claimed="match",
            measure=_rates_agree,
            holds=close_to(1, 0.05),
            tolerance="settled means within 5 %",
            show=lambda value: f"{value:.3f}",
            note="Packets over fluid.",
        ),
        Claim(
            "L04-queue",
            "the queue of packets matches the fluid's",
            claimed="matches",
            measure=_queues_agree,
            holds=close_to(1, 0.25),
            trend=close_to(1, 0.6),
            tolerance="settled means within a quarter: 'match', in a figure; as a trend, of the "
            "same size",
            note="Packets over fluid.",
            explanation=(
                "In the fluid all flows see the same marks at the same time and swing together. "
                "Flows of packets update at moments of their own, spread over an interval.",
                Recorded(
                    "The sum of 20 flows' rates swings by 0.39 (r = 0.1) and 0.72 (r = 0.3) of "
                    "what it would if all swung together, that of 5 by 0.87 and 0.96.",
                    {
                        "5 flows, r = 0.1, no exp. #1": "526ce214b8836826",
                        "20 flows, r = 0.3, no exp. #1": "e43477d0e956e882",
                    },
                ),
                "And packets that meet by chance are marked while the link is not yet full, so "
                "rates turn back sooner than in the fluid, where only a queue marks.",
            ),
        ),
        _claim_on_load("L05", 5, 0.796),
        _claim_on_spread("L05-sd", 5, 0.124),
        _claim_on_load("L06", 20, 0.937),
        _claim_on_spread("L06-sd", 20, 0.113),
    ],
)
