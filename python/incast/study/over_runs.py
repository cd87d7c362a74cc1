"""Comparison charts of a sweep's runs: a chart for each point, with a curve for each algorithm."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from incast.present import charts
from incast.present.charts import Chart
from incast.results import Results
from incast.study.layout import across_of, short_key
from incast.study.means import SEED, Row
from incast.study.quantities import canonical_point

__all__ = ["charts_of_runs"]

_CURVES = ("cc", "attack", "name")
"""Keys whose values become curves; the first of these that is varied is taken."""


def charts_of_runs(
    rows: Sequence[Row],
    seeds: Sequence[int],
    results: Callable[[int], Results],
    name: str,
) -> dict[str, Chart]:
    """A chart for each combination of the varied values, without the curves' key and the seed; by
    those values in words. Failed runs are left out.

    Args:
        rows: The runs of the sweep.
        seeds: The seed of each run.
        results: Gives the results of a run by its index.
        name: The name of the chart, such as ``slowdown-p99``.
    """
    points = [each.values for each in rows]
    curves = _curve_key(points)
    across = across_of(points)
    keys = list(dict.fromkeys(key for point in points for key in point))
    places: dict[Hashable, list[int]] = {}
    for place, point in enumerate(points):
        if rows[place].measured:
            places.setdefault(canonical_point(_but(point, curves, SEED)), []).append(place)
    found: dict[str, Chart] = {}
    for alike in places.values():
        runs = {}
        for place in alike:
            label = across.value(curves, points[place]) if curves else "all runs"
            runs[f"{label}, seed {seeds[place]}"] = results(place)
        others = _but(points[alike[0]], curves, SEED)
        said = ", ".join(f"{short_key(key, keys)} {across.value(key, others)}" for key in others)
        chart = charts.chart(name, runs)
        title = f"{chart.title}: {said}" if said else chart.title
        found[said] = dataclasses.replace(chart, title=title, name=f"{name} {said}".strip())
    return found


def _curve_key(points: Sequence[Mapping[str, Any]]) -> str | None:
    """The key whose values become curves; ``None`` if only seeds are varied."""
    keys = list(dict.fromkeys(key for point in points for key in point if key != SEED))
    return next((key for key in (*_CURVES, *keys) if key in keys), None)


def _but(point: Mapping[str, Any], *keys: str | None) -> dict[str, Any]:
    return {key: value for key, value in point.items() if key not in keys}
