"""Charts as matplotlib figures for papers: a column wide, in print sizes, with colours for any
colour vision. The only place that imports matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from incast.errors import Error, ResultsError
from incast.files import checked_path
from incast.measure.run import Runs
from incast.present.charts.chart import Chart

try:
    # matplotlib reads its settings when it is first imported.
    import matplotlib as _  # noqa: F401
except ValueError as error:
    _what = f"matplotlib refuses its settings: {error}"
    _hint = "name another backend in MPLBACKEND of the environment, or unset it"
    if isinstance(error, UnicodeError):
        _hint = "write the file matplotlibrc in UTF-8, or remove it"
    raise Error(_what, hint=_hint) from error

from incast.present.matplotlib.drawing import draw, save
from incast.present.matplotlib.figure import png
from incast.present.matplotlib.style import COLUMN_INCHES

__all__ = ["COLUMN_INCHES", "draw", "png", "save", "save_all", "save_charts"]


def save_all(
    runs: Runs,
    folder: Path,
    formats: Sequence[str] = ("png", "svg"),
    *,
    names: Sequence[str] = (),
    width: float = COLUMN_INCHES[0],
) -> list[Path]:
    """Draws every chart that has data, in each format, and gives the files. If a named chart is not
    drawn, a warning says why.

    Args:
        runs: The runs by label.
        folder: The folder to write to.
        formats: The formats of the figures.
        names: The names of the charts; by default, all.
        width: The width of figures in inches; by default, a column of a paper.

    Raises:
        ResultsError: The folder cannot be made, or there is no such chart.
    """
    from incast.present import charts

    if names:
        found = charts.worth_drawing(charts.chart(name, runs) for name in names)
    else:
        found = [chart for chart in charts.every(runs) if chart.worth_showing]
    return save_charts(found, folder, formats, width)


def save_charts(
    charts: Sequence[Chart],
    folder: Path,
    formats: Sequence[str],
    width: float = COLUMN_INCHES[0],
) -> list[Path]:
    """Draws charts in each format, and gives the files.

    Raises:
        ResultsError: The folder cannot be made.
    """
    checked_path(folder)
    if not charts:
        return []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError.unwritable(folder, error) from None
    files = []
    for chart in charts:
        figure = draw(chart, width=width)
        files += [save(figure, folder / f"{chart.name}.{ending}") for ending in formats]
    return files
