"""Ratios of a sweep's measures to those of a baseline, paired by seed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from incast.errors import LabelError
from incast.measure.paired import PairedRatio, told
from incast.names import hint
from incast.present import paired
from incast.present.baseline import Better
from incast.study.layout import across_of, line_labels
from incast.study.means import SEED, Row, without_seed
from incast.study.quantities import canonical, canonical_point, value_text

if TYPE_CHECKING:
    from incast.study.measures import Measure

__all__ = ["Baseline", "RatioGroup", "baseline_named", "cells", "header", "ratio_groups", "to_dict"]


@dataclass(frozen=True)
class Baseline:
    """A value of what is varied, whose runs others are compared with."""

    key: str
    value: Any
    text: str
    difference: float
    """The relative difference that matters."""


@dataclass(frozen=True)
class RatioGroup:
    """Runs that differ in their seeds alone, beside those of the baseline."""

    values: Mapping[str, Any]
    """Of what else than the seed is varied."""
    ratios: Mapping[str, PairedRatio]
    """By column."""
    seeds: int
    """That the group has."""


def baseline_named(name: str, points: Sequence[Mapping[str, Any]], difference: float) -> Baseline:
    """The baseline of this name: a value such as ``hpcc``, or ``cc=hpcc`` where several keys have
    it.

    Args:
        name: As after ``--baseline``.
        points: Values of all runs, by key.
        difference: The relative difference that matters.

    Raises:
        LabelError: No key has the value, or several have.
    """
    found: dict[str, dict[str, Any]] = {}
    for point in points:
        for key, value in point.items():
            if key != SEED:
                texts = {value_text(value), getattr(value, "label", value_text(value))}
                found.setdefault(key, {}).update(dict.fromkeys(texts, value))
    key, equals, text = name.partition("=")
    if equals and key in found:
        found, wanted = {key: found[key]}, text
    else:
        wanted = name
    having = {key: values for key, values in found.items() if wanted in values}
    if len(having) > 1:
        what = f"several keys have the value `{wanted}`: {', '.join(having)}"
        raise LabelError(what, hint=f"write {next(iter(having))}={wanted}")
    if not having:
        known = [text for values in found.values() for text in values]
        raise LabelError(f"nothing that is varied has the value `{wanted}`", hint=hint(name, known))
    ((key, values),) = having.items()
    if len({value_text(value) for value in values.values()}) == 1:
        what = f"`{wanted}` is the only value of {key}: there is none to compare with it"
        raise LabelError(what, hint=f"vary {key}, or leave out the baseline")
    value = values[wanted]
    return Baseline(key, value, getattr(value, "label", wanted), difference)


def ratio_groups(
    rows: Sequence[Row], measures: Sequence[Measure], baseline: Baseline
) -> list[RatioGroup]:
    """Groups in the order of their first runs, but for those of the baseline."""
    by_point = {canonical_point(row.values): row for row in rows}
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(canonical_point(without_seed(row.values)), []).append(row)
    base = canonical(baseline.value, baseline.key)
    return [
        RatioGroup(
            without_seed(alike[0].values),
            {each.column: _ratio(alike, each, baseline, by_point) for each in measures},
            len(alike),
        )
        for alike in groups.values()
        if canonical(alike[0].values.get(baseline.key), baseline.key) != base
    ]


def _ratio(
    rows: Iterable[Row], measure: Measure, baseline: Baseline, by_point: Mapping[Hashable, Row]
) -> PairedRatio:
    own, others = [], []
    for row in rows:
        beside = by_point.get(canonical_point({**row.values, baseline.key: baseline.value}))
        own.append(row.measured.get(measure.column, float("nan")))
        of_base = {} if beside is None else beside.measured
        others.append(of_base.get(measure.column, float("nan")))
    return PairedRatio.of(own, others)


def header(groups: Sequence[RatioGroup], baseline: Baseline) -> list[str]:
    """Names of the columns of :func:`cells`."""
    across = across_of([each.values for each in groups])
    most = max((each.seeds for each in groups), default=0)
    told_with = f"with {most} seeds" if most > 1 else "with one seed"
    return [
        f"against {baseline.text}",
        across.axis.label,
        "ratio",
        "95 % interval",
        told_with,
    ]


def cells(groups: Sequence[RatioGroup], measure: Measure, baseline: Baseline) -> list[list[str]]:
    """A row for each group: which it is, ratio, interval, whether they are told apart."""
    points = [each.values for each in groups]
    across = across_of(points)
    rows = []
    for group, line in zip(groups, line_labels(points, across), strict=True):
        ratio = group.ratios[measure.column]
        rows.append(
            [
                line or measure.name,
                across.text(group.values),
                paired.ratio_text(ratio),
                paired.interval_text(ratio),
                paired.verdict(ratio, Better.NEITHER, baseline.difference),
            ]
        )
    return rows


def to_dict(groups: Sequence[RatioGroup], difference: float) -> list[dict[str, Any]]:
    """Ratios for programs."""
    return [
        {
            **each.values,
            "measures": {column: told(found, difference) for column, found in each.ratios.items()},
        }
        for each in groups
    ]
