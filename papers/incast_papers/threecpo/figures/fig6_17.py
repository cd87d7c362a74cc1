"""Fig. 6.17: two groups that share a fabric."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from incast.measure.statistics import Average
from incast.papers.claim import Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.panels import averaged
from incast.papers.seeds import average, ratio
from incast.present.charts import Axis, Chart, Quantity
from incast.present.units import percent_text

from incast_papers.threecpo.algorithms import (
    ALONE,
    BASELINE,
    PRINTED,
    REPAIRED,
    TUNED,
    control,
    window,
)
from incast_papers.threecpo.metrics import BANDWIDTH, LATENCY, cycles_text, group
from incast_papers.threecpo.networks import shared, with_seeds
from incast_papers.threecpo.words import WORDS

HALVES = ("all-reduce", "writes")
_SCHEMES = (BASELINE, TUNED, PRINTED, REPAIRED)
_LOW = (1_300, 1_600)
_BANDWIDTH = "effective_bandwidth"
_APART = f"{PRINTED}, halves of whole ToRs"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    count = scale.pick(quick=64, full=512)
    planned: dict[str, RunPlan] = {}
    for half in HALVES:
        planned |= with_seeds(scale, labelled(half, ALONE), shared, window(3), [half], count=count)
    for scheme in _SCHEMES:
        chosen = window(3) if scheme == TUNED else control(scheme)
        planned |= with_seeds(scale, scheme, shared, chosen, HALVES, count=count)
    printed = control(PRINTED)
    planned[_APART] = shared(printed, HALVES, count=count, apart=True)
    return planned


def labelled(half: str, scheme: str) -> str:
    """The label of the runs that contain a half under a scheme."""
    return f"{half}, {ALONE}" if scheme == ALONE else scheme


def _value(runs: Runs, half: str, scheme: str, metric: str) -> Average:
    return average(runs, labelled(half, scheme), group(HALVES.index(half), metric))


def _of_alone(runs: Runs, schemes: Sequence[str] = _SCHEMES) -> Measured:
    """The ratio of effective bandwidth to that of the half alone, paired by seed."""
    return {
        f"{half}, {scheme}": ratio(runs, scheme, labelled(half, ALONE), group(number, _BANDWIDTH))
        for number, half in enumerate(HALVES)
        for scheme in schemes
    }


def _shares_of_tors(runs: Runs) -> str:
    """The share of its bandwidth alone that each half keeps, if halves are whole ToRs."""
    found = [
        _value(runs, half, _APART, _BANDWIDTH).mean / _value(runs, half, ALONE, _BANDWIDTH).mean
        for half in HALVES
    ]
    return " and ".join(map(percent_text, found))


def _means(runs: Runs) -> Measured:
    return {
        f"{half}, {scheme}": _value(runs, half, scheme, "mean_cycles")
        for half in HALVES
        for scheme in (ALONE, *_SCHEMES)
    }


def _printed_latencies(values: Values) -> bool:
    low = [values[f"{half}, {scheme}"] for half in HALVES for scheme in (ALONE, TUNED, PRINTED)]
    none = [values[f"{half}, {BASELINE}"] for half in HALVES]
    return all(0.75 * _LOW[0] <= each <= 1.25 * _LOW[1] for each in low) and all(
        abs(each / 75_000 - 1) <= 0.25 for each in none
    )


def _suffers(values: Values) -> bool:
    none = [values[f"{half}, {BASELINE}"] for half in HALVES]
    three = [values[f"{half}, {PRINTED}"] for half in HALVES]
    return max(none) <= 0.85 and min(three) >= 0.85


def _drawn(title: str, axis: Axis, metric: str) -> Callable[[Runs], Chart]:
    """A panel with a point for each half under each scheme."""

    def draw(runs: Runs) -> Chart:
        drawn = []
        schemes = (ALONE, *_SCHEMES)
        for colour, (scheme, offset) in enumerate(
            zip(schemes, np.linspace(-0.2, 0.2, len(schemes)), strict=True)
        ):
            found = [_value(runs, half, scheme, metric) for half in HALVES]
            x = np.arange(len(HALVES)) + offset
            drawn.append(averaged(scheme, x, found, colour, mark="dots"))
        return Chart(title, title, Axis("half", Quantity.COUNT, names=HALVES), axis, drawn)

    return draw


FIGURE = WORDS.figure(
    "fig6_17",
    runs=_plan,
    charts={
        "bandwidth": _drawn("Effective bandwidth", BANDWIDTH, _BANDWIDTH),
        "latency": _drawn("Mean latency", LATENCY, "mean_cycles"),
    },
    claims=[
        WORDS.claim(
            "G24",
            measure=_of_alone,
            holds=_suffers,
            values={"shares_of_tors": _shares_of_tors},
        ),
        WORDS.claim(
            "G25",
            measure=_means,
            holds=_printed_latencies,
            show=cycles_text,
        ),
        WORDS.claim(
            "T07",
            measure=lambda runs: _of_alone(runs, [REPAIRED]),
            holds=lambda values: all(each >= 0.85 for each in values.values()),
        ),
    ],
)
