"""§5.3: gains from weights, and their limits."""

from __future__ import annotations

from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import ratio_text

from incast_papers.isolation.metrics import goodput_between
from incast_papers.isolation.networks import SHARED_UNTIL, weighted
from incast_papers.isolation.words import WORDS

_RIVALS = (1, 2, 3, 4)
"""W: the number of other flows on each link."""
_ONE, _TWO, _IDLE = "one connection", "two, on links in equal demand", "a second one elsewhere"


def _label(what: str, rivals: int) -> str:
    return f"{what}, W = {rivals}"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned = {}
    for rivals in _RIVALS:
        planned[_label(_ONE, rivals)] = weighted(rivals, second=None)
        planned[_label(_TWO, rivals)] = weighted(rivals, second=rivals)
    planned[_IDLE] = weighted(1, second=0)
    return planned


def _goodput(runs: Runs, label: str, flow: int) -> float:
    return goodput_between(runs[label], flow, SHARED_UNTIL / 2, SHARED_UNTIL)


def _gain(runs: Runs) -> Values:
    """The ratio of two connections' total goodput to a single connection's."""
    found = {}
    for rivals in _RIVALS:
        one = _goodput(runs, _label(_ONE, rivals), 0)
        two = sum(_goodput(runs, _label(_TWO, rivals), flow) for flow in (0, 1))
        found[f"W = {rivals}"] = two / one
    return found


def _expected(rivals: int) -> float:
    """The gain by Eqs. 5.1 and 5.2: (W + 1)/(W + 1/2)."""
    return (rivals + 1) / (rivals + 0.5)


def _halved(runs: Runs) -> Values:
    """The first connection's share of its link with one rival."""
    own = _goodput(runs, _IDLE, 0)
    rival = _goodput(runs, _IDLE, 2)
    return {"share": own / (own + rival)}


def exact_weight(rivals: float, connections: int) -> float:
    """Eq. 5.11: the weight with which each of c connections gets 1/c of a single connection's
    rate.
    """
    return rivals / (connections * (rivals + 1) - 1)


def _exact(runs: Runs) -> Values:
    """By Eq. 5.11: the ratio of c times the allocation with c connections to that with one."""
    return {
        f"W = {rivals}, c = {connections}": _allocation(exact_weight(rivals, connections), rivals)
        * connections
        / _allocation(1, rivals)
        for rivals in _RIVALS
        for connections in (2, 3, 4)
    }


def _allocation(weight: float, rivals: float) -> float:
    return weight / (rivals + weight)


FIGURE = WORDS.figure(
    "sec5_3",
    runs=_plan,
    claims=[
        WORDS.claim(
            "E20",
            measure=_gain,
            holds=lambda values: all(
                abs(values[f"W = {rivals}"] / _expected(rivals) - 1) <= 0.02 for rivals in _RIVALS
            ),
        ),
        WORDS.claim(
            "E21",
            measure=_halved,
            holds=lambda values: abs(values["share"] - 1 / 3) <= 0.01,
            show=ratio_text,
        ),
        WORDS.claim(
            "E22",
            measure=_exact,
            holds=lambda values: all(abs(value - 1) <= 1e-12 for value in values.values()),
            show=ratio_text,
        ),
    ],
)
