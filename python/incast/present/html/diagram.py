"""Charts without axes, such as topologies, drawn as SVG in the page."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from markupsafe import Markup, escape

from incast.measure.series import Array
from incast.present import palette
from incast.present.charts import Chart, Curve

__all__ = ["diagram"]

_WIDTH, _HEIGHT, _MARGIN = 1000.0, 400.0, 12.0
_RADIUS = 4


def diagram(chart: Chart) -> Markup:
    """The drawing of a chart without axes; its legend is beside it."""
    spans = [
        _span(np.concatenate([getattr(curve, side) for curve in chart.curves])) for side in "xy"
    ]
    parts = (_drawn(curve, *_places(curve, spans)) for curve in chart.curves)
    return Markup(
        f'<svg class="diagram" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" '
        f'aria-label="{escape(chart.title)}">{"".join(parts)}</svg>'
    )


def _span(values: Array) -> tuple[float, float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return low, high - low or 1.0


def _places(curve: Curve, spans: list[tuple[float, float]]) -> tuple[Array, Array]:
    """The points of a curve in the units of the drawing, whose y axis points down."""
    (left, width), (bottom, height) = spans
    x = _MARGIN + (np.asarray(curve.x) - left) / width * (_WIDTH - 2 * _MARGIN)
    y = _HEIGHT - _MARGIN - (np.asarray(curve.y) - bottom) / height * (_HEIGHT - 2 * _MARGIN)
    return x, y


def _drawn(curve: Curve, x: Array, y: Array) -> str:
    assert isinstance(curve.colour, int)
    colour = f"var(--colour-{curve.colour % palette.SIZE})"
    if curve.mark == "dots":
        return f'<g style="fill: {colour}">{"".join(_dots(x, y))}</g>'
    command = "ML" if curve.mark == "segments" else "L"
    path = "".join(
        f"{command[place % len(command)] if place else 'M'}{one:.1f} {other:.1f}"
        for place, (one, other) in enumerate(zip(x, y, strict=True))
    )
    return f'<path style="stroke: {colour}" d="{path}"/>'


def _dots(x: Array, y: Array) -> Iterable[str]:
    for one, other in zip(x, y, strict=True):
        yield f'<circle cx="{one:.1f}" cy="{other:.1f}" r="{_RADIUS}"/>'
