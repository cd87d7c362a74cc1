"""Draws one chart with Matplotlib."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.axis import YAxis
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from incast.errors import ResultsError
from incast.files import written_whole
from incast.present.charts.chart import Axis, Chart, Curve, Quantity
from incast.present.matplotlib.figure import NotebookFigure
from incast.present.matplotlib.style import COLUMN_INCHES, STYLE
from incast.present.palette import CATEGORIES_LIGHT, RAMP_LIGHT, SIZE
from incast.present.units import bytes_text, common_unit, rate_text, seconds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as MplAxis
    from matplotlib.figure import Figure

__all__ = ["draw", "save"]

_RAMP = LinearSegmentedColormap.from_list("incast", RAMP_LIGHT)
_DASHES = {
    "solid": "-",
    "dashed": (0, (4, 1.5)),
    "dotted": (0, (1, 1.2)),
    "dashdot": (0, (4, 1.2, 1, 1.2)),
}
_SHAPES = {"solid": "o", "dashed": "s", "dotted": "^", "dashdot": "D"}
_MOST_IN_LEGEND = 9
_TITLE_SIZE, _TICK_SIZE, _CAPTION_SIZE = 8, 7, 5.5
_GLYPH = 0.52
"""Mean ratio of a letter's width to the font size."""
_AXES_WIDTH = 0.75
"""Approximate width of the axes, as a fraction of the figure."""
_FAINT = "#4d4d4d"
_DENSE = 500
_SHAPES_ON_LINE = 8
_ROWS_IN_PASSING = 3
"""Rows of a legend that fit at the axes' expense; further rows make the figure higher."""
_ROW_INCHES = 0.14
_ASLANT_INCHES = 0.3
"""Space below the axes for slanted names of classes."""
_LONGEST_LABEL = 32
"""The longest line beside an axis, in characters; longer labels wrap."""
_MOST_BARS = 40
"""With more error bars, which would hide each other, a band is drawn."""


def draw(
    chart: Chart, *, title: str = "", caption: str = "", width: float = COLUMN_INCHES[0]
) -> Figure:
    """Draws a chart as a figure without a window: save it, or let a notebook show it.

    Args:
        chart: The chart.
        title: The text above the figure; none by default, as papers have captions.
        caption: The text below the figure, in small print.
        width: The width in inches; by default, a column of a paper.
    """
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figure = NotebookFigure(layout="constrained")
        axes = figure.add_subplot()
        if caption:
            small = _wrapped(caption, _CAPTION_SIZE, width)
            figure.supxlabel(small, fontsize=_CAPTION_SIZE, color=_FAINT)
        _size(figure, title, caption, width)
        if chart.empty:
            _say(axes, chart.missing)
            return figure
        for curve in chart.curves:
            _add(axes, curve, thin=len(chart.curves) > SIZE or len(curve.x) > _DENSE)
        if chart.frame == "none":
            axes.set_axis_off()
        else:
            _shape(axes, chart)
            _tell_bars(figure, axes, chart)
        _legend(figure, axes, chart, _wrapped(title, _TITLE_SIZE, width))
    return figure


def _size(figure: Figure, title: str, caption: str, width: float) -> None:
    """Makes room for title and caption, so that the axes keep their size. The height grows slightly
    with the width.
    """
    lines = {_TITLE_SIZE: title, _CAPTION_SIZE: caption}
    points = sum(
        1.4 * size * len(_wrapped(text, size, width).splitlines()) for size, text in lines.items()
    )
    column, height = COLUMN_INCHES
    height += 0.2 * (width - column) if width > column else height * (width / column - 1)
    figure.set_size_inches(width, height + points / 72)


def _heighten(figure: Figure, rows: int) -> None:
    """Makes room for a legend of this many rows."""
    more = max(0, rows - _ROWS_IN_PASSING) * _ROW_INCHES
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + more)


def _wrapped(text: str, size: float, width: float) -> str:
    """The text, wrapped to the width of the figure."""
    return textwrap.fill(text, int(width * 72 / (_GLYPH * size)))


def save(figure: Figure, file: Path) -> Path:
    """Saves a figure for papers: text stays text, without margins, with reproducible bytes.

    Raises:
        ResultsError: The file cannot be written; an older figure stays.
    """
    # Metadata keys differ by format. Without dates, equal charts give equal files.
    metadata = {
        ".svg": {"Creator": "incast", "Date": None},
        ".pdf": {"Creator": "incast", "CreationDate": None},
        ".png": {"Software": "incast"},
    }
    try:
        with matplotlib.rc_context(STYLE), written_whole(file) as staging:  # type: ignore[arg-type]
            figure.savefig(staging, metadata=metadata.get(file.suffix))
    except OSError as error:
        raise ResultsError.unwritable(file, error) from None
    return file


