"""The periods in which PFC paused ports."""

from __future__ import annotations

from incast.measure.run import Run
from incast.measure.series import curves

__all__ = ["paused_spans"]


def paused_spans(run: Run) -> dict[str, list[tuple[int, int]]]:
    """For each paused port, by label, the spans from a pause to its resume, in ps and in order. A
    span without a resume ends where the series ends.
    """
    thinned = run.summary.get("thinned_series") or {}
    end_ps = int(thinned.get("pfc_cut_ps") or run.summary["simulated_ps"])
    found: dict[str, list[tuple[int, int]]] = {}
    for label, (times, values) in curves(run.series, "pfc").items():
        since, spans = None, []
        for time, value in zip(times.tolist(), values.tolist(), strict=True):
            if value and since is None:
                since = int(time)
            elif not value and since is not None:
                spans.append((since, int(time)))
                since = None
        if since is not None:
            spans.append((since, max(since, end_ps)))
        found[label] = spans
    return found
