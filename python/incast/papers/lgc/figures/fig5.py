"""Figure 5: the growth rate."""

from __future__ import annotations

import numpy as np

from incast.papers.framework.paper import Figure, Runs
from incast.present.charts import Axis, Chart, Curve, Quantity


def _growth_chart(_: Runs) -> Chart:
    distance = np.linspace(0, 0.08, 801)
    near, far, low, high = 0.015, 0.045, 0.1, 0.3
    line = low + (distance - near) * (high - low) / (far - near)
    corrected = np.where(distance <= near, low, np.where(distance >= far, high, line))
    between = low + distance * (high - low) / (far - near)
    printed = np.where(distance <= near, low, np.where(distance >= far, high, between))
    return Chart(
        "growth-rate",
        "Growth rate over the distance from the fair share",
        Axis("|x − x̂|", Quantity.RATIO),
        Axis("r", Quantity.RATIO, lower=0),
        [
            Curve("as Fig. 5 draws it", distance, corrected, 0),
            Curve("as Algorithm 1 prints it", distance, printed, 1, dash="dashed"),
            Curve("printed, as runs use it", distance, np.minimum(printed, high), 2),
        ],
        note="Printed, it jumps at both ends and passes r_init; runs with it cut it there.",
    )


FIGURE = Figure(
    id="fig5",
    title="The growth rate",
    where="Fig. 5, §V-B",
    setup="Nothing is run.",
    charts={"growth-rate": _growth_chart},
)
