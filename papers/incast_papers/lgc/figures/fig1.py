"""Figure 1: logistic growth."""

from __future__ import annotations

import numpy as np
from incast.fluid import logistic
from incast.papers.claim import Values
from incast.papers.figure import Runs
from incast.present.charts import Axis, Chart, Curve, Quantity

from incast_papers.lgc.words import WORDS

_RATES = (0.1, 0.3, 0.5, 1.0)


def _growth_chart(_: Runs) -> Chart:
    times = np.linspace(0, 60, 601)
    drawn = [
        Curve(f"growth rate {rate:g}", times, logistic.growth(0.1, rate, times), place)
        for place, rate in enumerate(_RATES)
    ]
    return Chart(
        "growth",
        "Logistic growth from x(0) = 0.1",
        Axis("time / interval", Quantity.COUNT),
        Axis("population / capacity", Quantity.RATIO, lower=0, upper=1),
        drawn,
    )


def _speeds(_: Runs) -> Values:
    """The time until x = 0.9, and x after a long time, for each growth rate."""
    times = np.linspace(0, 200, 200_001)
    found = {}
    for rate in _RATES:
        x = logistic.growth(0.1, rate, times)
        found[f"0.9 at, r = {rate:g}"] = float(times[np.searchsorted(x, 0.9)])
    slowest = logistic.growth(0.1, min(_RATES), times)
    return {**found, "limit": float(slowest[-1])}


def _faster(values: Values) -> bool:
    reached = [value for name, value in values.items() if name != "limit"]
    return reached == sorted(reached, reverse=True) and abs(values["limit"] - 1) < 1e-6


FIGURE = WORDS.figure(
    "fig1",
    charts={"growth": _growth_chart},
    claims=[
        WORDS.claim(
            "L01",
            measure=_speeds,
            holds=_faster,
        )
    ],
)
