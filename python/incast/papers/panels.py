"""Panels of figures: charts of some of a figure's runs, under a panel's title."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from incast.measure import metrics
from incast.measure.run import Run
from incast.measure.series import Array, Curves, curves, goodput_of_flows
from incast.measure.statistics import Average, bounds
from incast.papers import seeds
from incast.papers.figure import Runs
from incast.papers.points import Points
from incast.present import charts
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import Dash, Mark, time_axis
from incast.present.charts.flows import slowdown_percentile
from incast.present.charts.over_time import over_time, unnamed
from incast.time_units import PICOSECOND

__all__ = [
    "Panel",
    "averaged",
    "averaged_rows",
    "averages",
    "finish",
    "goodput",
    "jain",
    "one_window",
    "pauses",
    "port_queue",
    "port_utilisation",
    "queue",
    "sender_rates",
    "slowdown",
    "throughputs",
]

Panel = Callable[[Runs], Chart]


def finish(title: str, *labels: str) -> Panel:
    """Finish times over start times for these runs; by default, for all runs."""
    return _of_report("finish", title, labels)


def jain(title: str, *labels: str, renamed: Mapping[str, str] | None = None) -> Panel:
    """Jain's index over time; `renamed` draws some runs under other labels."""
    return _of_report("jain", title, labels, renamed)


def queue(
    title: str,
    *labels: str,
    renamed: Mapping[str, str] | None = None,
    mean_of_us: float | None = None,
    between: tuple[float, float] | None = None,
) -> Panel:
    """The longest queue over time. `renamed` gives runs other labels. If `mean_of_us` is given,
    each point is the mean of this many µs, as curves with many swings would hide each other.
    `between` limits the time, in seconds.
    """
    axis = Axis("queue depth", Quantity.SIZE, lower=0)
    pick = _network("queue_max_bytes", mean_of_us, between)
    return _over_time("queue", title, axis, labels, renamed, pick, mean_of_us)


def goodput(title: str, *labels: str) -> Panel:
    """Goodput over time."""
    return _of_report("goodput", title, labels)


def pauses(title: str, *labels: str, mean_of_us: float) -> Panel:
    """The number of paused ports over time; each point is the mean of `mean_of_us` µs."""
    axis = Axis("paused ports", Quantity.RATIO, lower=0, upper=1)
    pick = _network("paused_ports", mean_of_us, None)
    return _over_time("pauses", title, axis, labels, None, pick, mean_of_us)


def one_window(title: str, *labels: str) -> Panel:
    """The window of the first flow of each run over time."""

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


def port_queue(
    title: str, names: Mapping[str, str], *, between: tuple[float, float] | None = None
) -> Panel:
    """The queue of the only sampled port, for runs by label, each under a new name, between two
    times in seconds.
    """

    def pick(run: Run) -> Curves:
        ((times, values),) = curves(run.series, "queue_bytes").values()
        return {"": (times, values)}

    axis = Axis("queue", Quantity.SIZE, lower=0)
    return _named_runs("queue", title, axis, names, pick, between)


def sender_rates(
    title: str, names: Mapping[str, str], *, between: tuple[float, float] | None = None
) -> Panel:
    """The rates of all senders over time."""
    axis = Axis("rate of sender", Quantity.RATE, lower=0)
    return _named_runs(
        "rate", title, axis, names, lambda run: curves(run.series, "rate_bps"), between
    )


def port_utilisation(
    title: str, names: Mapping[str, str], *, between: tuple[float, float] | None = None
) -> Panel:
    """The utilisation of the only port whose packets were traced."""

    def pick(run: Run) -> Curves:
        times, shares = metrics.port_utilisation(run)
        return {"": (times / PICOSECOND, shares)}

    axis = Axis("utilisation", Quantity.RATIO, lower=0, upper=1)
    return _named_runs("utilisation", title, axis, names, pick, between)


def throughputs(title: str, label: str) -> Panel:
    """The goodput of each flow of a run over time."""

    def draw(runs: Runs) -> Chart:
        drawn = over_time({label: runs[label]}, lambda run: goodput_of_flows(run.series, {}))
        # Without a group, each flow gets its own colour.
        lines = [dataclasses.replace(curve, group="") for curve in drawn.curves]
        axis = Axis("throughput", Quantity.RATE, lower=0)
        return Chart("throughput", title, time_axis(), axis, lines, note=drawn.note)

    return draw


def averaged(
    label: str,
    x: Array | Sequence[float],
    found: Sequence[Average],
    colour: int | float,
    *,
    mark: Mark = "line",
    dash: Dash = "solid",
    group: str = "",
) -> Curve:
    """A curve of averages, with their intervals if they have any."""
    ends = bounds(found)
    return Curve(
        label,
        np.array(x, dtype=float),
        np.array([each.mean for each in found]),
        colour,
        mark=mark,
        dash=dash,
        group=group or label,
        spread=None if np.isnan(ends).all() else ends,
    )


