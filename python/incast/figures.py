"""The figures of a run, or of several runs over each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from incast.results import Results

__all__ = ["Figures"]


class Figures:
    """Plots, each a matplotlib figure of a journal's column width, and the report."""

    @property
    def runs(self) -> Mapping[str, Results]:
        """The runs to draw, by label."""
        raise NotImplementedError

    def plot(self, name: str) -> Figure:
        """Any of the report's charts by name; see ``incast.present.charts.CHARTS``."""
        from incast.present import charts, matplotlib

        return matplotlib.draw(charts.CHARTS[name](self.runs))

    def plot_slowdown(self) -> Figure:
        """FCT slowdown over flow size."""
        return self.plot("slowdown")

    def plot_fct_cdf(self) -> Figure:
        """Distribution of FCT."""
        return self.plot("fct-cdf")

    def plot_finish(self) -> Figure:
        """When flows finish, over when they start."""
        return self.plot("finish")

    def plot_queue(self) -> Figure:
        """Queues over time."""
        return self.plot("queue")

    def plot_rates(self) -> Figure:
        """Rates of flows over time."""
        return self.plot("rates")

    def plot_goodput(self) -> Figure:
        """Goodput of the network over time."""
        return self.plot("goodput")

    def plot_jain(self) -> Figure:
        """Jain's fairness index over time."""
        return self.plot("jain")

    def plot_pauses(self) -> Figure:
        """Paused ports over time."""
        return self.plot("pauses")

    def report(self, file: str | Path, *, title: str | None = None) -> Path:
        """Writes one self-contained HTML file with everything in it."""
        from incast.present import html

        return html.write(self.runs, Path(file), title=title)
