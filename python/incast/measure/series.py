"""Series of a run as arrays, and their reduction for charts. Drawing is elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from incast.table import Table
from incast.time_units import PICOSECOND

__all__ = [
    "Array",
    "Curves",
    "SizeClasses",
    "SizeGroups",
    "by_size",
    "cdf",
    "curves",
    "decimate",
    "goodput_of_flows",
    "in_classes",
    "ordered_percentile",
    "percentile",
    "size_classes",
    "slowdown_by_size",
    "whole",
]

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Curves: TypeAlias = dict[str, tuple[Array, Array]]
"""By entity: times in picoseconds, ascending, and the values at those times."""


def whole(values: Array) -> Array:
    """Numbers as integers; −1 where a number is missing."""
    if values.dtype.kind == "f":
        values = np.nan_to_num(values, nan=-1.0)
    found: Array = values.astype(np.int64)
    return found


def curves(series: Table, measure: str, only: Collection[str] | None = None) -> Curves:
    """One measure of a run's series, by entity, in order of first appearance.

    Args:
        series: The table ``series`` of a run.
        measure: The name of the measure.
        only: The entities to read; by default all, which may be many thousand flows.
    """
    measures = series.categories("measure")
    if measure not in measures.texts:
        return {}
    wanted = measures.indices == measures.texts.index(measure)
    entities = series.categories("entity")
    if only is not None:
        is_wanted = np.array([text in only for text in entities.texts], dtype=bool)
        wanted &= is_wanted[entities.indices]
    rows = np.flatnonzero(wanted)
    if len(rows) == 0:
        return {}
    codes = entities.indices[rows]
    order = np.argsort(codes, kind="stable")
    times = series.numbers("time_ps")[rows][order]
    values = series.numbers("value")[rows][order]
    codes, first = np.unique(codes[order], return_index=True)
    ends = np.append(first[1:], len(order))
    spans = np.stack([codes, first, ends], axis=1)[np.argsort(order[first])]
    return {
        entities.texts[code]: (times[begin:end], values[begin:end])
        for code, begin, end in spans.tolist()
    }


def goodput_of_flows(series: Table, starts: Mapping[str, float], width: int = 1) -> Curves:
    """Goodput of each flow over time, in bit/s: payload acknowledged in the last `width` sampling
    intervals before each sample, or since the flow's start if that is later.

    Args:
        series: The table ``series`` of a run.
        starts: Start times of flows, in picoseconds; a flow without one starts at its first sample.
        width: The number of sampling intervals.
    """
    found = {}
    for flow, (times, acked) in curves(series, "acked_bytes").items():
        start, none = (starts[flow], 0.0) if flow in starts else (times[0], acked[0])
        head = min(width, len(times))
        begins = np.concatenate([np.full(head, start, float), times[: len(times) - head]])
        already = np.concatenate([np.full(head, none), acked[: len(times) - head]])
        spans = times - begins
        # A flow that starts at the time of a sample has no goodput there.
        told = spans > 0
        found[flow] = (times[told], (acked - already)[told] * 8 / (spans[told] * PICOSECOND))
    return found


class SizeGroups(NamedTuple):
    """Flows grouped by size, with about equally many flows in each group."""

    largest_bytes: Array
    flows_per_group: Array
    percentiles: dict[float, Array]
    """Values by percentile."""


def slowdown_by_size(
    flows: Table,
    percentiles: Sequence[float] = (50, 95, 99),
    most_groups: int = 100,
    chosen: Array | None = None,
) -> SizeGroups:
    """FCT slowdown over flow size, as published for HPCC: flows sorted by size and cut into groups
    of equal count; a point's size is the largest of its group, its value ``sorted[⌊n·p⌋]``.

    With a thousand flows or more, a group has at least a hundred, so that its p99 is not its
    maximum. Flows of equal size are in one group.

    Args:
        flows: Completed flows.
        percentiles: The percentiles, in percent.
        most_groups: The most groups.
        chosen: For each flow, whether it is taken; by default, all are.
    """
    sizes, slowdowns = flows.numbers("size_bytes"), flows.numbers("slowdown")
    if chosen is not None:
        sizes, slowdowns = sizes[chosen], slowdowns[chosen]
    return by_size(sizes, slowdowns, percentiles, most_groups)


def by_size(
    sizes: Array, values: Array, percentiles: Sequence[float], most_groups: int = 100
) -> SizeGroups:
    """Percentiles of any value of flows over flow size, in groups as in
    :func:`slowdown_by_size`.
    """
    order = np.argsort(sizes, kind="stable")
    sizes, values = sizes[order], values[order]
    ends = _group_ends(sizes, min(most_groups, max(len(sizes) // 100, 10)))
    groups = [np.sort(group) for group in np.split(values, ends[:-1])] if len(ends) else []
    return SizeGroups(
        largest_bytes=sizes[ends - 1],
        flows_per_group=np.array([len(group) for group in groups], dtype=int),
        percentiles={
            percentile: np.array([ordered_percentile(group, percentile) for group in groups])
            for percentile in percentiles
        },
    )


def in_classes(sizes: Array, values: Array, edges: Array, percent: float) -> Array:
    """A percentile of values in each size class, given the upper ends of the classes. Sizes above
    the last end belong to the last class. Missing (NaN) in an empty class.
    """
    parts = SizeClasses(edges).split(sizes, values)
    return np.array([percentile(part, percent) for part in parts])


class SizeClasses(NamedTuple):
    """Classes of flow sizes, shared by several runs."""

    largest: Array
    """Upper ends of the classes. Sizes above the last end belong to the last class."""

    def counts(self, sizes: Array) -> Array:
        """The number of flows in each class."""
        return np.bincount(self._places(sizes), minlength=len(self.largest))

    def split(self, sizes: Array, values: Array) -> list[Array]:
        """Values of flows, split by the class of the flow's size."""
        order = np.argsort(self._places(sizes), kind="stable")
        return np.split(values[order], np.cumsum(self.counts(sizes))[:-1])

    def _places(self, sizes: Array) -> Array:
        return np.minimum(np.searchsorted(self.largest, sizes), len(self.largest) - 1)


