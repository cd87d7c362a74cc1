"""A chart as data: curves over two axes, without pixels or names of colours."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeAlias

import numpy as np

from incast.measure.series import Array, percentile

__all__ = [
    "Axis",
    "Bars",
    "Box",
    "Chart",
    "Curve",
    "Dash",
    "Mark",
    "Quantity",
    "spans_decades",
    "time_axis",
    "worth_drawing",
]

Dash: TypeAlias = Literal["solid", "dashed", "dotted", "dashdot"]
Mark: TypeAlias = Literal["line", "steps", "dots", "points", "segments", "boxes", "bars"]


class Quantity(Enum):
    """The quantity of an axis, with its base unit, which determines how numbers are formatted."""

    TIME = "s"
    SIZE = "B"
    RATE = "bps"
    COUNT = "count"
    RATIO = "ratio"


@dataclass(frozen=True)
class Axis:
    """One axis."""

    label: str
    quantity: Quantity
    log: bool = False
    lower: float | None = None
    """The axis extends at least down to this value."""
    upper: float | None = None
    """The axis extends at least up to this value."""
    names: tuple[str, ...] = ()
    """Names of the positions 0, 1, …, for an axis of names instead of numbers."""


@dataclass(frozen=True)
class Box:
    """A box-and-whisker plot of one set of numbers."""

    low: float
    """Lower end of the whiskers."""
    lower: float
    median: float
    upper: float
    high: float
    """Upper end of the whiskers."""
    outliers: Array

    @staticmethod
    def of(values: Array, outliers: int) -> Box:
        """Makes a box. It spans the middle half of the numbers; whiskers reach to the last number
        within 1.5 times the box's length (J. W. Tukey, Exploratory Data Analysis, 1977). Of numbers
        beyond, at most `outliers` are kept, evenly by rank.
        """
        lower, median, upper = (percentile(values, each) for each in (25, 50, 75))
        reach = 1.5 * (upper - lower)
        inside = values[(values >= lower - reach) & (values <= upper + reach)]
        beyond = np.sort(values[(values < lower - reach) | (values > upper + reach)])
        kept = np.unique(np.linspace(0, len(beyond) - 1, min(outliers, len(beyond))).astype(int))
        ends = (float(inside.min()), float(inside.max()))
        return Box(ends[0], lower, median, upper, ends[1], beyond[kept])


@dataclass(frozen=True)
class Bars:
    """Bars, one at each x of a curve. Their heights are the curve's `y`; all have the same
    width.
    """

    base: Array
    """The lower end of each bar; bars of several curves are stacked."""
    width: float
    """The width of a bar on the x axis."""


@dataclass(frozen=True)
class Curve:
    """One line, or one cloud of points."""

    label: str
    """The text in the legend; curves with the same label share an entry."""
    x: Array
    y: Array
    colour: int | float = 0
    """An int is an index into the palette. A float between 0.0 and 1.0 is a position on the colour
    ramp, for many curves in a natural order.
    """
    dash: Dash = "solid"
    """The style of a line, or the shape of dots."""
    mark: Mark = "line"
    """`points` are measured points joined by a line. `segments` are separate lines: between the
    first two points, the next two, and so on. `boxes` show a distribution at each x.
    """
    group: str = ""
    """The run of the curve, for charts whose curves are too many for a legend."""
    spread: tuple[Array, Array] | None = None
    """Lower and upper ends of error bars, if points have any; NaN for a point without one."""
    is_band: bool = False
    """Whether figures for papers draw a band in place of error bars."""
    boxes: Sequence[Box] = ()
    """With the mark `boxes`, the box at each x, a fifth of a unit wide; `y` has the medians."""
    bars: Bars | None = None
    """With the mark `bars`, the bars of the curve."""
    hollow: Array | None = None
    """For each point, whether it is hollow; the chart's note says why."""


@dataclass(frozen=True)
class Chart:
    """One chart."""

    name: str
    title: str
    x: Axis
    y: Axis
    curves: list[Curve] = field(default_factory=list)
    note: str = ""
    """A remark for readers: how points were computed, what was left out."""
    frame: Literal["axes", "none"] = "axes"
    """Whether the axes have a meaning. In the drawing of a topology they have none."""
    one_unit: bool = False
    """Whether both axes use the same unit, so that slopes can be read."""
    missing: str = ""
    """For a chart without curves, the reason, and the setting that records its data. Empty if the
    chart does not apply to these runs.
    """

    zero_is_nothing: bool = False
    """Whether a chart with only zeros shows nothing: no pause, no token."""

    @property
    def worth_showing(self) -> bool:
        """Whether the chart has something to show."""
        values = [curve.y[np.isfinite(curve.y)] for curve in self.curves]
        return any(part.any() if self.zero_is_nothing else len(part) > 0 for part in values)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(np.isfinite(curve.y).any() for curve in self.curves)


def worth_drawing(charts: Iterable[Chart]) -> list[Chart]:
    """The charts that have something to show. For each other chart, a warning gives the reason."""
    found = []
    for chart in charts:
        if chart.worth_showing:
            found.append(chart)
            continue
        why = chart.missing or "These runs have nothing of it."
        told = " ".join(why.split()) if chart.empty else "All of its values are 0."
        warnings.warn(f"chart `{chart.name}` is not drawn: {told}", stacklevel=2)
    return found


def spans_decades(values: Iterable[Array]) -> bool:
    """Whether values span so many decades that a log axis shows them better than a linear one."""
    ends = [(float(part.min()), float(part.max())) for part in values if len(part)]
    return bool(ends) and max(high for _, high in ends) > 10 * min(low for low, _ in ends) > 0


def time_axis(label: str = "simulated time") -> Axis:
    """The time axis of charts over simulated time."""
    return Axis(label, Quantity.TIME)
