"""Figure 6: growth rates, fixed and adaptive, when a 20th flow joins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from incast.papers.framework.explanation import Recorded
from incast.papers.framework.paper import Claim, Figure, RunPlan, Runs, Scale, Values
from incast.papers.lgc import metrics
from incast.papers.lgc.algorithms import EXPONENTIAL_01, EXPONENTIAL_03, LGC
from incast.papers.lgc.metrics import probes, queue_percentiles, share_spread
from incast.papers.lgc.networks import incast, of, seeded
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis
from incast.present.units import seconds_text

_FLOWS = 20
_JOINS_MS = 100.0
_SETTLED = (50e9, 100e9)
"""In ps: from when the first 19 have found their shares to when the newcomer starts."""
_LABELS = (EXPONENTIAL_01, EXPONENTIAL_03, LGC)


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for label in _LABELS:
        planned |= seeded(
            scale,
            label,
            partial(incast, label, _FLOWS, stop_ms=250, late=_JOINS_MS),
        )
    return planned


def _joined_after(runs: Runs, label: str) -> float:
    """Seconds from the newcomer's start to the first interval in which it has 90 % of its share,
    median over seeds.
    """
    found = []
    for run in of(runs, label):
        times, share = list(probes(run, "share").values())[_FLOWS - 1]
        enough = np.flatnonzero(share >= 0.9 / _FLOWS)
        reached = times[enough[0]] * 1e-12 if len(enough) else np.inf
        found.append(reached - _JOINS_MS * 1e-3)
    return float(np.median(found))


def _convergence(runs: Runs) -> Values:
    return {label: _joined_after(runs, label) for label in _LABELS}


def _stability(runs: Runs) -> Values:
    return {
        label: share_spread(of(runs, label), flows=_FLOWS - 1, span=_SETTLED) for label in _LABELS
    }


def _queues(runs: Runs) -> Values:
    return {label: queue_percentiles(of(runs, label), 50, span=_SETTLED)[0] for label in _LABELS}


def _panel(label: str) -> Callable[[Runs], Chart]:
    def draw(runs: Runs) -> Chart:
        run = of(runs, label)[0]
        drawn = [
            Curve(f"flow {place}", times * 1e-12, share, place / (_FLOWS - 1))
            for place, (times, share) in enumerate(probes(run, "share").values())
        ]
        title = "adaptive r" if label == LGC else label
        share = Axis("rate / K", Quantity.RATIO, lower=0)
        return Chart("rates", f"Rates, {title}", time_axis(), share, drawn, note="One run.")

    return draw


_WINDOW = (
    "Of 19 flows from 50 to 100 ms. First measured in the second half of the runs, in which the "
    "newcomer still rises.",
    Recorded(
        "The verdicts then were a trend (L15-stability: 0.00357, 0.00731 and 0.00492) and none "
        "(L16: 26, 64 and 32 packets).",
        {"LGC #1": "5b0ab3c6fd8a96cd"},
    ),
)


def _swings(runs: Runs) -> str:
    spreads = _stability(runs)
    return (
        "With r = 0.3 an update moves rates three times as far before marks answer, an RTT later: "
        f"rates swing {spreads[EXPONENTIAL_03] / spreads[EXPONENTIAL_01]:.1f} times as much as "
        "with r = 0.1 (see L15-stability), and the queue integrates the excess."
    )


FIGURE = Figure(
    id="fig6",
    title="Growth rates when a 20th flow joins",
    where="Fig. 6, §V-B",
    setup="19 flows from time 0, a 20th from 0.1 s; r = 0.1, r = 0.3, adaptive; exponential gaps. "
    "Ten seeds, 250 ms.",
    scaled="three seeds",
    runs=_plan,
    charts={
        "a-rates-slow": _panel(EXPONENTIAL_01),
        "b-rates-fast": _panel(EXPONENTIAL_03),
        "c-rates-adaptive": _panel(LGC),
        "d-queue": metrics.queue_distribution(
            "Queue, distribution over time",
            {label: "adaptive r" if label == LGC else label for label in _LABELS},
        ),
    },
    claims=[
        Claim(
            "L15-speed",
            "with an adaptive growth rate a newcomer gets its share as soon as with r = 0.3",
            claimed="as fast as r = 0.3",
            measure=_convergence,
            holds=lambda values: values[LGC] <= 1.25 * values[EXPONENTIAL_03],
            trend=lambda values: values[LGC] < values[EXPONENTIAL_01],
            tolerance="at most a quarter later at 90 % of the fair share; as a trend, sooner than "
            "with r = 0.1",
            show=seconds_text,
            note="Median over seeds. Never is more than the 150 ms until the runs' end.",
            explanation="The law itself says so: where l is 0.95, from x = 0.006 to 0.045 it takes "
            "168 ms with r = 0.1, 56 ms with r = 0.3 and 114 ms with an adaptive r. That is 0.3 "
            "only as long as x is 0.045 or more below the fair share, which is 0.05 here.",
        ),
        Claim(
            "L15-stability",
            "and rates are as steady as with r = 0.1",
            claimed="as stable as r = 0.1",
            measure=_stability,
            holds=lambda values: values[LGC] <= 1.25 * values[EXPONENTIAL_01],
            trend=lambda values: values[LGC] < values[EXPONENTIAL_03],
            tolerance="the settled deviation over time at most a quarter larger; as a trend, "
            "smaller than with r = 0.3",
            show=lambda value: f"{value:.5f}",
            note=_WINDOW,
        ),
        Claim(
            "L16",
            "the growth rate has no significant effect on the queue",
            claimed="no significant difference",
            measure=_queues,
            holds=lambda values: max(values.values()) <= 1.25 * min(values.values()),
            trend=lambda values: max(values.values()) <= 2 * min(values.values()),
            tolerance="medians at most a quarter apart; as a trend, less than twofold",
            show=lambda value: f"{value:.1f} packets",
            note=_WINDOW,
            explanation=_swings,
        ),
    ],
)
