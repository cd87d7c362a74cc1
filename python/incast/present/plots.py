"""The plot methods of results, made from the table of charts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from incast.measure.run import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Plots", "method_names"]

_PREFIX = "plot_"


class HasRuns(Protocol):
    """Results of one run or of several."""

    @property
    def runs(self) -> Runs:
        """The runs to draw, by label."""


class Plots:
    """The plot methods of :class:`incast.Results` and :class:`incast.Comparison`. Each chart also
    has a method of its own: ``plot_<chart>()``.
    """

    def plot(self: HasRuns, chart: str) -> Figure:
        """A chart of all runs as a matplotlib figure of a journal's column width.

        Args:
            chart: Its name, such as ``"queue"``; :func:`incast.charts` lists them.

        Raises:
            ResultsError: There is no such chart.
        """
        return _plot(self.runs, chart)

    def __getattr__(self: HasRuns, name: str) -> Callable[[], Figure]:
        return _method(self, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *method_names()]


def _plot(runs: Runs, name: str) -> Figure:
    from incast.present import charts, matplotlib

    return matplotlib.draw(charts.chart(name, runs))


def _method(owner: HasRuns, attribute: str) -> Callable[[], Figure]:
    """The method ``plot_<chart>`` of results.

    Raises:
        AttributeError: The attribute is not of the form ``plot_<chart>``.
    """
    if attribute.startswith(_PREFIX):
        from incast.present import charts

        for registered in charts.ALL_CHARTS:
            if attribute == _method_name(registered.name):
                return _drawing(owner.runs, registered.name, registered.summary)
    what = f"{type(owner).__name__!r} object has no attribute {attribute!r}"
    if attribute in _FOLDERS and "folder" in vars(owner):
        what += "; did you mean `folder`, where the results are stored?"
    raise AttributeError(what, name=attribute, obj=owner)


_FOLDERS = ("dir", "directory", "path")
"""Names of the argument `folder` in other programs, for hints."""


def method_names() -> list[str]:
    """Names of the methods, for ``__dir__``."""
    from incast.present import charts

    return [_method_name(registered.name) for registered in charts.ALL_CHARTS]


def _drawing(runs: Runs, name: str, summary: str) -> Callable[[], Figure]:
    def method() -> Figure:
        return _plot(runs, name)

    method.__name__ = method.__qualname__ = _method_name(name)
    method.__doc__ = f"Plots the chart `{name}`: {summary}."
    return method


def _method_name(chart: str) -> str:
    return _PREFIX + chart.replace("-", "_").replace(".", "")
