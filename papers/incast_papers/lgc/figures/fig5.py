"""Figure 5: the growth rate."""

from __future__ import annotations

import numpy as np
from incast.papers.figure import Runs
from incast.present.charts import Axis, Chart, Curve, Quantity

from incast_papers.lgc.words import WORDS

_NEAR, _FAR, _LOW, _HIGH = 0.015, 0.045, 0.1, 0.3
"""The values of g₁, g₂, r_conv and r_init in §VI."""


def growth_rate(distance: float, *, printed: bool = False, bounded: bool = True) -> float:
    """The growth rate r at a distance from the fair share, as Fig. 5 draws it or, if `printed`, as
    Algorithm 1 prints it.
    """
    if distance <= _NEAR:
        return _LOW
    if distance >= _FAR:
        return _HIGH
    beyond = distance if printed else distance - _NEAR
    rate = _LOW + beyond * (_HIGH - _LOW) / (_FAR - _NEAR)
    return min(rate, _HIGH) if bounded else rate


def _growth_chart(_: Runs) -> Chart:
    distances = np.linspace(0, 0.08, 401)

    def curve(**form: bool) -> np.ndarray:
        return np.array([growth_rate(float(each), **form) for each in distances])

    return Chart(
        "growth-rate",
        "Growth rate over the distance from the fair share",
        Axis("|x − x̂|", Quantity.RATIO),
        Axis("r", Quantity.RATIO, lower=0),
        [
            Curve("as Fig. 5 draws it", distances, curve(), 0),
            Curve(
                "as Algorithm 1 prints it",
                distances,
                curve(printed=True, bounded=False),
                1,
                dash="dashed",
            ),
            Curve("printed, as runs use it", distances, curve(printed=True), 2, dash="dotted"),
        ],
        note="Printed, it jumps at both ends and passes r_init; runs with it cut it there.",
    )


FIGURE = WORDS.figure(
    "fig5",
    charts={"growth-rate": _growth_chart},
)