def _say(axes: Axes, text: str) -> None:
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, ha="center", va="center", wrap=True, color=_FAINT)


def _add(axes: Axes, curve: Curve, *, thin: bool) -> None:
    colour = _colour(curve.colour)
    if curve.spread is not None and (curve.is_band or len(curve.x) > _MOST_BARS):
        axes.fill_between(curve.x, *curve.spread, color=colour, alpha=0.2, linewidth=0)
    elif curve.spread is not None:
        low, high = curve.spread
        reach = (curve.y - low, high - curve.y)
        bars = {"ecolor": colour, "elinewidth": 0.7, "capsize": 2}
        axes.errorbar(curve.x, curve.y, reach, fmt="none", **bars)  # type: ignore[arg-type]
    if curve.hollow is not None and curve.hollow.any():
        x, y = curve.x[curve.hollow], curve.y[curve.hollow]
        ring = {"markersize": 4, "mew": 0.7, "markerfacecolor": "white", "zorder": 3}
        axes.plot(x, y, "o", color=colour, **ring)  # type: ignore[arg-type]
    shape = _SHAPES[curve.dash]
    # After the last colour, shapes distinguish lines, as dense lines cannot show dashes.
    is_repeated = isinstance(curve.colour, int) and curve.colour >= SIZE
    if is_repeated and curve.mark not in ("dots", "boxes", "segments"):
        shape = list(_SHAPES.values())[int(curve.colour) // SIZE % len(_SHAPES)]
    if curve.mark == "dots":
        # Hollow shapes do not hide the ones below.
        hollow = {"mew": 0} if shape == "o" else {"mew": 0.7, "markerfacecolor": "none"}
        axes.plot(curve.x, curve.y, shape, color=colour, label=curve.label, **hollow)
        return
    if curve.bars is not None:
        rim = {"edgecolor": "white", "linewidth": 0.3}
        size = (curve.bars.width, curve.bars.base)
        axes.bar(curve.x, curve.y, *size, color=colour, label=curve.label, **rim)  # type: ignore
        return
    if curve.mark == "boxes":
        _add_boxes(axes, curve, colour)
        return
    if curve.mark == "segments":
        ends = np.stack([curve.x, curve.y], axis=1).reshape(-1, 2, 2)
        lines = LineCollection(list(ends), colors=[colour], linewidths=0.25, label=curve.label)
        axes.add_collection(lines)
        return
    axes.plot(
        curve.x,
        curve.y,
        color=colour,
        label=curve.label,
        # On a line that changes within a few pixels, dashes would look like noise.
        linestyle=_DASHES["solid" if len(curve.x) > _DENSE else curve.dash],
        linewidth=0.7 if thin or curve.mark == "points" else None,
        drawstyle="steps-post" if curve.mark == "steps" else "default",
        marker=shape if curve.mark == "points" or is_repeated else None,
        markersize=3 if is_repeated else 2,
        markeredgewidth=0,
        markevery=1 if curve.mark == "points" else max(1, len(curve.x) // _SHAPES_ON_LINE),
    )


def _add_boxes(axes: Axes, curve: Curve, colour: object) -> None:
    drawn = [
        {
            "whislo": box.low,
            "q1": box.lower,
            "med": box.median,
            "q3": box.upper,
            "whishi": box.high,
            "fliers": box.outliers,
        }
        for box in curve.boxes
    ]
    line = {"color": colour, "linewidth": 0.8}
    axes.bxp(
        drawn,
        positions=curve.x,
        widths=0.2,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": "white", "edgecolor": colour, "linewidth": 0.8},
        medianprops={**line, "linewidth": 1.4},
        whiskerprops=line,
        capprops=line,
        flierprops={"marker": ".", "markersize": 1.5, "markerfacecolor": colour, "mew": 0},
    )
    # An empty curve, as boxes have no entry in a legend.
    axes.plot([], [], "s", color=colour, label=curve.label)


def _colour(place: int | float) -> object:
    return CATEGORIES_LIGHT[place % SIZE] if isinstance(place, int) else _RAMP(place)


def _shape(axes: Axes, chart: Chart) -> None:
    for side, axis in (("x", chart.x), ("y", chart.y)):
        if axis.log:
            getattr(axes, f"set_{side}scale")("log")
    _limits(axes, chart.y)
    ends = [axis.get_view_interval()[1] for axis in (axes.xaxis, axes.yaxis)]
    if chart.one_unit:
        ends = [max(ends)] * 2
    _ticks(axes.xaxis, chart.x, ends[0])
    _ticks(axes.yaxis, chart.y, ends[1])


def _limits(axes: Axes, axis: Axis) -> None:
    low, high = axes.dataLim.intervaly
    low = low if axis.lower is None else min(low, axis.lower)
    high = high if axis.upper is None else max(high, axis.upper)
    if axis.log:
        margin = (high / low) ** 0.05
        axes.set_ylim(low if axis.lower is not None else low / margin, high * margin)
    else:
        margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
        axes.set_ylim(low if axis.lower is not None else low - margin, high + margin)


def _ticks(axis: MplAxis, meaning: Axis, largest: float) -> None:
    """On a linear axis, the unit is in the axis's name and follows from the largest number. On a
    log axis, the unit is at each tick.
    """
    if meaning.names:
        axis.set_ticks(range(len(meaning.names)), meaning.names)
        axis.set_label_text(meaning.label)
        return
    low, high = axis.get_view_interval()
    if meaning.log:
        axis.set_major_locator(LogLocator(subs=_log_digits(high / low)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: _log_tick(value, meaning)))
        axis.set_minor_formatter(NullFormatter())
        _label(axis, meaning.label)
        return
    scale, unit = common_unit(meaning.quantity.value, largest)
    axis.set_major_locator(_Round(scale, integer=meaning.quantity is Quantity.COUNT))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale:g}"))
    _label(axis, f"{meaning.label} ({unit})" if unit else meaning.label)


def _tell_bars(figure: Figure, axes: Axes, chart: Chart) -> None:
    """Says which bar belongs to which run. Slants names of classes that would overlap."""
    groups = dict.fromkeys(curve.group for curve in chart.curves if curve.bars is not None)
    if len(groups) > 1:
        axes.set_xlabel(f"{chart.x.label}; bars from left: {', '.join(groups)}")
    letters = sum(len(name) + 1 for name in chart.x.names)
    if letters * _GLYPH * _TICK_SIZE / 72 > _AXES_WIDTH * figure.get_figwidth():
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + _ASLANT_INCHES)
        for name in axes.get_xticklabels():
            name.set(rotation=30, ha="right", rotation_mode="anchor")


