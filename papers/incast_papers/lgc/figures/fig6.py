"""Figure 6: constant and adaptive growth rates when a 20th flow joins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from incast.measure.run import Run
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, median
from incast.papers.variations import Variation
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis
from incast.present.units import seconds_text
from incast.time_units import PICOSECOND

from incast_papers.lgc.algorithms import (
    COLOURS,
    EXPONENTIAL_01,
    EXPONENTIAL_03,
    FAR_045,
    FAR_045_PRINTED,
    LGC,
    PRINTED,
)
from incast_papers.lgc.figures.fig3 import PALE
from incast_papers.lgc.figures.fig5 import growth_rate
from incast_papers.lgc.metrics import boxes, probes, queue, share_spread
from incast_papers.lgc.networks import RTT, incast, of, seeded
from incast_papers.lgc.words import WORDS

_FLOWS = 20
_JOINS_MS = 100.0
_SETTLED = (50e9, 100e9)
"""In ps: after the first 19 flows have reached their shares, and before the newcomer starts."""
_TRIED = (FAR_045, FAR_045_PRINTED)
_VARIATIONS = (
    Variation("r as Algorithm 1 prints it", {LGC: PRINTED}),
    Variation("g₂ = 0.45, as §V-B prints it", {LGC: FAR_045}),
    Variation("both", {LGC: FAR_045_PRINTED}),
)
_NAMES = {
    EXPONENTIAL_01: "r = 0.1",
    EXPONENTIAL_03: "r = 0.3",
    LGC: "adaptive r",
    PRINTED: PRINTED,
}


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for label in (*_NAMES, *_TRIED):
        planned |= seeded(
            scale,
            label,
            partial(incast, label, _FLOWS, stop_ms=250, late=_JOINS_MS),
        )
    return planned


def _joined_after(run: Run) -> float:
    """Seconds from the newcomer's start to the first interval in which it has 90 % of its fair
    share.
    """
    times, share = list(probes(run, "share").values())[_FLOWS - 1]
    enough = np.flatnonzero(share >= 0.9 / _FLOWS)
    reached = float(times[enough[0]]) * PICOSECOND if len(enough) else np.inf
    return reached - _JOINS_MS * 1e-3


def _spread(run: Run) -> float:
    return share_spread(run, flows=_FLOWS - 1, span=_SETTLED)


def _queue(run: Run) -> float:
    return float(np.median(queue(run, _SETTLED)))


def _speeds(adaptive: str) -> Callable[[Runs], Measured]:
    return lambda runs: {label: median(runs, label, _joined_after) for label in _compared(adaptive)}


def _stability(adaptive: str) -> Callable[[Runs], Measured]:
    return lambda runs: {label: average(runs, label, _spread) for label in _compared(adaptive)}


def _queues(adaptive: str) -> Callable[[Runs], Measured]:
    return lambda runs: {label: median(runs, label, _queue) for label in _compared(adaptive)}


def _compared(adaptive: str) -> Sequence[str]:
    return EXPONENTIAL_01, EXPONENTIAL_03, adaptive


def _panel(label: str) -> Callable[[Runs], Chart]:
    def draw(runs: Runs) -> Chart:
        run = of(runs, label)[0]
        first, newcomer = f"flows 1 to {_FLOWS - 1}", f"flow {_FLOWS}"
        drawn = []
        # The newcomer is drawn last, on top of the others.
        for place, (times, share) in enumerate(probes(run, "share").values(), start=1):
            name, colour = (newcomer, 1) if place == _FLOWS else (first, PALE)
            drawn.append(Curve(name, times * PICOSECOND, share, colour))
        return Chart(
            "rates",
            f"Rates, {_NAMES[label]}",
            time_axis(),
            Axis("rate / K", Quantity.RATIO, lower=0, upper=0.12),
            drawn,
            note="One run.",
        )

    return draw


def _swings(runs: Runs) -> str:
    spreads = [average(runs, label, _spread).mean for label in (EXPONENTIAL_03, EXPONENTIAL_01)]
    return f"{spreads[0] / spreads[1]:.1f}"


def _by_law(growth: Callable[[float], float]) -> str:
    """The time to 90 % of the fair share by Eq. (9), with 19 other flows at their shares, in
    words.
    """
    x, fair, intervals = 0.006, 1 / _FLOWS, 0
    while x < 0.9 * fair:
        x += growth(fair - x) * x * (fair - x)
        intervals += 1
    return f"{intervals * RTT * 1e3:.0f} ms"


_L15_SPEED = WORDS.claim(
    "L15-speed",
    measure=_speeds(LGC),
    holds=lambda values: values[LGC] <= 1.25 * values[EXPONENTIAL_03],
    trend=lambda values: values[LGC] < values[EXPONENTIAL_01],
    show=seconds_text,
    variations=_VARIATIONS,
    distance=lambda values: values[LGC] / values[EXPONENTIAL_03],
    values={
        "slow": lambda _: _by_law(lambda _: 0.1),
        "fast": lambda _: _by_law(lambda _: 0.3),
        "adaptive": lambda _: _by_law(growth_rate),
        "printed": lambda _: _by_law(partial(growth_rate, printed=True)),
    },
)

_L15_STABILITY = WORDS.claim(
    "L15-stability",
    measure=_stability(LGC),
    holds=lambda values: values[LGC] <= 1.25 * values[EXPONENTIAL_01],
    trend=lambda values: values[LGC] < values[EXPONENTIAL_03],
    show=lambda value: f"{value:.5f}",
    variations=_VARIATIONS,
    distance=lambda values: values[LGC] / values[EXPONENTIAL_01],
)

_L16 = WORDS.claim(
    "L16",
    measure=_queues(LGC),
    holds=lambda values: max(values.values()) <= 1.25 * min(values.values()),
    trend=lambda values: max(values.values()) <= 2 * min(values.values()),
    show=lambda value: f"{value:.1f}",
    values={"swings": _swings},
    variations=_VARIATIONS,
    distance=lambda values: max(values.values()) / min(values.values()),
)


def _printed(claim: Claim, measure: Callable[[Runs], Measured]) -> Claim:
    """The claim under the growth rate that Algorithm 1 prints."""

    def renamed(values: Values) -> Values:
        return {LGC if label == PRINTED else label: value for label, value in values.items()}

    judge, trend = claim.holds, claim.trend
    assert trend is not None
    return WORDS.again(
        claim,
        f"{claim.id}-printed",
        measure=measure,
        holds=lambda values: judge(renamed(values)),
        trend=lambda values: trend(renamed(values)),
        variations=(),
        distance=None,
    )


FIGURE = WORDS.figure(
    "fig6",
    runs=_plan,
    charts={
        "a-rates-slow": _panel(EXPONENTIAL_01),
        "b-rates-fast": _panel(EXPONENTIAL_03),
        "c-rates-adaptive": _panel(LGC),
        "d-queue": boxes(
            "Queue",
            [""],
            {name: (COLOURS[label], [label]) for label, name in _NAMES.items()},
            span=_SETTLED,
            note="All seeds, from 50 to 100 ms.",
        ),
        "e-rates-printed": _panel(PRINTED),
    },
    claims=[
        _L15_SPEED,
        _L15_STABILITY,
        _printed(_L15_SPEED, _speeds(PRINTED)),
        _printed(_L15_STABILITY, _stability(PRINTED)),
        _L16,
        _printed(_L16, _queues(PRINTED)),
    ],
)
