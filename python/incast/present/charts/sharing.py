"""Charts of how flows share: rates, windows, Jain's index."""

from __future__ import annotations

import numpy as np

from incast.measure.run import Run, Runs
from incast.measure.series import Curves, curves
from incast.present.charts.chart import Axis, Chart, Quantity, time_axis
from incast.present.charts.over_time import over_time, unnamed
from incast.present.charts.recording import EACH_FLOW, FLOWS
from incast.present.units import time_text

__all__ = ["jain", "rates", "windows"]

_MOST_FLOWS = 32


def rates(runs: Runs) -> Chart:
    """The pacing rate of each flow."""
    axis = Axis("pacing rate", Quantity.RATE, lower=0)
    return _each_flow(runs, "rate_bps", "rates", "Rates of flows", axis, missing=EACH_FLOW)


def windows(runs: Runs) -> Chart:
    """The window of each flow; of use only under algorithms that have windows."""
    axis = Axis("window", Quantity.SIZE, lower=0)
    return _each_flow(runs, "window_bytes", "windows", "Windows of flows", axis)


def jain(runs: Runs) -> Chart:
    """Jain's index of the bytes that the active flows had acknowledged in each interval."""
    drawn = over_time(runs, _jain_index)
    definition = (
        "Jain's index (Σx)² / (n·Σx²) of the bytes acknowledged in each "
        f"{_interval(runs) or 'interval'}."
    )
    return Chart(
        "jain",
        "Fairness",
        time_axis(),
        Axis("Jain's index", Quantity.RATIO, lower=0, upper=1),
        drawn.curves,
        note=f"{definition} {drawn.note}".rstrip(),
        missing=FLOWS,
    )


def _jain_index(run: Run) -> Curves:
    return unnamed(curves(run.series, "jain_index"))


def _interval(runs: Runs) -> str:
    """The time between two values of the index, if all runs have one."""
    widths = {
        int(np.diff(times).min())
        for run in runs.values()
        for times, _ in _jain_index(run).values()
        if len(times) > 1
    }
    return time_text(widths.pop()) if len(widths) == 1 else ""


def _each_flow(
    runs: Runs,
    measure: str,
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
        every = curves(run.series, measure)
        left_out += max(len(every) - most, 0)
        return dict(list(every.items())[:most])

    drawn = over_time(runs, pick)
    note = f"The first {most} flows of each run; {left_out} more were recorded." if left_out else ""
    note = f"{note} {drawn.note}".strip()
    return Chart(name, title, time_axis(), axis, drawn.curves, note=note, missing=missing)
