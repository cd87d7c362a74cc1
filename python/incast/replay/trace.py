"""The packets of a window, from the trace of the results or of a second run."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np

from incast import _core
from incast.errors import ResultsError
from incast.measure.run import Run
from incast.present.units import count_text, time_text
from incast.replay.scene import Scene, scene_of
from incast.replay.window import Window
from incast.second_run import Again, second_run

__all__ = ["MAX_PACKETS", "fitting_scene", "traced"]

MAX_PACKETS = 20_000
"""The most packets of a window: packets that leave a port, or are on a link at its begin. A packet
counts once for each port.
"""
_LEAST_ROOM = 0.1
"""The least share of that number that must be left for packets that leave in the window."""
_MAX_EVENTS = 10_000_000
"""The most events of a trace; each takes 40 bytes."""


def traced(run: Run, window: Window, again: Again) -> Run:
    """Gives a run whose packets were traced in a window, and for a base RTT before and after it:
    the run itself, or a second run.

    Args:
        run: A run of a network.
        window: A window within the run's time.
        again: Runs a scenario.

    Raises:
        ResultsError: The second run has other results.
    """
    margin, last = int(run.summary["base_rtt_ps"]), int(run.summary["simulated_ps"])
    begin, end = max(0, window.begin - margin), min(last, window.end + margin)
    if _has(run, begin, end):
        return run
    trace = {"flows": "all", "causes": False, "from": f"{begin}ps", "limit": _MAX_EVENTS}
    return second_run(run, trace, end, again)


def _has(run: Run, begin: int, end: int) -> bool:
    """Whether all packets were traced between two times, and all pauses."""
    measure = tomllib.loads(run.scenario)["measure"]
    trace: dict[str, Any] = measure.get("packets") or {}
    if not trace or (trace["ports"], trace["flows"]) != ("all", "all") or not measure["pauses"]:
        return False
    until = trace.get("until")
    last = int(run.summary["simulated_ps"])
    ends = [
        last if until is None else _core.quantity("time", until),
        run.summary["packet_trace"]["cut_ps"] or last,
    ]
    return _core.quantity("time", trace["from"]) <= begin and min(ends) >= end


def fitting_scene(run: Run, window: Window) -> Scene:
    """The scene of the window, shortened if a page cannot play all of it.

    Raises:
        ResultsError: The window has too many packets, and the user has named both of its ends; or
            the packets on links alone are too many.
    """
    room = MAX_PACKETS
    while True:
        scene = scene_of(run, _fitted(run, window, room))
        begin, end = scene.window.begin, scene.window.end
        left = [hop.leaves for hop in scene.hops if hop.leaves is not None and hop.leaves < end]
        if len(left) <= MAX_PACKETS:
            return scene
        early = sum(time < begin for time in left)
        if MAX_PACKETS - early < _LEAST_ROOM * MAX_PACKETS:
            what = (
                f"{run.name}: at {time_text(begin)} there are {count_text(early)} packets on "
                f"links; a page plays {count_text(MAX_PACKETS)} at most"
            )
            raise ResultsError(what, hint="shorter links, or slower ones, hold fewer")
        # A shorter window may have more packets on links at its begin.
        room = min(MAX_PACKETS - early, room * 9 // 10)


def _fitted(run: Run, window: Window, room: int) -> Window:
    """The window, shortened if more than `room` packets begin to leave in it.

    Raises:
        ResultsError: More packets leave, and the user has named both ends of the window.
    """
    table = run.packets
    times = np.sort(table.numbers("time_ps")[table.categories("event").are("send")])
    first, after = np.searchsorted(times, [window.begin, window.end]).tolist()
    cut = run.summary["packet_trace"]["cut_ps"]
    is_cut = cut is not None and cut < window.end
    if after - first <= room and not is_cut:
        return window
    if not window.may_shrink:
        fits = int(times[min(first + room, len(times) - 1)])
        others = "" if room == MAX_PACKETS else ", beside those on links at its begin"
        what = (
            f"{run.name}: from {time_text(window.begin)} to {time_text(window.end)} "
            f"{'more than ' if is_cut else ''}{count_text(after - first)} packets are sent, "
            f"each at every port of its way{others}; a page plays {count_text(MAX_PACKETS)} at most"
        )
        raise ResultsError(what, hint=f"a window that fits ends at {fits // 1000}ns")
    anchor = int(np.searchsorted(times, window.anchor))
    low = max(first, anchor - round(0.4 * room))
    high = min(after, low + room)
    low = max(first, high - room)
    begin = window.begin if low == first else int(times[low])
    end = window.end if high == after and not is_cut else int(times[min(high, len(times) - 1)])
    return window._replace(begin=begin, end=end)
