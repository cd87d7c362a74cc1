"""Panels that this paper's figures share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Curves, curves
from incast.papers.fncc.metrics import utilisation_over_time
from incast.papers.framework.panels import Panel
from incast.papers.framework.paper import Runs
from incast.present.charts import Axis, Chart, Quantity
from incast.present.charts.chart import time_axis
from incast.present.charts.over_time import over_time

__all__ = ["port_queue", "port_utilisation", "sender_rates", "throughputs"]

_FROM, _TO = 250e6, 700e6
"""Picoseconds: from shortly before the second elephant starts to when most is over."""


def port_queue(title: str, names: Mapping[str, str]) -> Panel:
    """The queue at the observed port; runs by label, and what they are called."""

    def pick(run: Run) -> Curves:
        ((times, values),) = curves(run.series, "queue_bytes").values()
        return _cut({"": (times, values)})

    axis = Axis("queue", Quantity.SIZE, lower=0)
    return _panel("queue", title, axis, names, pick)


def sender_rates(title: str, names: Mapping[str, str]) -> Panel:
    """The rates of both senders."""
    axis = Axis("rate of sender", Quantity.RATE, lower=0)
    return _panel("rate", title, axis, names, lambda run: _cut(curves(run.series, "rate_bps")))


def port_utilisation(title: str, names: Mapping[str, str]) -> Panel:
    """How busy the observed port is."""

    def pick(run: Run) -> Curves:
        times, shares = utilisation_over_time(run)
        return _cut({"": (times * 1e12, shares)})

    axis = Axis("utilisation", Quantity.RATIO, lower=0, upper=1)
    return _panel("utilisation", title, axis, names, pick)


def throughputs(title: str, label: str) -> Panel:
    """What each flow of one run has acknowledged, by time."""

    def pick(run: Run) -> Curves:
        return {
            flow: (times[1:], np.diff(acked) * 8 / (np.diff(times.astype(float)) * 1e-12))
            for flow, (times, acked) in curves(run.series, "acked_bytes").items()
        }

    def draw(runs: Runs) -> Chart:
        drawn = over_time({label: runs[label]}, pick)
        # Flows, not runs: each has a colour of its own.
        lines = [dataclasses.replace(curve, group="") for curve in drawn.curves]
        axis = Axis("throughput", Quantity.RATE, lower=0)
        return Chart("throughput", title, time_axis(), axis, lines, note=drawn.note)

    return draw


def _panel(
    name: str,
    title: str,
    axis: Axis,
    names: Mapping[str, str],
    pick: Callable[[Run], Curves],
) -> Panel:
    def draw(runs: Runs) -> Chart:
        drawn = over_time({name: runs[label] for label, name in names.items()}, pick)
        return Chart(name, title, time_axis(), axis, drawn.curves, note=drawn.note)

    return draw


def _cut(found: Curves) -> Curves:
    kept = {}
    for entity, (times, values) in found.items():
        inside = (times >= _FROM) & (times <= _TO)
        kept[entity] = (times[inside], values[inside])
    return kept