def _label(axis: MplAxis, text: str) -> None:
    """Sets the name of an axis; beside the y axis it wraps."""
    is_beside = isinstance(axis, YAxis)
    axis.set_label_text(textwrap.fill(text, _LONGEST_LABEL) if is_beside else text)


def _log_digits(span: float) -> Sequence[float]:
    """First digits of labelled ticks: more if fewer decades are shown."""
    if span > 100:
        return [1.0]
    return [1.0, 2.0, 5.0] if span > 10 else [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]


class _Round(MaxNLocator):
    """Ticks at round numbers in a given unit."""

    def __init__(self, scale: float, *, integer: bool) -> None:
        super().__init__(nbins=6, steps=[1, 2, 2.5, 5, 10], integer=integer)
        self._scale = scale

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """The base class's ticks, computed in the unit."""
        ticks = super().tick_values(vmin / self._scale, vmax / self._scale)
        return [tick * self._scale for tick in ticks]


def _log_tick(value: float, meaning: Axis) -> str:
    match meaning.quantity:
        case Quantity.TIME:
            return seconds_text(value)
        case Quantity.SIZE:
            return bytes_text(value)
        case Quantity.RATE:
            return rate_text(value)
    return f"{value:g}"


def _legend(figure: Figure, axes: Axes, chart: Chart, title: str) -> None:
    """Adds the legend above the axes, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    if len(set(labels)) <= _MOST_IN_LEGEND:
        # Curves with the same label have one entry.
        entries = dict(zip(labels, handles, strict=True))
        labels, handles = list(entries), list(entries.values())
    else:
        picks = _representatives(chart)
        handles, labels = [handles[pick] for pick in picks], [picks[pick] for pick in picks]
    if len(handles) > 1:
        # A legend is filled column by column: with a column for each run, matching curves are in
        # one row.
        runs = len({curve.group for curve in chart.curves})
        wide = max(map(len, labels)) > 16 or len(labels) == 4
        columns = runs if runs in (2, 3) else 2 if wide else 3
        columns = max(1, round(columns * max(1.0, figure.get_figwidth() / COLUMN_INCHES[0])))
        _heighten(figure, math.ceil(len(handles) / columns))
        # A title and a legend above the axes would overlap, so the title becomes the legend's.
        heading = {"title": title or None, "title_fontsize": _TITLE_SIZE}
        figure.legend(handles, labels, loc="outside upper center", ncols=columns, **heading)
    elif title:
        axes.set_title(title, fontsize=_TITLE_SIZE)


def _representatives(chart: Chart) -> dict[int, str]:
    """Curves for the legend: one for each run; of a single run, the first and the last curve."""
    groups = [curve.group for curve in chart.curves]
    if len(set(groups)) == 1:
        last = len(chart.curves) - 1
        return {index: chart.curves[index].label for index in (0, last)}
    return {groups.index(group): group for group in dict.fromkeys(groups)}
