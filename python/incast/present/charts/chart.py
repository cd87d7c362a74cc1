"""A chart: curves over two axes, without a word on pixels or colours' names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeAlias

import numpy as np

from incast.measure.series import Array

__all__ = ["Axis", "Chart", "Curve", "Dash", "Quantity", "spans_decades", "time_axis"]

Dash: TypeAlias = Literal["solid", "dashed", "dotted", "dashdot"]


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
    """Of places 0, 1, …, where the axis has things and no numbers."""


@dataclass(frozen=True)
class Curve:
    """One line, or one cloud of points."""

    label: str
    x: Array
    y: Array
    colour: int | float = 0
    """A place in the palette; or, between 0.0 and 1.0, a place on the ramp, for curves that are
    many and in order.
    """
    dash: Dash = "solid"
    """Style of a line; the shape of dots."""
    mark: Literal["line", "steps", "dots", "points", "segments"] = "line"
    """`points` are measured, and joined by a line; `segments` are lines between the first two
    places, the next two, and so on.
    """
    group: str = ""
    """The run it belongs to, where curves are too many for a legend of their own."""
    spread: tuple[Array, Array] | None = None
    """Lower and upper end of an error bar at each point, if points have any; nan where there is
    none.
    """


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

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(np.isfinite(curve.y).any() for curve in self.curves)


def spans_decades(values: Iterable[Array]) -> bool:
    """Whether a log axis shows more of these values than a linear one."""
    ends = [(float(part.min()), float(part.max())) for part in values if len(part)]
    return bool(ends) and max(high for _, high in ends) > 10 * min(low for low, _ in ends) > 0


def time_axis(label: str = "simulated time") -> Axis:
    """The axis of everything that changes over time."""
    return Axis(label, Quantity.TIME)
