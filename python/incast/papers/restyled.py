"""Panels in another style, which makes the subject of a claim visible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from incast.papers.figure import Runs
from incast.papers.panels import Panel
from incast.present.charts import Axis, Chart, Curve
from incast.present.charts.chart import Dash

__all__ = ["from_low", "log_values", "one_colour_each", "second_dashed"]

_POINTS = 400
"""Points of a curve that is thinned so that its dashes are visible."""


def from_low(panel: Panel, lower: float) -> Panel:
    """A panel whose y axis begins at `lower`, unless a value is smaller."""
    return _with_y(panel, lambda y: replace(y, lower=lower))


def log_values(panel: Panel) -> Panel:
    """A panel with a logarithmic y axis."""
    return _with_y(panel, lambda y: replace(y, log=True))


def second_dashed(panel: Panel) -> Panel:
    """A panel with two flows per run, in which the second flow's curve is dashed. Curves are
    thinned so that dashes are visible.
    """

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
    """A panel with flows coloured along the ramp, as the palette's colours stand for algorithms."""

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
