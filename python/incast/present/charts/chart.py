"""A chart: curves over two axes, without a word on pixels or colours' names."""

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
    """Quantity of an axis, in base units; the format of its numbers follows from it."""

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
    """The axis reaches down to here at least."""
    upper: float | None = None
    """The axis reaches up to here at least."""
    names: tuple[str, ...] = ()
    """Names of the places 0, 1, …, where the axis has things and no numbers."""


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
        """Boxes span the middle half; whiskers reach to the last number within 1.5 times as much of
        it (J. W. Tukey, Exploratory Data Analysis, 1977). Of numbers beyond, this many at most are
        kept, evenly by rank.
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
    """Bars, one at each place: as high as `y` of their curve, and as wide as all of them."""

    base: Array
    """Where each bar begins: those of several curves stand on each other."""
    width: float
    """The width of a bar on the x axis."""


@dataclass(frozen=True)
class Curve:
    """One line, or one cloud of points."""

    label: str
    """The text in the legend, where curves of one label have one entry."""
    x: Array
    y: Array
    colour: int | float = 0
    """A place in the palette; or, between 0.0 and 1.0, a place on the ramp, for curves that are
    many and in order.
    """
    dash: Dash = "solid"
    """Style of a line; the shape of dots."""
    mark: Mark = "line"
    """`points` are measured, and joined by a line; `segments` are lines between the first two
    places, the next two, and so on; `boxes` stand for a distribution at each place.
    """
    group: str = ""
    """The run it belongs to, where curves are too many for a legend of their own."""
    spread: tuple[Array, Array] | None = None
    """Lower and upper end of an error bar at each point, if points have any; nan where there is
    none.
    """
    is_band: bool = False
    """Whether paper has a band in place of error bars."""
    boxes: Sequence[Box] = ()
    """At each place the box to draw, a fifth wide, and `y` its median, if the mark is `boxes`."""
    bars: Bars | None = None
    """Where bars begin, if the mark is `bars`."""
    hollow: Array | None = None
    """Whether each point is hollow, for a reason that the note gives."""


@dataclass(frozen=True)
class Chart:
    """One chart."""

    name: str
    title: str
    x: Axis
    y: Axis
    curves: list[Curve] = field(default_factory=list)
    note: str = ""
    """Remark for the reader: how points were made, what was left out."""
    frame: Literal["axes", "none"] = "axes"
    """Whether places have a meaning; those of a topology have none, and names stand in the legend.
    """
    one_unit: bool = False
    """Whether both axes show their numbers in one unit, so that slopes can be read."""
    missing: str = ""
    """For a chart without curves: the reason, and the setting that records its data. Empty if the
    chart is of no use for these runs.
    """

    zero_is_nothing: bool = False
    """Whether there is nothing to see where all values are 0: no pause, no token."""

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
    """The charts that have something to show, of those that were asked for. A warning says why
    another is not drawn.
    """
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
    """Whether a log axis shows more of these values than a linear one."""
    ends = [(float(part.min()), float(part.max())) for part in values if len(part)]
    return bool(ends) and max(high for _, high in ends) > 10 * min(low for low, _ in ends) > 0


def time_axis(label: str = "simulated time") -> Axis:
    """The axis of everything that changes over time."""
    return Axis(label, Quantity.TIME)
