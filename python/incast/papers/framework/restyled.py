"""Panels drawn a little differently, so that what a claim is about can be seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from incast.papers.framework.panels import Panel
from incast.papers.framework.paper import Runs
from incast.present.charts import Axis, Chart, Curve
from incast.present.charts.chart import Dash

__all__ = ["from_low", "log_values", "one_colour_each", "second_dashed"]

_POINTS = 400
"""Points of a curve whose dashes are to be seen."""


def from_low(panel: Panel, lower: float) -> Panel:
    """A panel whose values are all large: its axis begins here, unless one is lower."""
    return _with_y(panel, lambda y: replace(y, lower=lower))


def log_values(panel: Panel) -> Panel:
    """Values on a logarithmic axis."""
    return _with_y(panel, lambda y: replace(y, log=True))


def second_dashed(panel: Panel) -> Panel:
    """Two flows of each run, the second one's curve dashed; thinned, for dashes to be seen."""

    def draw(runs: Runs) -> Chart:
        chart = panel(runs)
        curves = [_thinned(curve) for curve in chart.curves]
        return replace(chart, curves=curves, note=f"{_POINTS} values of each curve.")

    return draw


def _thinned(curve: Curve) -> Curve:
    kept = np.unique(np.linspace(0, len(curve.x) - 1, _POINTS).astype(int))
    dash: Dash = "dashed" if curve.label.endswith("flow 1") else "solid"
    return replace(curve, x=curve.x[kept], y=curve.y[kept], dash=dash)


def one_colour_each(panel: Panel) -> Panel:
    """Curves of flows along the ramp, where the palette's colours are algorithms."""

    def draw(runs: Runs) -> Chart:
        chart = panel(runs)
        last = max(1, len(chart.curves) - 1)
        curves = [replace(curve, colour=place / last) for place, curve in enumerate(chart.curves)]
        return replace(chart, curves=curves)

    return draw


def _with_y(panel: Panel, change: Callable[[Axis], Axis]) -> Panel:
    def draw(runs: Runs) -> Chart:
        chart = panel(runs)
        return replace(chart, y=change(chart.y))

    return draw
