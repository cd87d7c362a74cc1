"""Charts as matplotlib figures for papers: a column wide, in print sizes, safe for colour-blind
readers. The only place that imports matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from incast.errors import Error, ResultsError
from incast.files import checked_path
from incast.measure.run import Runs

try:
    # It reads its settings when it is first imported.
    import matplotlib as _  # noqa: F401
except ValueError as error:
    _what = f"matplotlib refuses its settings: {error}"
    _hint = "name another backend in MPLBACKEND of the environment, or unset it"
    if isinstance(error, UnicodeError):
        _hint = "write the file matplotlibrc in UTF-8, or remove it"
    raise Error(_what, hint=_hint) from error

from incast.present.matplotlib.drawing import draw, save
from incast.present.matplotlib.figure import png

__all__ = ["draw", "png", "save", "save_all"]


def save_all(runs: Runs, folder: Path, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Draws every chart that has data, in each format, and gives the files.

    Raises:
        ResultsError: The folder cannot be made.
    """
    from incast.present import charts

    checked_path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError.unwritable(folder, error) from None
    files = []
    for chart in charts.every(runs):
        if chart.worth_showing:
            figure = draw(chart)
            files += [save(figure, folder / f"{chart.name}.{ending}") for ending in formats]
    return files
