"""What tells curves from each other: colours first, and strokes where there are more curves."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from incast.present.charts.chart import Chart, Curve, Dash
from incast.present.palette import SIZE

__all__ = ["MOST_LOOKS", "relabelled", "told_apart"]

_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dashdot")
MOST_LOOKS = SIZE * len(_DASHES)
"""Curves that differ in colour, or in stroke or shape."""
_ALIKE = "Some curves look alike: there are more of them than colours and strokes. Name fewer."


def told_apart(chart: Chart) -> Chart:
    """A chart of which no two curves look alike: beyond the seventh colour strokes change. Where
    strokes have another meaning, or are too few, a note says so.
    """
    curves = list(chart.curves)
    # Curves on the ramp are many and in order.
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
    """A chart whose curves, and places that are names, are called otherwise.

    Args:
        chart: The chart.
        labels: New names by old ones.
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
