"""Section IV-E: bottlenecks of one to six times the capacity of a source."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from incast.fluid.lgc import poisson_equilibrium
from incast.papers.framework.paper import Claim, Figure, Kind, RunPlan, Runs, Scale, Values
from incast.papers.lgc.algorithms import EXPONENTIAL_01, REGULAR_01
from incast.papers.lgc.metrics import rates
from incast.papers.lgc.networks import bottleneck, of, seeded
from incast.present.charts import Axis, Chart, Curve, Quantity

_SOURCES = 10
_RATIOS = (1, 2, 3, 4, 5, 6)
_BACKGROUND = 0.4


def _name(ratio: int, label: str, background: float = 0.0) -> str:
    return f"k = {ratio}, {label}{', background' if background else ''}"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    stop_ms = scale.pick(quick=60, full=200)
    planned: dict[str, RunPlan] = {}
    for ratio in _RATIOS:
        for label, background in _KINDS:
            planned |= seeded(
                scale,
                _name(ratio, label, background),
                partial(bottleneck, label, ratio, background=background, stop_ms=stop_ms),
            )
    return planned


_KINDS = ((REGULAR_01, 0.0), (REGULAR_01, _BACKGROUND), (EXPONENTIAL_01, 0.0))


def _by_node(runs: Runs, name: str) -> np.ndarray:
    """The rate of each node, mean over seeds."""
    mean: np.ndarray = np.mean([rates(run) for run in of(runs, name)], axis=0)
    return mean


def _measure(ratio: int) -> Callable[[Runs], Values]:
    def measure(runs: Runs) -> Values:
        own = _by_node(runs, _name(ratio, REGULAR_01))
        return {
            "mean": float(own.mean()),
            "lowest node": float(own.min()),
            "highest node": float(own.max()),
        }

    return measure


def _claim(number: str, ratio: int) -> Claim:
    share = ratio / _SOURCES
    return Claim(
        number,
        f"ten sources on {10 * ratio} Gb/s have x = k/S = {share:g}",
        claimed=f"very close to {share:g}",
        measure=_measure(ratio),
        holds=lambda values: abs(values["mean"] - share) <= 0.05 * share,
        trend=lambda values: abs(values["mean"] - share) <= 0.2 * share,
        tolerance="the mean within 5 % of k/S; as a trend, within 20 %",
        kind=Kind.NUMBER,
        show=lambda value: f"{value:.3f}",
        note="Without background: with 40 % of the link taken by packets that do not give way, k/S "
        "is more than is left; that is L12-background. Rates on the wire, from what is "
        "acknowledged.",
        explanation=lambda runs: (
            "A flow of large x sends many packets in an interval, and of several such flows "
            "packets meet by chance at a link that is not full. They are marked, which counts as "
            "load: the closed equation of Poisson arrivals, 1 − x = 1 − (1 − ρ)·e^ρ with "
            f"ρ = S·x/k, gives x = {poisson_equilibrium(_SOURCES, ratio).share:.3f} here; without "
            "random gaps flows stay between that and k/S."
        ),
    )


def _with_background(runs: Runs) -> Values:
    return {
        f"k = {ratio}": float(_by_node(runs, _name(ratio, REGULAR_01, _BACKGROUND)).mean())
        / (ratio / _SOURCES)
        for ratio in _RATIOS
    }


def _left(runs: Runs) -> Values:
    """Shares over the part of k/S that the background leaves."""
    return {name: value / (1 - _BACKGROUND) for name, value in _with_background(runs).items()}


def _residual_note(_: Runs) -> str:
    equation = ", ".join(
        f"{poisson_equilibrium(_SOURCES, ratio, _BACKGROUND).share * _SOURCES / ratio / 0.6:.2f}"
        for ratio in _RATIOS
    )
    return (
        "x over 0.6 k/S. The other reading of the sentence of L12-background, added after data "
        "were seen. The closed equation of Poisson arrivals with the background gives "
        f"{equation} for k = 1 to 6."
    )


def _chart(runs: Runs) -> Chart:
    ratios = np.array(_RATIOS, dtype=float)
    drawn = [
        Curve("k/S", ratios, ratios / _SOURCES, 1, dash="dashed"),
        Curve("0.6 k/S", ratios, (1 - _BACKGROUND) * ratios / _SOURCES, 3, dash="dashed"),
    ]
    names = {
        (REGULAR_01, 0.0): "no exponential gaps",
        (EXPONENTIAL_01, 0.0): "exponential gaps",
        (REGULAR_01, _BACKGROUND): "40 % background",
    }
    for place, ((label, background), text) in enumerate(names.items()):
        nodes = [_by_node(runs, _name(ratio, label, background)) for ratio in _RATIOS]
        ends = (np.array([own.min() for own in nodes]), np.array([own.max() for own in nodes]))
        means = np.array([own.mean() for own in nodes])
        drawn.append(Curve(text, ratios, means, (0, 2, 3)[place], mark="dots", spread=ends))
    poisson = [poisson_equilibrium(_SOURCES, ratio).share for ratio in _RATIOS]
    drawn.append(Curve("equation of Poisson arrivals", ratios, np.array(poisson), 2, dash="dotted"))
    return Chart(
        "shares",
        "Share of each of ten sources",
        Axis("k", Quantity.COUNT),
        Axis("rate / K", Quantity.RATIO, lower=0),
        drawn,
        note="Mean of ten nodes and all seeds; bars from the lowest node to the highest.",
    )


FIGURE = Figure(
    id="sec4e",
    title="Bottlenecks of one to six times the sources' capacity",
    where="§IV-E",
    setup="10 sources of 10 Gb/s over a link of 10 to 60 Gb/s, RTT 200 µs; r = 0.1, no exponential "
    "gaps, which the paper adds only in §V. Ten seeds, 200 ms.",
    scaled="three seeds, 60 ms",
    runs=_plan,
    charts={"shares": _chart},
    claims=[
        *(_claim(f"L{6 + ratio:02}", ratio) for ratio in _RATIOS),
        Claim(
            "L12-background",
            "beside Poisson background of 40 % of the link, x = k/S",
            claimed="very close to k/S",
            measure=_with_background,
            holds=lambda values: all(abs(value - 1) <= 0.05 for value in values.values()),
            tolerance="x over k/S within 5 %",
            note="x over k/S.",
            explanation="Background that does not give way leaves 60 % of the link. Ten sources "
            "with k/S each would send as much as the whole link carries, and 40 % more would come: "
            "no controller can have that. If the 40 % were meant to be counted in k, 0.6 here "
            "would be right.",
        ),
        Claim(
            "L12-residual",
            "beside the same background, x = k/S with the k that it leaves, 0.6 of the link",
            claimed="very close to k/S",
            measure=_left,
            holds=lambda values: all(abs(value - 1) <= 0.05 for value in values.values()),
            trend=lambda values: all(abs(value - 1) <= 0.2 for value in values.values()),
            tolerance="x over 0.6 k/S within 5 %, as in L07 to L12; as a trend, within 20 %",
            kind=Kind.NUMBER,
            note=_residual_note,
            explanation="The background comes at random and meets packets of the sources before "
            "the link is full: what is marked then counts as load.",
        ),
    ],
)