def averaged_rows(
    label: str, x: Sequence[float], rows: Array, colour: int, *, mark: Mark = "line"
) -> Curve:
    """A curve of averages over seeds, whose values are in rows. Intervals are left out with fewer
    than three seeds.
    """
    curve = averaged(label, x, [Average.of(each) for each in rows.T], colour, mark=mark)
    return curve if len(rows) > 2 else dataclasses.replace(curve, spread=None)


def averages(
    title: str, edges: Sequence[float], rows: Mapping[str, Callable[[Runs], Array]]
) -> Panel:
    """A statistic of slowdown over flow size, averaged over seeds, with its interval.

    Args:
        title: The title of the panel.
        edges: The upper ends of size classes, in bytes.
        rows: For each label, a function that gives a row of the statistic's values for each seed.
    """

    def draw(runs: Runs) -> Chart:
        drawn = []
        for colour, (label, of_seeds) in enumerate(rows.items()):
            drawn.append(averaged_rows(label, edges, of_seeds(runs), colour))
        return Chart(
            title,
            title,
            Axis("flow size", Quantity.SIZE, log=True),
            Axis("FCT slowdown", Quantity.RATIO, lower=1),
            drawn,
            note="Ten classes of size, each of a tenth of the flows, at their upper ends; means "
            "over seeds, and in figures for papers their 95 % confidence intervals.",
        )

    return draw


def slowdown(title: str, percentile: float, *labels: str) -> Panel:
    """A percentile of FCT slowdown over flow size, with a point for each hundredth of the flows.
    Over several seeds a point is the median, with its range.
    """

    def draw(runs: Runs) -> Chart:
        chart = slowdown_percentile(_chosen(runs, labels, None), percentile)
        points = {curve.label: Points.of(runs, curve.label, percentile) for curve in chart.curves}
        curves = [_median_curve(curve, points[curve.label]) for curve in chart.curves]
        most = max((len(each.values) for each in points.values()), default=1)
        note = f"{chart.note} Medians of {most} seeds, and their range." if most > 1 else chart.note
        return dataclasses.replace(chart, title=title, curves=curves, note=note)

    return draw


def _median_curve(curve: Curve, points: Points) -> Curve:
    found = points.medians()
    y, low, high = (
        np.array([getattr(each, name) for each in found])
        for name in ("median", "lowest", "highest")
    )
    return dataclasses.replace(curve, y=y, spread=(low, high) if len(points.values) > 1 else None)


def _network(
    measure: str, mean_of_us: float | None, between: tuple[float, float] | None
) -> Callable[[Run], Curves]:
    """Picks the only curve that a run has of a measure."""

    def pick(run: Run) -> Curves:
        ((times, values),) = curves(run.series, measure).values()
        found = (times, values) if mean_of_us is None else _means(times, values, mean_of_us)
        return _cut({"": found}, between)

    return pick


def _over_time(
    name: str,
    title: str,
    axis: Axis,
    labels: tuple[str, ...],
    renamed: Mapping[str, str] | None,
    pick: Callable[[Run], Curves],
    mean_of_us: float | None,
) -> Panel:
    def draw(runs: Runs) -> Chart:
        drawn = over_time(_chosen(runs, labels, renamed), pick)
        note = drawn.note if mean_of_us is None else f"Mean of every {mean_of_us:g} µs."
        return Chart(name, title, time_axis(), axis, drawn.curves, note=note)

    return draw


def _of_report(
    name: str,
    title: str,
    labels: tuple[str, ...],
    renamed: Mapping[str, str] | None = None,
) -> Panel:
    return lambda runs: _titled(charts.chart(name, _chosen(runs, labels, renamed)), title)


def _named_runs(
    name: str,
    title: str,
    axis: Axis,
    names: Mapping[str, str],
    pick: Callable[[Run], Curves],
    between: tuple[float, float] | None,
) -> Panel:
    def draw(runs: Runs) -> Chart:
        chosen = {shown: runs[label] for label, shown in names.items()}
        drawn = over_time(chosen, lambda run: _cut(pick(run), between))
        return Chart(name, title, time_axis(), axis, drawn.curves, note=drawn.note)

    return draw


def _cut(found: Curves, between: tuple[float, float] | None) -> Curves:
    if between is None:
        return found
    # Rounded, as floating-point seconds are converted to whole picoseconds.
    begin, end = (round(moment / PICOSECOND) for moment in between)
    kept = {}
    for entity, (times, values) in found.items():
        inside = (times >= begin) & (times <= end)
        kept[entity] = (times[inside], values[inside])
    return kept


def _chosen(runs: Runs, labels: tuple[str, ...], renamed: Mapping[str, str] | None) -> Runs:
    """Runs by the label under which they are drawn; of several seeds, the first."""
    if renamed is not None:
        return {label: seeds.first(runs, name) for name, label in renamed.items()}
    return {label: seeds.first(runs, label) for label in labels or runs}


def _means(times: Array, values: Array, width_us: float) -> tuple[Array, Array]:
    """The mean over each interval of this width, at the middle of the interval."""
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
