"""Charts of a sweep: a measure over one varied key, with a line for each combination of the
others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from incast.measure.statistics import Interval
from incast.present.charts.chart import Axis, Chart, Curve, Dash, spans_decades
from incast.present.charts.looks import told_apart
from incast.study.layout import Across, across_of, line_labels, line_parts
from incast.study.means import Group
from incast.study.measures import Measure
from incast.study.steadiness import notes

__all__ = ["chart"]

_LARGEST = 1e300
"""Larger values are not drawn: an axis step would exceed the largest float."""
_DASHES: Sequence[Dash] = ("solid", "dashed", "dotted", "dashdot")


def chart(groups: Sequence[Group], measure: Measure) -> Chart:
    """The chart of a measure: its means over seeds, with their confidence intervals."""
    points = [each.values for each in groups]
    across = across_of(points)
    lines: dict[str, list[Group]] = {}
    for each, label in zip(groups, line_labels(points, across), strict=True):
        if abs(across.place(each.values)) <= _LARGEST:
            lines.setdefault(label, []).append(each)
    looks = _looks([line_parts(alike[0].values, across) for alike in lines.values()])
    curves = [
        _curve(label, alike, across, measure, look, beside=_beside(place, len(lines)))
        for place, (look, (label, alike)) in enumerate(zip(looks, lines.items(), strict=True))
    ]
    log = _is_log(curves)
    # A log axis needs no lower end, and could not include 0.
    lower = None if log or math.isinf(measure.lower) else measure.lower
    drawn = Chart(
        measure.name,
        measure.label[:1].upper() + measure.label[1:],
        across.axis,
        Axis(measure.label, measure.quantity, log=log, lower=lower),
        curves,
        note=" ".join(filter(None, _notes(groups, measure, across))),
        missing=f"No run has a value of {measure.name}.",
    )
    return told_apart(drawn)


def _notes(groups: Sequence[Group], measure: Measure, across: Across) -> list[str]:
    steady = notes([each.steadiness for each in groups]) if measure.selects else []
    return [_seeds_note(groups), _left_out_note(groups, measure, across), *steady]


def _seeds_note(groups: Sequence[Group]) -> str:
    seeds = max((each.runs for each in groups), default=0)
    return f"Means over {seeds} seeds, with 95 % confidence intervals." if seeds > 1 else ""


def _left_out_note(groups: Sequence[Group], measure: Measure, across: Across) -> str:
    found = [each.intervals[measure.column] for each in groups]
    drawn = [number for each in found for number in (each.mean, each.low, each.high)]
    places = [across.place(each.values) for each in groups]
    left_out = any(abs(each) > _LARGEST for each in (*drawn, *places))
    return f"Left out: numbers beyond {_LARGEST:.0e}." if left_out else ""


def _is_log(curves: Sequence[Curve]) -> bool:
    """Whether the values span decades, and all intervals are above 0."""
    lows = [low for curve in curves if curve.spread for low in curve.spread[0] if low <= 0]
    return not lows and spans_decades([curve.y[np.isfinite(curve.y)] for curve in curves])


class _Look(NamedTuple):
    """The colour and the dash of a line."""

    colour: int
    dash: Dash


def _looks(lines: Sequence[Sequence[str]]) -> list[_Look]:
    """The look of each line: the colour stands for its first part, the dash for its other parts."""
    firsts = list(dict.fromkeys(parts[0] if parts else "" for parts in lines))
    others = list(dict.fromkeys(tuple(parts[1:]) for parts in lines))
    alone = len(others) == 1
    return [
        _Look(
            colour := firsts.index(parts[0] if parts else ""),
            _DASHES[(colour if alone else others.index(tuple(parts[1:]))) % len(_DASHES)],
        )
        for parts in lines
    ]


def _beside(place: int, lines: int) -> float:
    """Horizontal shift of a line's dots. Without it, dots of several lines would cover each other
    where the x axis has names.
    """
    width = min(0.12, 0.6 / lines)
    return (place - (lines - 1) / 2) * width


def _curve(
    label: str,
    alike: Sequence[Group],
    across: Across,
    measure: Measure,
    look: _Look,
    *,
    beside: float,
) -> Curve:
    ordered = sorted(alike, key=lambda each: across.place(each.values))
    found = [each.intervals[measure.column] for each in ordered]
    low, high = (_column(found, end, measure) for end in ("low", "high"))
    places = np.array([across.place(each.values) for each in ordered])
    return Curve(
        label or measure.label,
        places + beside if across.names else places,
        _column(found, "mean", measure),
        look.colour,
        dash="solid" if across.names else look.dash,
        mark="dots" if across.names else "points",
        group=label or measure.label,
        spread=None if np.isnan(low).all() else (low, high),
        hollow=np.array([measure.selects and each.steadiness.is_unsteady for each in ordered]),
    )


def _column(found: Sequence[Interval], name: str, measure: Measure) -> np.ndarray[Any, Any]:
    """Numbers of an interval in base units, as charts need them."""
    return _drawable([getattr(each, name) for each in found]) / measure.scale


def _drawable(values: Sequence[float]) -> np.ndarray[Any, Any]:
    """Numbers; those too large to draw are missing (NaN)."""
    numbers = np.array(values, dtype=float)
    return np.where(np.abs(numbers) > _LARGEST, math.nan, numbers)
