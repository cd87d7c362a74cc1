"""Series of a run as arrays, and their reduction for charts. Nothing is drawn here."""

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
    """Numbers as integers; −1 where there are none."""
    if values.dtype.kind == "f":
        values = np.nan_to_num(values, nan=-1.0)
    found: Array = values.astype(np.int64)
    return found


def curves(series: Table, measure: str, only: Collection[str] | None = None) -> Curves:
    """One measure of a run's series, by entity, in order of first appearance.

    Args:
        series: Of a run.
        measure: Its name.
        only: Of these entities; of all by default, which may be many thousand flows.
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
    """Payload of each flow acknowledged per second, in bit/s: at each sample, over the intervals
    before it, as many as `width`, or since the flow's start.

    Args:
        series: Of a run.
        starts: Of flows, in picoseconds; a flow without one starts at its first sample.
        width: In intervals of samples.
    """
    found = {}
    for flow, (times, acked) in curves(series, "acked_bytes").items():
        start, none = (starts[flow], 0.0) if flow in starts else (times[0], acked[0])
        head = min(width, len(times))
        begins = np.concatenate([np.full(head, start, float), times[: len(times) - head]])
        already = np.concatenate([np.full(head, none), acked[: len(times) - head]])
        spans = times - begins
        # A flow may start at the very moment of its first sample.
        told = spans > 0
        found[flow] = (times[told], (acked - already)[told] * 8 / (spans[told] * PICOSECOND))
    return found


class SizeGroups(NamedTuple):
    """Flows grouped by size, each group of about as many flows as any other."""

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

    Groups keep at least a hundred flows where there are a thousand, so that p99 is not the
    maximum; flows of one size stay together.

    Args:
        flows: Completed ones.
        percentiles: In percent.
        most_groups: At most so many points.
        chosen: Which of the flows; by default all.
    """
    sizes, slowdowns = flows.numbers("size_bytes"), flows.numbers("slowdown")
    if chosen is not None:
        sizes, slowdowns = sizes[chosen], slowdowns[chosen]
    return by_size(sizes, slowdowns, percentiles, most_groups)


def by_size(
    sizes: Array, values: Array, percentiles: Sequence[float], most_groups: int = 100
) -> SizeGroups:
    """Any value of flows over their sizes, in groups as :func:`slowdown_by_size` has them."""
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
    """A percentile of values in each class of size, given the upper ends of classes; what is larger
    than the last belongs to it. Missing (nan) in an empty class.
    """
    parts = SizeClasses(edges).split(sizes, values)
    return np.array([percentile(part, percent) for part in parts])


class SizeClasses(NamedTuple):
    """Classes of flow sizes, the same for several runs."""

    largest: Array
    """Upper ends; what is larger than the last belongs to it."""

    def counts(self, sizes: Array) -> Array:
        """Flows in each class."""
        return np.bincount(self._places(sizes), minlength=len(self.largest))

    def split(self, sizes: Array, values: Array) -> list[Array]:
        """Values of flows by class."""
        order = np.argsort(self._places(sizes), kind="stable")
        return np.split(values[order], np.cumsum(self.counts(sizes))[:-1])

    def _places(self, sizes: Array) -> Array:
        return np.minimum(np.searchsorted(self.largest, sizes), len(self.largest) - 1)


def size_classes(sizes: Array, most: int) -> SizeClasses:
    """Classes of about equal count, this many at most; flows of one size stay together."""
    ordered = np.sort(sizes)
    return SizeClasses(ordered[_group_ends(ordered, most) - 1])


def cdf(values: Array, most_points: int = 600) -> tuple[Array, Array]:
    """The share of values up to each value. Where values are too many, points thin out evenly,
    but the largest and smallest thousandth keep more of theirs.
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
    """Curves over one shared axis, thinned where they had too many points."""

    times: Array
    values: dict[str, Array]
    bin_width: float | None
    """The width of a bin in the unit of the times; ``None`` if nothing was left out."""


def decimate(group: Mapping[str, tuple[Array, Array]], most_points: int) -> Decimated:
    """Brings curves to one time axis of at most `most_points`. Where that needs thinning, each
    bin keeps its smallest and its largest value, so that no peak is lost.

    A curve has ``nan`` where it has no value: before a flow starts, and after it ended.
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
    """Ends of groups, moved so that flows of one size stay together."""
    count = len(sizes)
    if count == 0:
        return np.array([], dtype=int)
    ends = np.linspace(0, count, min(groups, count) + 1).astype(int)[1:]
    return np.unique(np.searchsorted(sizes, sizes[ends - 1], side="right"))


def percentile(values: Array, percent: float) -> float:
    """The value at ⌊n·p⌋ of n sorted ones; missing (nan) if there are none."""
    if not len(values):
        return float("nan")
    place = _place(len(values), percent)
    return float(np.partition(values, place)[place])


def ordered_percentile(ordered: Array, percent: float) -> float:
    """:func:`percentile` of values that are sorted already."""
    if not len(ordered):
        return float("nan")
    return float(ordered[_place(len(ordered), percent)])


def _place(count: int, percent: float) -> int:
    # In decimals, as it is written: 3000 · 33.3 / 100 is 998.99… in binary.
    return min(int(count * Decimal(str(percent)) / 100), count - 1)


def _finite(times: Array, values: Array) -> tuple[Array, Array]:
    finite = np.isfinite(values)
    return times[finite], values[finite]


def _on_axis(axis: Array, times: Array, values: Array) -> Array:
    placed = np.full(len(axis), np.nan)
    placed[np.searchsorted(axis, times)] = values
    return placed


def _bin_extremes(edges: Array, times: Array, values: Array) -> Array:
    """Two values a bin: smallest and largest, in the order that its first and last values have."""
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
