"""Panels of figures: the report's charts of some of a figure's runs, under a panel's title."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array, Curves, curves
from incast.papers.framework.paper import Runs
from incast.present import charts
from incast.present.charts import Axis, Chart, Quantity
from incast.present.charts.chart import time_axis
from incast.present.charts.flows import slowdown_percentile
from incast.present.charts.over_time import over_time, unnamed

__all__ = ["Panel", "finish", "goodput", "jain", "one_window", "pauses", "queue", "slowdown"]

Panel = Callable[[Runs], Chart]


def finish(title: str, *labels: str) -> Panel:
    """Finish over start of these runs; of all, if none is named."""
    return _of_report("finish", title, labels)


def jain(title: str, *labels: str, renamed: Mapping[str, str] | None = None) -> Panel:
    """Jain's index over time; `renamed` draws some runs under other labels."""
    return _of_report("jain", title, labels, renamed)


def queue(
    title: str,
    *labels: str,
    renamed: Mapping[str, str] | None = None,
    mean_of_us: float | None = None,
) -> Panel:
    """The longest queue over time; `renamed` draws some runs under other labels. Where curves of
    many swings would hide each other, each point is the mean of so many µs.
    """

    def pick(run: Run) -> Curves:
        ((times, values),) = curves(run.series, "queue_max_bytes").values()
        return {"": (times, values) if mean_of_us is None else _means(times, values, mean_of_us)}

    def draw(runs: Runs) -> Chart:
        drawn = over_time(_chosen(runs, labels, renamed), pick)
        note = drawn.note if mean_of_us is None else f"Mean of every {mean_of_us:g} µs."
        axis = Axis("queue", Quantity.SIZE, lower=0)
        return Chart("queue", title, time_axis(), axis, drawn.curves, note=note)

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
    return lambda runs: _titled(charts.chart(name, _chosen(runs, labels, renamed)), title)


def _chosen(runs: Runs, labels: tuple[str, ...], renamed: Mapping[str, str] | None) -> Runs:
    if renamed is not None:
        return {label: runs[name] for name, label in renamed.items()}
    return {label: runs[label] for label in labels or runs}


def _means(times: Array, values: Array, width_us: float) -> tuple[Array, Array]:
    """The mean of each interval of this width, at its middle."""
    width = width_us * 1e6
    slots, place, counts = np.unique(
        np.floor(times / width), return_inverse=True, return_counts=True
    )
    return (slots + 0.5) * width, np.bincount(place, values) / counts


def _first_window(run: Run) -> Curves:
    found = curves(run.series, "window_bytes")
    return unnamed(found)


def _titled(chart: Chart, title: str) -> Chart:
    return dataclasses.replace(chart, title=title)
