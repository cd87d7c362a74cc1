"""Charts as compact JSON: numbers have only as many digits as a screen can show."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from incast.files import file_name
from incast.measure.series import Array
from incast.present import palette
from incast.present.charts import Axis, Box, Chart, Curve
from incast.present.units import common_unit

__all__ = ["encode", "json_numbers", "round_digits", "script_json"]

_DIGITS = 5
_STEPS_ON_AXIS = 1e6
"""Steps of x values on a linear axis. Readers can zoom in a thousandfold before points visibly snap
to a grid.
"""


def encode(charts: Iterable[tuple[str, Chart]]) -> str:
    """Charts as JSON in a script element, for the script of the page."""
    document = {
        "palette": {
            "light": palette.CATEGORIES_LIGHT,
            "dark": palette.CATEGORIES_DARK,
            "rampLight": palette.RAMP_LIGHT,
            "rampDark": palette.RAMP_DARK,
        },
        "charts": [{"file": file_name(file)} | _chart(chart) for file, chart in charts],
    }
    return script_json(document)


def script_json(document: Any) -> str:
    """A value as JSON that may be put into a script element."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _chart(chart: Chart) -> dict[str, Any]:
    if chart.frame == "none":
        # The chart is already drawn as a diagram, so only its index is kept.
        return {"name": chart.name, "curves": [_look(curve) for curve in chart.curves]}
    every = [part for curve in chart.curves for part in _parts(curve)]
    # Curves of a run share their times, so each array is written once.
    shared: dict[int, int] = {}
    arrays: list[Array] = []
    for curve in every:
        if id(curve.x) not in shared:
            shared[id(curve.x)] = len(arrays)
            arrays.append(curve.x)
    x_scale, y_scale = _scale(chart.x, arrays), _scale(chart.y, [c.y for c in every])
    return {
        "name": chart.name,
        **({"oneUnit": True} if chart.one_unit else {}),
        "x": _axis(chart.x, x_scale),
        "y": _axis(chart.y, y_scale),
        "xs": [_positions(array, chart.x, x_scale) for array in arrays],
        "curves": [_curve(curve, shared[id(curve.x)], y_scale) for curve in every],
    }


def _parts(curve: Curve) -> list[Curve]:
    """The lines that the script draws for a curve: each segment is a line of its own."""
    if curve.mark != "segments":
        return [curve]
    parts = []
    for first in range(0, len(curve.x), 2):
        x, y = curve.x[first : first + 2], curve.y[first : first + 2]
        # A segment of length zero is a single point.
        size = 1 if x[0] == x[-1] and y[0] == y[-1] else 2
        parts.append(replace(curve, x=x[:size], y=y[:size]))
    return parts


def _axis(axis: Axis, scale: float) -> dict[str, Any]:
    return {
        "label": axis.label,
        "unit": axis.quantity.value,
        "log": axis.log,
        "lower": axis.lower,
        "upper": axis.upper,
        "scale": scale,
        **({"names": axis.names} if axis.names else {}),
    }


def _curve(curve: Curve, x: int, scale: float) -> dict[str, Any]:
    return {
        **_look(curve),
        "x": x,
        "y": json_numbers(round_digits(np.asarray(curve.y, float) / scale)),
        **_spread(curve, scale),
        **_hollow(curve),
        **_bars(curve, scale),
        **({"boxes": [_box(box, scale) for box in curve.boxes]} if curve.boxes else {}),
    }


def _look(curve: Curve) -> dict[str, Any]:
    """The properties of a curve without its numbers."""
    return {
        "label": curve.label,
        "group": curve.group,
        "colour": curve.colour if isinstance(curve.colour, int) else round(curve.colour, 3),
        "ramp": not isinstance(curve.colour, int),
        "dash": curve.dash,
        "mark": curve.mark,
    }


def _spread(curve: Curve, scale: float) -> dict[str, Any]:
    """Lower and upper ends of error bars, if the curve has any."""
    if curve.spread is None:
        return {}
    return {
        "spread": [
            json_numbers(round_digits(np.asarray(ends, float) / scale)) for ends in curve.spread
        ]
    }


def _hollow(curve: Curve) -> dict[str, Any]:
    """Indices of hollow points, if the curve has any."""
    places = [] if curve.hollow is None else np.flatnonzero(curve.hollow).tolist()
    return {"hollow": places} if places else {}


def _bars(curve: Curve, scale: float) -> dict[str, Any]:
    """The lower ends of bars and their width, if the curve has bars."""
    if curve.bars is None:
        return {}
    base = json_numbers(round_digits(np.asarray(curve.bars.base, float) / scale))
    return {"base": base, "width": curve.bars.width}


def _box(box: Box, scale: float) -> list[Any]:
    """The five numbers of a box, and its outliers."""
    five = [box.low, box.lower, box.median, box.upper, box.high]
    return json_numbers(round_digits(np.array([*five, *box.outliers]) / scale))


def _scale(axis: Axis, arrays: list[Array]) -> float:
    """The unit in which the axis's numbers are written, near their size to save digits."""
    largest = max((float(np.nanmax(a)) for a in arrays if np.isfinite(a).any()), default=1.0)
    return common_unit(axis.quantity.value, largest)[0]


def _positions(array: Array, axis: Axis, scale: float) -> list[Any]:
    """Positions on the x axis. On a linear axis, precision follows from the axis's length."""
    scaled = np.asarray(array, float) / scale
    if axis.log or not len(scaled):
        return json_numbers(round_digits(scaled))
    span = max(float(scaled.max() - scaled.min()), 1e-9)
    return json_numbers(np.round(scaled, max(0, int(np.ceil(np.log10(_STEPS_ON_AXIS / span))))))


_TINY = 1e-290
"""Smaller values count as 0, as scaling them would overflow."""


def round_digits(values: Array, digits: int = _DIGITS) -> Array:
    """Values rounded to this number of significant digits."""
    sizes = np.abs(values)
    sizes = np.where(np.isfinite(sizes) & (sizes > _TINY), sizes, 1.0)
    factor = 10.0 ** (digits - 1 - np.floor(np.log10(sizes)))
    return np.round(values * factor) / factor


def json_numbers(values: Array) -> list[Any]:
    """Numbers for JSON: integers without a decimal point, missing numbers as null."""
    return [
        None if value != value else int(value) if value == int(value) else value
        for value in values.tolist()
    ]
