"""Chooses the time of a run that is played."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from incast import _core
from incast.errors import ResultsError
from incast.measure.run import Run
from incast.measure.series import curves
from incast.present.units import time_text

__all__ = ["Window", "chosen_window"]

_BEFORE, _AFTER = 10, 15
"""The default window, in base RTTs before and after the longest queue."""


class Window(NamedTuple):
    """A span of simulated time, in picoseconds."""

    begin: int
    end: int
    may_shrink: bool
    """Whether the window may be shortened: the user has not named both ends."""
    anchor: int
    """A time that a shortened window still contains: that of the longest queue, or a named end."""


def chosen_window(run: Run, begin: str | None, end: str | None, flow: int | None = None) -> Window:
    """The window between two times, or one around the longest queue.

    Args:
        run: A run of a network.
        begin: The begin, such as ``"10us"``.
        end: The end.
        flow: The flow during which the longest queue is sought; by default, the whole run counts.

    Raises:
        ResultsError: A text is no time, or the window is empty.
    """
    last = int(run.summary["simulated_ps"])
    base_rtt = int(run.summary["base_rtt_ps"])
    peak = _longest_queue(run, *_time_of(run, flow))
    first = _time(begin, "begin")
    until = _time(end, "end")
    if first is None:
        first = (
            peak - _BEFORE * base_rtt if until is None else until - (_BEFORE + _AFTER) * base_rtt
        )
    first = max(first, 0)
    if until is None:
        is_around_peak = begin is None and first <= peak
        until = (peak if is_around_peak else first + _BEFORE * base_rtt) + _AFTER * base_rtt
    if first >= until:
        what = f"the window begins at {time_text(first)} and ends at {time_text(until)}"
        raise ResultsError(what, hint="it ends after it begins, as from 10us to 60us")
    if first >= last:
        what = f"{run.name}: the run ends at {time_text(last)}, before the window begins"
        raise ResultsError(what, hint="name an earlier time")
    until = min(until, last)
    named = first if begin is not None else until if end is not None else peak
    return Window(first, until, begin is None or end is None, named)


def _time(text: str | None, key: str) -> int | None:
    if text is None:
        return None
    try:
        return int(_core.quantity("time", text))
    except ValueError as error:
        raise ResultsError(f"the {key} of the window: {error}") from None


def _time_of(run: Run, flow: int | None) -> tuple[float, float]:
    """The start and the end of a flow; of an unfinished flow, the end of the run. Without a flow,
    all time.
    """
    if flow is None:
        return 0, math.inf
    row = np.flatnonzero(run.flows.numbers("flow_id") == flow)[0]
    start, fct = (float(run.flows.numbers(name)[row]) for name in ("start_ps", "fct_ps"))
    return start, start + fct if fct == fct else math.inf


def _longest_queue(run: Run, since: float, until: float) -> int:
    """When the longest queue was sampled between two times; the first time if no queue was."""
    # Samples are of the whole network or, if ports were named, of those ports.
    sampled = (curves(run.series, name).values() for name in ("queue_max_bytes", "queue_bytes"))
    found = []
    for times, values in (curve for each in sampled for curve in each):
        is_within = (times >= since) & (times <= until) & (values > 0)
        if is_within.any():
            longest = np.flatnonzero(is_within)[values[is_within].argmax()]
            found.append((float(values[longest]), -int(times[longest])))
    return -max(found)[1] if found else int(since)
