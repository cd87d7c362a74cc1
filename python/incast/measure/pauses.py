"""When PFC had paused ports."""

from __future__ import annotations

from incast.measure.run import Run
from incast.measure.series import curves

__all__ = ["paused_spans"]


def paused_spans(run: Run) -> dict[str, list[tuple[int, int]]]:
    """By the label of a port that was paused: from each pause to its resume, in ps, in order. One
    without a resume lasts to the end of what is known.
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
