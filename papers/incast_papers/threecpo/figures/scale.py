"""Beyond the dissertation: more endpoints, many groups, a slow endpoint, a cheating endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from incast.measure.run import Run
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.panels import averaged
from incast.papers.seeds import average, ratio, seeded
from incast.present.charts import Axis, Chart, Quantity

from incast_papers.threecpo.algorithms import (
    BASELINE,
    PRINTED,
    REPAIRED,
    WINDOW_3,
    control,
    window,
)
from incast_papers.threecpo.metrics import (
    BANDWIDTH,
    LATENCY,
    Metric,
    bandwidth,
    cycles_text,
    mean,
)
from incast_papers.threecpo.networks import all_reduce, plan, with_seeds
from incast_papers.threecpo.words import WORDS

_SCHEMES: Mapping[str, Mapping[str, Any]] = {
    BASELINE: control(BASELINE),
    WINDOW_3: window(3),
    PRINTED: control(PRINTED),
    REPAIRED: control(REPAIRED),
}
_SIZES = (64, 128, 256, 512, 1024)
_SLOW = {"endpoints": [0], "read_latency": 2000}
_FREE: Mapping[str, Any] = {"discount": 0.0, "discount_max": 0.0}
_CHEATS: Mapping[str, Mapping[str, Any]] = {
    WINDOW_3: control(BASELINE),
    PRINTED: control(PRINTED, **_FREE),
    REPAIRED: control(REPAIRED, **_FREE, pacing=False, opening=0),
}
"""Schemes of the cheating endpoint, which takes no tokens for remote operations, or has no
window.
"""
_GROUPS = ("eight groups apart", "eight groups at random", "one slow endpoint", "one cheat")


def _label(what: str, scheme: str) -> str:
    return f"{what}, {scheme}"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    count = scale.pick(quick=4, full=16)
    for size in scale.pick(quick=_SIZES[:3], full=_SIZES):
        for scheme, section in _SCHEMES.items():
            options: dict[str, Any] = {"endpoints": size, "count": count}
            label = _label(str(size), scheme)
            planned |= with_seeds(scale, label, all_reduce, section, size, **options)
    for scheme in _SCHEMES:
        planned |= _others(scale, scheme)
    return planned


def _others(scale: Scale, scheme: str) -> dict[str, RunPlan]:
    """Runs of groups, of the slow endpoint, and of the cheating endpoint under a scheme."""
    apart, at_random, slow, cheat = _GROUPS
    section = _SCHEMES[scheme]
    count = scale.pick(quick=16, full=128)
    work = [{"kind": "transactions", "count": count, "group": number} for number in range(8)]
    planned: dict[str, RunPlan] = {}
    for what, group in ((apart, {"random": 32, "disjoint": True}), (at_random, {"random": 32})):
        options = {"name": "groups", "operations": 2 * count * 32, "group": [group] * 8}
        planned |= with_seeds(scale, _label(what, scheme), plan, 256, section, work, **options)
    exceptions = {slow: (count, _SLOW)}
    if scheme in _CHEATS:
        exceptions[cheat] = (4 * count, {"endpoints": [0], "control": dict(_CHEATS[scheme])})
    for what, (each, exception) in exceptions.items():
        several = {"count": each, "exception": [exception]}
        planned |= with_seeds(scale, _label(what, scheme), all_reduce, section, **several)
    return planned


def _has(runs: Runs, what: str, scheme: str) -> bool:
    return seeded(_label(what, scheme), 1) in runs


def _sizes(runs: Runs) -> list[int]:
    return [size for size in _SIZES if _has(runs, str(size), PRINTED)]


def _of_window(scheme: str, runs: Runs) -> Measured:
    """The ratio of effective bandwidth to the window's, by number of endpoints."""
    return {
        f"{n} endpoints": ratio(runs, _label(str(n), scheme), _label(str(n), WINDOW_3), bandwidth)
        for n in _sizes(runs)
    }


def _means(what: str, runs: Runs) -> Measured:
    return {
        scheme: average(runs, _label(what, scheme), mean)
        for scheme in _SCHEMES
        if _has(runs, what, scheme)
    }


def cheat_over_others(run: Run) -> float:
    """The ratio of the other endpoints' median finish time to endpoint 0's."""
    initiators = run.operations.numbers("initiator").astype(int)
    ends = np.zeros(initiators.max() + 1)
    np.maximum.at(ends, initiators, run.operations.numbers("completed_cycle").astype(float))
    return float(np.median(ends[1:]) / ends[0])


def _cheats(runs: Runs) -> Measured:
    return {
        scheme: average(runs, _label(_GROUPS[3], scheme), cheat_over_others) for scheme in _CHEATS
    }


def _draw_sizes(runs: Runs) -> Chart:
    x = np.array(_sizes(runs), dtype=float)
    drawn = [
        averaged(
            scheme,
            x,
            [average(runs, _label(str(size), scheme), bandwidth) for size in _sizes(runs)],
            colour,
        )
        for colour, scheme in enumerate(_SCHEMES)
    ]
    sizes = Axis("endpoints, all initiators", Quantity.COUNT, log=True)
    return Chart("sizes", "Effective bandwidth by size", sizes, BANDWIDTH, drawn)


def _draw_others(title: str, axis: Axis, metric: Metric) -> Any:
    def draw(runs: Runs) -> Chart:
        drawn = []
        offsets = np.linspace(-0.15, 0.15, len(_SCHEMES))
        for colour, (scheme, offset) in enumerate(zip(_SCHEMES, offsets, strict=True)):
            there = [n for n, what in enumerate(_GROUPS) if _has(runs, what, scheme)]
            found = [average(runs, _label(_GROUPS[n], scheme), metric) for n in there]
            x = np.array(there) + offset
            drawn.append(averaged(scheme, x, found, colour, mark="dots"))
        names = tuple(what.replace("eight groups ", "8 groups\n") for what in _GROUPS)
        names = tuple(name.replace("one slow ", "slow\n") for name in names)
        return Chart(title, title, Axis("", Quantity.COUNT, names=names), axis, drawn)

    return draw


FIGURE = WORDS.figure(
    "scale",
    runs=_plan,
    charts={
        "sizes": _draw_sizes,
        "others-bandwidth": _draw_others("Effective bandwidth", BANDWIDTH, bandwidth),
        "others-latency": _draw_others("Mean latency", LATENCY, mean),
    },
    claims=[
        WORDS.claim(
            "T11",
            measure=lambda runs: _of_window(PRINTED, runs),
            holds=lambda values: values["1024 endpoints"] < values["64 endpoints"],
        ),
        WORDS.claim(
            "T12",
            measure=lambda runs: _of_window(REPAIRED, runs),
            holds=lambda values: all(each >= 0.9 for each in values.values()),
            trend=lambda values: all(each >= 0.75 for each in values.values()),
        ),
        WORDS.claim(
            "T13",
            measure=lambda runs: _means(_GROUPS[2], runs),
            holds=lambda values: values[REPAIRED] <= 2 * values[WINDOW_3],
            show=cycles_text,
        ),
        WORDS.claim(
            "T14",
            measure=lambda runs: _means(_GROUPS[1], runs),
            holds=lambda values: values[REPAIRED] <= 2 * values[WINDOW_3],
            trend=lambda values: values[REPAIRED] <= 0.5 * values[PRINTED],
            show=cycles_text,
        ),
        WORDS.claim(
            "T15",
            measure=_cheats,
            holds=lambda values: all(each > 1.5 for each in values.values()),
        ),
    ],
)
