"""The looks of curves: colours first, and line styles if there are more curves than colours."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from incast.present.charts.chart import Chart, Curve, Dash
from incast.present.palette import SIZE

__all__ = ["MOST_LOOKS", "relabelled", "told_apart"]

_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dashdot")
MOST_LOOKS = SIZE * len(_DASHES)
"""The number of curves that can differ in colour, line style or shape."""
_ALIKE = "Some curves look alike: there are more of them than colours and strokes. Name fewer."


def told_apart(chart: Chart) -> Chart:
    """A chart in which no two curves look the same: after the seventh colour, line styles change.
    If styles already have a meaning, or do not suffice, a note says so.
    """
    curves = list(chart.curves)
    # Curves on the colour ramp need no different looks.
    plain = [curve for curve in curves if isinstance(curve.colour, int)]
    if all(curve.dash == "solid" for curve in plain):
        curves = [_stroked(curve) for curve in curves]
    owners: dict[tuple[int, str, str], set[str]] = {}
    for curve in curves:
        if isinstance(curve.colour, int):
            look = (curve.colour % SIZE, curve.dash, curve.mark)
            owners.setdefault(look, set()).add(curve.label)
    alike = any(len(labels) > 1 for labels in owners.values())
    note = " ".join(filter(None, [chart.note, _ALIKE if alike else ""]))
    return dataclasses.replace(chart, curves=curves, note=note)


def relabelled(chart: Chart, labels: Mapping[str, str]) -> Chart:
    """A chart with new labels for its curves, and for the names on its axes.

    Args:
        chart: The chart.
        labels: New labels by old ones.
    """
    if not labels:
        return chart
    curves = [
        dataclasses.replace(
            curve,
            label=labels.get(curve.label, curve.label),
            group=labels.get(curve.group, curve.group),
        )
        for curve in chart.curves
    ]
    names = tuple(labels.get(name, name) for name in chart.x.names)
    return dataclasses.replace(chart, curves=curves, x=dataclasses.replace(chart.x, names=names))


def _stroked(curve: Curve) -> Curve:
    if not isinstance(curve.colour, int) or curve.colour < SIZE:
        return curve
    return dataclasses.replace(curve, dash=_DASHES[curve.colour // SIZE % len(_DASHES)])
