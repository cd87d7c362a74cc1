"""Series over time as curves, thinned to the resolution of a screen or page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from incast.measure.run import Run, Runs
from incast.measure.series import Curves, decimate
from incast.present import palette
from incast.present.charts.chart import Curve
from incast.present.units import time_text
from incast.time_units import PICOSECOND

__all__ = ["OverTime", "over_time", "unnamed"]

_MOST_POINTS = 3000
"""The most points on one time axis: twice the pixels of a wide screen."""
_MOST_NUMBERS = 24_000
"""The most numbers in one chart, which keeps a report with all charts below two megabytes."""


@dataclass(frozen=True)
class OverTime:
    """Curves, and a remark on how they were thinned."""

    curves: list[Curve]
    note: str


def over_time(
    runs: Runs,
    pick: Callable[[Run], Curves],
    *,
    mark: Literal["line", "steps"] = "line",
    cycles: bool = False,
) -> OverTime:
    """The curves that `pick` takes from each run. Colours distinguish runs if there are several,
    otherwise curves; many curves use the colour ramp. Times are in picoseconds, or in cycles if
    `cycles`.
    """
    picked = {label: pick(run) for label, run in runs.items()}
    # The times of each run need a row, too.
    rows = len(runs) + sum(map(len, picked.values()))
    points = min(_MOST_POINTS, _MOST_NUMBERS // rows)
    curves: list[Curve] = []
    widths = []
    for index, (label, group) in enumerate(picked.items()):
        thinned = decimate(group, points)
        if thinned.bin_width is not None:
            widths.append(thinned.bin_width)
        x = thinned.times * (1 if cycles else PICOSECOND)
        for place, (entity, values) in enumerate(thinned.values.items()):
            name = entity if len(runs) == 1 else f"{label}: {entity}" if entity else label
            colour = index if len(runs) > 1 else _colour(place, len(group))
            curves.append(Curve(name or label, x, values, colour, mark=mark, group=label))
    note = ""
    if widths:
        width = f"{max(widths):.0f} cycles" if cycles else time_text(max(widths))
        note = f"Smallest and largest value of every {width}."
    return OverTime(curves, note)


def unnamed(found: Curves) -> Curves:
    """The only curve that a run has of a measure, without a name of its own."""
    return {"": next(iter(found.values()))} if found else {}


def _colour(place: int, count: int) -> int | float:
    return place if count <= palette.SIZE else place / (count - 1)
