"""Panels of figures: the report's charts of some of a figure's runs, under a panel's title."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from incast import charts
from incast.analysis import Curves, curves
from incast.charts import Axis, Chart, Quantity
from incast.charts.chart import time_axis
from incast.charts.flows import slowdown_percentile
from incast.charts.overtime import over_time, unnamed
from incast.papers.paper import Runs
from incast.results import Results

__all__ = ["Panel", "finish", "goodput", "jain", "one_window", "pauses", "queue", "slowdown"]

Panel = Callable[[Runs], Chart]


def finish(title: str, *labels: str) -> Panel:
    """Finish over start of these runs; of all, if none is named."""
    return _of_report("finish", title, labels)


def jain(title: str, *labels: str, renamed: Mapping[str, str] | None = None) -> Panel:
    """Jain's index over time; `renamed` draws some runs under other labels."""
    return _of_report("jain", title, labels, renamed)


def queue(title: str, *labels: str, renamed: Mapping[str, str] | None = None) -> Panel:
    """The longest queue over time; `renamed` draws some runs under other labels."""

    def draw(runs: Runs) -> Chart:
        chart = charts.CHARTS["queue"](_chosen(runs, labels, renamed))
        # Of a lone run, the report would draw the ports.
        alone = [dataclasses.replace(curve, label=curve.group) for curve in chart.curves]
        return dataclasses.replace(chart, title=title, curves=alone)

    return draw


def goodput(title: str, *labels: str) -> Panel:
    """Goodput over time."""
    return _of_report("goodput", title, labels)


def pauses(title: str, *labels: str) -> Panel:
    """Paused ports over time."""
    return _of_report("pauses", title, labels)


def one_window(title: str, *labels: str) -> Panel:
    """The window of each run's first flow over time."""

    def draw(runs: Runs) -> Chart:
        chosen = _chosen(runs, labels, None)
        drawn = over_time(chosen, _first_window)
        return Chart(
            "window",
            title,
            time_axis(),
            Axis("window", Quantity.SIZE, lower=0),
            drawn.curves,
            note=drawn.note,
        )

    return draw


def slowdown(title: str, percentile: float, *labels: str) -> Panel:
    """A percentile of FCT slowdown over flow size: a point for each hundredth of the flows."""
    return lambda runs: _titled(slowdown_percentile(_chosen(runs, labels, None), percentile), title)


def _of_report(
    name: str,
    title: str,
    labels: tuple[str, ...],
    renamed: Mapping[str, str] | None = None,
) -> Panel:
    return lambda runs: _titled(charts.CHARTS[name](_chosen(runs, labels, renamed)), title)


def _chosen(runs: Runs, labels: tuple[str, ...], renamed: Mapping[str, str] | None) -> Runs:
    if renamed is not None:
        return {label: runs[name] for name, label in renamed.items()}
    return {label: runs[label] for label in labels or runs}


def _first_window(run: Results) -> Curves:
    found = curves(run.series, "window_bytes")
    return unnamed(found)


def _titled(chart: Chart, title: str) -> Chart:
    return dataclasses.replace(chart, title=title)
