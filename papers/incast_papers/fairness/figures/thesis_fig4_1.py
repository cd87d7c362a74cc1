"""Dissertation, figure 4.1: a new flow at line rate makes fair shares unfair."""

from __future__ import annotations

import numpy as np
from incast.fluid import aimd
from incast.papers.claim import Values
from incast.papers.figure import Runs
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text

from incast_papers.fairness.words import WORDS

FAIR = [0.5, 0.5]
"""Fair shares of two flows on a link of rate 1."""


def _chart(_: Runs) -> Chart:
    joined = aimd.joined(FAIR, 1.0)
    steps = [[*FAIR, np.nan], joined, aimd.decreased(joined)]
    times = np.array([1.0, 2.0, 3.0, 4.0])
    curves = [
        Curve(f"flow {flow}", times, np.array([*rates, rates[-1]]), flow, mark="steps")
        for flow, rates in enumerate(zip(*steps, strict=True), start=1)
    ]
    # Flows 1 and 2 have equal curves, so the second is dashed and drawn on top.
    curves[1] = Curve("flow 2", times, curves[1].y, 2, dash="dashed", mark="steps")
    return Chart(
        "new-flow",
        "Rates before and after a new flow, and after one decrease",
        Axis("step", Quantity.COUNT),
        Axis("rate / link rate", Quantity.RATIO, lower=0, upper=1),
        curves,
    )


def _measure(_: Runs) -> Values:
    rates = aimd.decreased(aimd.joined(FAIR, 1.0))
    return {f"flow {flow}": rate for flow, rate in enumerate(rates, start=1)}


FIGURE = WORDS.figure(
    "thesis_fig4_1",
    charts={"new-flow": _chart},
    claims=[
        WORDS.claim(
            "A13",
            measure=_measure,
            holds=lambda values: list(values.values()) == [0.25, 0.25, 0.5],
            show=percent_text,
        ),
        WORDS.claim(
            "A15",
            measure=lambda _: {
                "per RTT": aimd.ratio(aimd.decreased([2.0, 1.0])),
                "per mark": aimd.ratio(aimd.decreased_by_marks([2.0, 1.0])),
            },
            holds=lambda values: values["per RTT"] == 2 > values["per mark"],
        ),
    ],
)
