"""One statistic of FCT slowdown over flow size, as in papers on congestion control. Each algorithm
has one curve, of the flows of all its seeds, with a band for the variation between seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from incast.measure.counted import is_counted, is_late
from incast.measure.paired import FEWEST_SEEDS
from incast.measure.pools import Pools, pools
from incast.measure.run import Run, Runs
from incast.measure.series import Array, SizeClasses, percentile, size_classes
from incast.measure.statistics import log_half_width
from incast.present.charts.chart import Axis, Chart, Curve, Quantity, spans_decades
from incast.present.key_figures.steadiness import unsteady_note
from incast.present.units import count_text, plural

__all__ = ["STATISTICS", "slowdown_over_size"]

STATISTICS = ("mean", "p50", "p99", "p99.9")
_MOST_POINTS = 20
_FEWEST_FLOWS = 100
"""The fewest flows of a point, if there are enough flows."""
_OF_ANY = ("mean", "p50")
"""Statistics that any number of flows has. A tail percentile of too few flows is just their
maximum.
"""


def slowdown_over_size(statistic: str) -> Callable[[Runs], Chart]:
    """The chart of a statistic: ``mean``, or a percentile such as ``p99.9``."""

    def draw(runs: Runs) -> Chart:
        pooled = pools(runs)
        again = len(runs) - sum(map(len, pooled.values()))
        return _chart(pooled, statistic, again)

    return draw


def _chart(pooled: Pools, statistic: str, again: int) -> Chart:
    """The chart of pooled runs. `again` runs were left out because their seed is already in the
    pool.
    """
    slowdowns = {label: [_flows(run) for run in runs] for label, runs in pooled.items()}
    flows = [sum(len(sizes) for sizes, _ in each) for each in slowdowns.values()]
    every = [sizes for each in slowdowns.values() for sizes, _ in each]
    least = min(flows, default=0)
    needed = _flows_needed(statistic)
    fewest = min(needed, least) if statistic in _OF_ANY else needed
    points = min(_MOST_POINTS, least // fewest) if fewest else 0
    seeds = {len(runs) for runs in pooled.values()}
    curves: list[Curve] = []
    if points:
        classes = size_classes(np.concatenate(every), points)
        for place, (label, each) in enumerate(slowdowns.items()):
            curves += _curves(label, place, each, classes, statistic, fewest)
    return Chart(
        f"slowdown-{statistic}",
        f"FCT slowdown by flow size, {statistic}",
        Axis("flow size", Quantity.SIZE, log=True),
        Axis(
            f"FCT slowdown, {statistic}",
            Quantity.RATIO,
            log=spans_decades(each.y[np.isfinite(each.y)] for each in curves),
            lower=1,
        ),
        curves,
        note=_note(seeds, fewest) + _left_out(again) + _steadiness(pooled) if curves else "",
        missing=_missing(statistic),
    )


def _flows(run: Run) -> tuple[Array, Array]:
    """Size and slowdown of each counted flow of a run."""
    chosen = is_counted(run)
    size, slowdown = (run.completed.numbers(name) for name in ("size_bytes", "slowdown"))
    # Had arrivals gone on, a late flow would have a larger slowdown: here it counts as infinite.
    slowdown = np.where(is_late(run), np.inf, slowdown)
    return size[chosen], slowdown[chosen]


def _flows_needed(statistic: str) -> int:
    """The fewest flows for which the statistic is not just the maximum."""
    if statistic == "mean":
        return _FEWEST_FLOWS
    share = 1 - float(statistic[1:]) / 100
    return max(_FEWEST_FLOWS, math.floor(1 / share + 1e-6) + 1)


def _missing(statistic: str) -> str:
    if statistic in _OF_ANY:
        return "No flow has finished, so there is nothing to show."
    needed = plural(_flows_needed(statistic), "counted flow")
    return (
        f"{statistic} of FCT slowdown takes {needed} at least: with fewer it is the largest. "
        "Longer arrivals, or more seeds, have more."
    )


def _curves(
    label: str,
    place: int,
    seeds: Sequence[tuple[Array, Array]],
    classes: SizeClasses,
    statistic: str,
    fewest: int,
) -> Iterator[Curve]:
    """The curve of a pool of seeds, if it has any point."""
    reduce = _reduction(statistic)
    sizes = np.concatenate([sizes for sizes, _ in seeds])
    values = np.concatenate([values for _, values in seeds])
    y = np.array([reduce(part) for part in classes.split(sizes, values)])
    enough = classes.counts(sizes) >= fewest
    y = np.where(enough & np.isfinite(y), y, np.nan)
    if np.isnan(y).all():
        return
    spread = None
    if len(seeds) >= FEWEST_SEEDS:
        own = np.array([[reduce(part) for part in classes.split(*each)] for each in seeds])
        half = log_half_width(np.where(np.isfinite(own), own, np.nan))
        spread = (y * np.exp(-half), y * np.exp(half))
    yield Curve(
        label,
        classes.largest,
        y,
        place,
        mark="dots" if len(y) == 1 else "points",
        group=label,
        spread=spread,
        is_band=True,
    )


def _reduction(statistic: str) -> Callable[[Array], float]:
    if statistic == "mean":
        return _mean
    percent = float(statistic[1:])
    return lambda values: percentile(values, percent)


def _mean(values: Array) -> float:
    """The mean over flows with a finite value, which ended before the arrivals did; missing (NaN)
    if there are none.
    """
    ended = values[np.isfinite(values)]
    return float(ended.mean()) if len(ended) else float("nan")


def _steadiness(pooled: Pools) -> str:
    """A note on curves of unsteady networks, and on flows left out of curves that are cut."""
    summaries = {label: [run.summary for run in runs] for label, runs in pooled.items()}
    told = unsteady_note(summaries)
    every = (summary for each in summaries.values() for summary in each)
    if any(entry["late"] for summary in every for entry in summary.get("counted_flows", ())):
        told += " Points that flows at the end of the arrivals could move are left out."
    return told


def _left_out(again: int) -> str:
    """A note on runs that were left out because their seed is already in the pool."""
    return f" Left out: {plural(again, 'run')} of seeds that are there already." if again else ""


def _note(seeds: set[int], fewest: int) -> str:
    low, high = min(seeds), max(seeds)
    of = plural(low, "seed") if low == high else f"{count_text(low)} to {plural(high, 'seed')}"
    bands = (
        " Intervals are Student's for 95 %, over the logarithms of the seeds' own values."
        if high >= FEWEST_SEEDS
        else f" Intervals take {FEWEST_SEEDS} seeds or more."
    )
    return (
        f"Flows of {of} in order of size, cut into groups of equal count; each point stands at the "
        f"largest size of its group, and has {count_text(fewest)} flows at least.{bands}"
    )
