"""Means of a sweep over runs that differ only in their seeds."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from incast.study.steadiness import STEADY, Steadiness

if TYPE_CHECKING:
    from incast.measure.statistics import Interval
    from incast.study.measures import Measure

__all__ = ["SEED", "Group", "Row", "groups", "seeds_are_alike", "without_seed"]

SEED = "seed"


@dataclass(frozen=True)
class Row:
    """A run of a sweep."""

    values: Mapping[str, Any]
    """The values of the varied keys."""
    identity: str
    measured: Mapping[str, float]
    """Measured numbers by column. Empty if the run failed; a run that could only not be stored has
    them.
    """
    failure: str = ""


@dataclass(frozen=True)
class Group:
    """Runs that differ only in their seeds."""

    values: Mapping[str, Any]
    """The values of the varied keys, without the seed."""
    intervals: Mapping[str, Interval]
    """Intervals of the means by column."""
    runs: int
    steadiness: Steadiness = STEADY
    """Caveats about FCTs of these runs."""


def groups(rows: Sequence[Row], measures: Sequence[Measure]) -> list[Group]:
    """Groups of runs that differ only in their seeds, in the order of their first runs."""
    from incast.study.quantities import canonical_point

    found: dict[Hashable, list[Row]] = {}
    for row in rows:
        found.setdefault(canonical_point(without_seed(row.values)), []).append(row)
    lowest = {each.column: _lowest(rows, each) for each in measures}
    return [
        Group(
            without_seed(alike[0].values),
            {each.column: _interval(alike, each, lowest[each.column]) for each in measures},
            len(alike),
            Steadiness.of([row.measured for row in alike]),
        )
        for alike in found.values()
    ]


def seeds_are_alike(groups: Sequence[Group]) -> bool:
    """Whether all seeds gave equal numbers, for every measure."""
    several = [each for group in groups for each in group.intervals.values() if each.count > 1]
    return bool(several) and all(each.low == each.high for each in several)


def without_seed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the varied keys, without the seed."""
    return {key: value for key, value in values.items() if key != SEED}


def _lowest(rows: Sequence[Row], measure: Measure) -> float:
    """A lower bound of a measure. A user's own measure has 0 if none of its values is negative."""
    values = _values(rows, measure)
    if math.isinf(measure.lower):
        return measure.lower if any(value < 0 for value in values) else 0.0
    return measure.lower * measure.scale


def _interval(rows: Sequence[Row], measure: Measure, lowest: float) -> Interval:
    from incast.measure.statistics import Interval

    values = _values(rows, measure)
    if any(value < lowest for value in values):
        # Under faults, a slowdown may be below 1, but is not below 0.
        lowest = 0.0
    # With the largest floats, sums overflow to infinity, and differences are NaN.
    with np.errstate(over="ignore", invalid="ignore"):
        return Interval.student(values).not_below(lowest)


def _values(rows: Sequence[Row], measure: Measure) -> list[float]:
    return [row.measured.get(measure.column, float("nan")) for row in rows]