def size_classes(sizes: Array, most: int) -> SizeClasses:
    """At most `most` classes with about equally many flows. Flows of equal size are in one
    class.
    """
    ordered = np.sort(sizes)
    return SizeClasses(ordered[_group_ends(ordered, most) - 1])


def cdf(values: Array, most_points: int = 600) -> tuple[Array, Array]:
    """For each value, the share of values up to it. Long inputs are thinned evenly; the smallest
    and the largest thousandth keep more points.
    """
    ordered = np.sort(values)
    count = len(ordered)
    if count > most_points:
        even = np.linspace(0, count - 1, most_points * 2 // 3)
        tail = np.geomspace(1, count, most_points // 6)
        picks = np.unique(np.concatenate([even, tail - 1, count - tail]).astype(int))
    else:
        picks = np.arange(count)
    return ordered[picks], (picks + 1) / max(count, 1)


class Decimated(NamedTuple):
    """Curves over one shared time axis, thinned if they had too many points."""

    times: Array
    values: dict[str, Array]
    bin_width: float | None
    """The width of a bin, in the unit of the times; ``None`` if no points were left out."""


def decimate(group: Mapping[str, tuple[Array, Array]], most_points: int) -> Decimated:
    """Brings curves to one time axis of at most `most_points`. If they must be thinned, each bin
    keeps its smallest and its largest value, so that peaks stay.

    A curve is NaN where it has no value, such as before a flow's start and after its end.
    """
    kept = {name: _finite(*curve) for name, curve in group.items()}
    if not any(len(times) for times, _ in kept.values()):
        return Decimated(np.array([]), {name: np.array([]) for name in group}, None)
    axis = np.unique(np.concatenate([times for times, _ in kept.values()]))
    if len(axis) <= most_points:
        values = {name: _on_axis(axis, *curve) for name, curve in kept.items()}
        return Decimated(axis.astype(float), values, None)
    edges = np.linspace(float(axis[0]), float(axis[-1]), max(most_points // 2, 1) + 1)
    width = edges[1] - edges[0]
    ends = {name: _bin_extremes(edges, *curve) for name, curve in kept.items()}
    times = np.stack([edges[:-1] + width / 4, edges[:-1] + 3 * width / 4], axis=1).ravel()
    return Decimated(times, ends, float(width))


def _group_ends(sizes: Array, groups: int) -> Array:
    """Ends of groups of about equal count, moved so that flows of equal size are in one group."""
    count = len(sizes)
    if count == 0:
        return np.array([], dtype=int)
    ends = np.linspace(0, count, min(groups, count) + 1).astype(int)[1:]
    return np.unique(np.searchsorted(sizes, sizes[ends - 1], side="right"))


def percentile(values: Array, percent: float) -> float:
    """The value at ⌊n·p⌋ of n sorted values; missing (NaN) if there are no values."""
    if not len(values):
        return float("nan")
    place = _place(len(values), percent)
    return float(np.partition(values, place)[place])


def ordered_percentile(ordered: Array, percent: float) -> float:
    """:func:`percentile` of values that are already sorted."""
    if not len(ordered):
        return float("nan")
    return float(ordered[_place(len(ordered), percent)])


def _place(count: int, percent: float) -> int:
    # Decimal arithmetic, as 3000 · 33.3 / 100 would be 998.99… in binary.
    return min(int(count * Decimal(str(percent)) / 100), count - 1)


def _finite(times: Array, values: Array) -> tuple[Array, Array]:
    finite = np.isfinite(values)
    return times[finite], values[finite]


def _on_axis(axis: Array, times: Array, values: Array) -> Array:
    placed = np.full(len(axis), np.nan)
    placed[np.searchsorted(axis, times)] = values
    return placed


def _bin_extremes(edges: Array, times: Array, values: Array) -> Array:
    """Two values for each bin, its smallest and its largest. The smallest comes first if the curve
    rises from the bin's first to its last point.
    """
    bins = len(edges) - 1
    placed = np.full((bins, 2), np.nan)
    if len(times):
        index = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, bins - 1)
        starts = np.flatnonzero(np.diff(index, prepend=-1))
        low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
        last = np.append(starts[1:], len(values)) - 1
        rising = values[starts] <= values[last]
        placed[index[starts], 0] = np.where(rising, low, high)
        placed[index[starts], 1] = np.where(rising, high, low)
    return placed.ravel()
