"""Charts of how flows share links: goodput, limits, windows, Jain's index."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from incast.measure.run import Run, Runs
from incast.measure.series import Curves, curves, goodput_of_flows
from incast.present.charts.chart import Axis, Chart, Curve, Dash, Quantity, time_axis
from incast.present.charts.over_time import over_time, unnamed
from incast.present.charts.recording import EACH_FLOW, FLOWS
from incast.present.units import time_text

__all__ = ["jain", "limits", "rates", "windows"]

_MOST_FLOWS = 32
_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dashdot")
_AVERAGED_RTTS = 4
"""Base RTTs over which a flow's goodput is averaged, as within one RTT a window may leave as a
burst.
"""


def rates(runs: Runs) -> Chart:
    """The goodput of each flow, which may be below its limit."""
    axis = Axis("goodput of a flow", Quantity.RATE, lower=0)
    widths = []

    def pick(run: Run) -> Curves:
        every = _sample_interval(run)
        if every is None:
            return {}
        intervals = max(math.ceil(_AVERAGED_RTTS * run.summary["base_rtt_ps"] / every), 1)
        widths.append(every * intervals)
        numbers, starts = run.flows.numbers("flow_id"), run.flows.numbers("start_ps")
        of_flow = {
            f"flow {flow}": float(start) for flow, start in zip(numbers, starts, strict=True)
        }
        return goodput_of_flows(run.series, of_flow, intervals)

    chart = _each_flow(runs, pick, "rates", "Rates of flows", axis, missing=EACH_FLOW)
    if chart.empty:
        return chart
    over = " and ".join(time_text(width) for width in sorted(set(widths)))
    definition = f"Payload acknowledged over the last {over}, or since the flow's start."
    return replace(chart, note=_notes(definition, chart.note))


def limits(runs: Runs) -> Chart:
    """The pacing rate of each flow. Its goodput may be far lower, as a window or the network may
    limit it, too. If flows are not recorded, the chart of rates says so.
    """
    axis = Axis("pacing rate", Quantity.RATE, lower=0)
    title = "Rate limits of flows"
    chart = _each_flow(runs, _series("rate_bps"), "limits", title, axis)
    meaning = "What congestion control lets each flow send at most, its window apart."
    return replace(chart, note=_notes(meaning, chart.note))


def windows(runs: Runs) -> Chart:
    """The window of each flow. Applies only to algorithms with windows."""
    axis = Axis("window", Quantity.SIZE, lower=0)
    return _each_flow(runs, _series("window_bytes"), "windows", "Windows of flows", axis)


def jain(runs: Runs) -> Chart:
    """Jain's index of active flows, computed from the bytes that were acknowledged in each
    interval.
    """
    drawn = over_time(runs, lambda run: unnamed(curves(run.series, "jain_index")))
    widths = {_sample_interval(run) for run in runs.values()} - {None}
    interval = time_text(widths.pop()) if len(widths) == 1 else "interval"
    definition = f"Jain's index (Σx)² / (n·Σx²) of the bytes acknowledged in each {interval}."
    return Chart(
        "jain",
        "Fairness",
        time_axis(),
        Axis("Jain's index", Quantity.RATIO, lower=0, upper=1),
        drawn.curves,
        note=_notes(definition, _bursts(runs), drawn.note),
        missing=FLOWS,
    )


def _sample_interval(run: Run) -> float | None:
    """The interval between samples of flows, in picoseconds; ``None`` with fewer than two samples.

    Raises:
        ResultsError: The second sample is not after the first.
    """
    for times, _ in curves(run.series, "active_flows").values():
        if len(times) > 1:
            first, second = (int(time) for time in times[:2])
            if second <= first:
                what = (
                    f"column time_ps: active_flows has a sample at {second}, after one at {first}"
                )
                raise run.series.error(what)
            return float(second - first)
    return None


def _bursts(runs: Runs) -> str:
    """A caveat if flows are sampled more often than once in a base RTT."""
    for run in runs.values():
        every, rtt = _sample_interval(run), run.summary["base_rtt_ps"]
        if every is not None and every < rtt:
            return (
                f"Samples are {time_text(every)} apart, less than the base RTT of "
                f"{time_text(rtt)}: bursts of ACKs show. Set measure.flows.every to more."
            )
    return ""


def _notes(*notes: str) -> str:
    return " ".join(filter(None, notes))


def _series(measure: str) -> Callable[[Run], Curves]:
    return lambda run: curves(run.series, measure)


def _each_flow(
    runs: Runs,
    every_flow: Callable[[Run], Curves],
    name: str,
    title: str,
    axis: Axis,
    *,
    missing: str = "",
) -> Chart:
    most = max(_MOST_FLOWS // len(runs), 1)
    left_out = 0

    def pick(run: Run) -> Curves:
        nonlocal left_out
        every = every_flow(run)
        left_out += max(len(every) - most, 0)
        return dict(list(every.items())[:most])

    drawn = over_time(runs, pick)
    note = f"The first {most} flows of each run; {left_out} more were recorded." if left_out else ""
    return Chart(
        name,
        title,
        time_axis(),
        axis,
        _told_apart(drawn.curves) if len(runs) > 1 else drawn.curves,
        note=_notes(note, drawn.note),
        missing=missing,
    )


def _told_apart(curves: Sequence[Curve]) -> list[Curve]:
    """Gives the curves of one run different line styles, as they share a colour, unless they are
    too many.
    """
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(curve.group, []).append(curve)
    if max(map(len, groups.values()), default=0) > len(_DASHES):
        return list(curves)
    return [
        replace(curve, dash=dash)
        for group in groups.values()
        for curve, dash in zip(group, _DASHES, strict=False)
    ]
