"""Panels of figures: the report's charts of some of a figure's runs, under a panel's title."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from incast import charts
from incast.charts import Chart
from incast.charts.flows import slowdown_percentile
from incast.papers.paper import Runs

__all__ = ["Panel", "finish", "goodput", "jain", "queue", "slowdown", "windows"]

Panel = Callable[[Runs], Chart]


def finish(title: str, *labels: str) -> Panel:
    """Finish over start of these runs; of all, if none is named."""
    return _of_report("finish", title, labels)


def jain(title: str, *labels: str) -> Panel:
    """Jain's index over time."""
    return _of_report("jain", title, labels)


def queue(title: str, *labels: str) -> Panel:
    """The longest queue over time."""
    return _of_report("queue", title, labels)


def goodput(title: str, *labels: str) -> Panel:
    """Goodput over time."""
    return _of_report("goodput", title, labels)


def windows(title: str, *labels: str) -> Panel:
    """Windows of flows over time."""
    return _of_report("windows", title, labels)


def slowdown(title: str, percentile: float, *labels: str) -> Panel:
    """A percentile of FCT slowdown over flow size: a point for each hundredth of the flows."""

    def draw(runs: Runs) -> Chart:
        return _titled(slowdown_percentile(_chosen(runs, labels), percentile), title)

    return draw


def _of_report(name: str, title: str, labels: tuple[str, ...]) -> Panel:
    def draw(runs: Runs) -> Chart:
        return _titled(charts.CHARTS[name](_chosen(runs, labels)), title)

    return draw


def _chosen(runs: Runs, labels: tuple[str, ...]) -> Runs:
    return {label: runs[label] for label in labels or runs}


def _titled(chart: Chart, title: str) -> Chart:
    return dataclasses.replace(chart, title=title)
