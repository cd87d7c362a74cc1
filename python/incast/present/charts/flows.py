"""Charts of completed flows."""

from __future__ import annotations

from collections.abc import Iterator

from incast.measure.counted import is_counted
from incast.measure.run import Runs
from incast.measure.series import cdf, slowdown_by_size
from incast.present.charts.chart import Axis, Chart, Curve, Dash, Quantity, spans_decades
from incast.present.key_figures.steadiness import counted_flows, unsteady_note
from incast.present.units import count_text, plural
from incast.time_units import PICOSECOND

__all__ = ["fct_cdf", "finish", "slowdown", "slowdown_percentile"]

_NO_FLOWS = "No flow has finished, so there is nothing to show."
_MOST_DOTS = 2000
_LARGEST = "largest"
_FEW = " Where flows are too few for p95 or p99, the largest slowdown is drawn."
_DASHES: dict[float, Dash] = {
    50: "dotted",
    95: "dashed",
    99: "solid",
}
_TOP = max(_DASHES)
_BEHIND: tuple[Dash, ...] = ("solid", "dashed", "dotted")
"""Shapes of dots, from the run in front to the runs behind it, whose dots are larger."""


def slowdown(runs: Runs) -> Chart:
    """FCT slowdown over flow size: p50, p95, p99."""
    per_point: list[int] = []
    curves = list(_slowdown_curves(runs, per_point))
    few = any(curve.label.endswith(_LARGEST) for curve in curves)
    return Chart(
        "slowdown",
        "FCT slowdown by flow size",
        Axis("flow size", Quantity.SIZE, log=True),
        Axis("FCT slowdown", Quantity.RATIO, log=spans_decades(each.y for each in curves), lower=1),
        curves,
        note=_slowdown_note(per_point, runs) + (_FEW if few else "") if curves else "",
        missing=_NO_FLOWS,
    )


def _slowdown_curves(runs: Runs, per_point: list[int]) -> Iterator[Curve]:
    for index, (label, run) in enumerate(runs.items()):
        groups = slowdown_by_size(run.completed, list(_DASHES), chosen=is_counted(run))
        per_point.extend(groups.flows_per_group)
        most = max(groups.flows_per_group, default=0)
        for place, (percentile, values) in enumerate(groups.percentiles.items()):
            is_largest = most * (100 - percentile) <= 100
            if is_largest and percentile != _TOP:
                continue
            name = _LARGEST if is_largest else f"p{percentile:g}"
            alone = len(runs) == 1
            if len(values):
                yield Curve(
                    name if alone else f"{label} {name}",
                    groups.largest_bytes,
                    values,
                    colour=place if alone else index,
                    dash=_DASHES[percentile],
                    mark="dots" if len(values) == 1 else "line",
                    group=label,
                )


def slowdown_percentile(runs: Runs, percentile: float) -> Chart:
    """One percentile of FCT slowdown over flow size on a linear axis, as in papers."""
    curves = []
    per_point: list[int] = []
    for index, (label, run) in enumerate(runs.items()):
        groups = slowdown_by_size(run.completed, [percentile], chosen=is_counted(run))
        per_point.extend(groups.flows_per_group)
        values = groups.percentiles[percentile]
        if len(values):
            sizes = groups.largest_bytes
            curves.append(Curve(label, sizes, values, index, mark="points", group=label))
    name = (
        "Median FCT slowdown" if percentile == 50 else f"{percentile:g}th-percentile FCT slowdown"
    )
    return Chart(
        f"slowdown-{percentile:g}",
        name,
        Axis("flow size", Quantity.SIZE, log=True),
        Axis(name, Quantity.RATIO, lower=0),
        curves,
        note=_slowdown_note(per_point, runs) if curves else "",
        missing=_NO_FLOWS,
    )


def _slowdown_note(per_point: list[int], runs: Runs) -> str:
    low, high = min(per_point), max(per_point)
    flows = plural(low, "flow") if low == high else f"{count_text(low)} to {plural(high, 'flow')}"
    return (
        f"Flows in order of size, cut into groups of equal count ({flows} a point); "
        f"each point stands at the largest size of its group.{_counted_note(runs)}"
    )


def _counted_note(runs: Runs) -> str:
    """A note on which flows count in statistics of FCT, if not all do."""
    if all("all_flows" not in run.summary for run in runs.values()):
        return ""
    told = unsteady_note({label: [run.summary] for label, run in runs.items()})
    windows = {
        f"{figure.value} flows count, {figure.detail}"
        for run in runs.values()
        for figure in counted_flows(run.summary)
    }
    which = f"{windows.pop()}." if len(windows) == 1 else "Flows that start in a window count."
    return f" {which}{told}"


def fct_cdf(runs: Runs) -> Chart:
    """Distribution of flow completion times."""
    curves = []
    for index, (label, run) in enumerate(runs.items()):
        times, share = cdf(run.completed.numbers("fct_ps")[is_counted(run)] * PICOSECOND)
        if len(times):
            curves.append(Curve(label, times, share, index, mark="steps", group=label))
    return Chart(
        "fct-cdf",
        "Distribution of FCT",
        Axis("FCT", Quantity.TIME, log=spans_decades(curve.x for curve in curves)),
        Axis("share of flows", Quantity.RATIO, lower=0, upper=1),
        curves,
        note=_counted_note(runs).strip(),
        missing=_NO_FLOWS,
    )


def finish(runs: Runs) -> Chart:
    """Finish times of flows over their start times. For equal flows that start one after another,
    fair sharing gives a rising line; a falling line means that late starters finish first. Empty if
    there are too many flows to see.
    """
    curves = []
    few = all(len(run.completed) <= _MOST_DOTS for run in runs.values())
    for index, (label, run) in enumerate(runs.items()):
        starts = run.completed.numbers("start_ps")
        ends = starts + run.completed.numbers("fct_ps")
        if few and len(starts):
            x, y = starts * PICOSECOND, ends * PICOSECOND
            dash = _BEHIND[min(len(runs) - index, len(_BEHIND)) - 1]
            curves.append(Curve(label, x, y, index, dash=dash, mark="dots", group=label))
    return Chart(
        "finish",
        "Finish time over start time",
        Axis("start time", Quantity.TIME),
        Axis("finish time", Quantity.TIME),
        curves,
        note="Each dot is a flow. Where dots fall, flows that start later finish sooner.",
        one_unit=True,
        missing=_NO_FLOWS if few else "",
    )
