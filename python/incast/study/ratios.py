"""Ratios of a sweep's measures to those of a baseline, paired by seed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from incast.errors import LabelError
from incast.measure.paired import PairedRatio, told
from incast.names import hint
from incast.present import paired
from incast.present.baseline import Better
from incast.present.units import plural
from incast.study.layout import across_of, line_labels
from incast.study.means import SEED, Row, without_seed
from incast.study.quantities import canonical, canonical_point, value_text
from incast.study.steadiness import STEADY, Steadiness, paired_ratio

if TYPE_CHECKING:
    from incast.study.measures import Measure

__all__ = ["Baseline", "RatioGroup", "baseline_named", "cells", "header", "ratio_groups", "to_dict"]


@dataclass(frozen=True)
class Baseline:
    """The varied value whose runs are compared with all others."""

    key: str
    value: Any
    text: str
    difference: float
    """The relative difference that matters, as a fraction."""


@dataclass(frozen=True)
class RatioGroup:
    """Runs that differ only in their seeds, compared with the baseline's runs."""

    values: Mapping[str, Any]
    """The values of the varied keys, without the seed."""
    ratios: Mapping[str, PairedRatio]
    """Ratios to the baseline by column."""
    seeds: int
    """The number of seeds of the group."""
    steadiness: Steadiness = STEADY
    """Caveats about FCTs of its runs and of the baseline's."""


def baseline_named(name: str, points: Sequence[Mapping[str, Any]], difference: float) -> Baseline:
    """The baseline with this name: a value such as ``hpcc``, or ``cc=hpcc`` if several keys have
    the value.

    Args:
        name: The name, as ``--baseline`` takes it.
        points: The varied values of each run.
        difference: The relative difference that matters.

    Raises:
        LabelError: No key has the value, or several keys have it.
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
    """Groups in the order of their first runs, without the baseline's."""
    by_point = {canonical_point(row.values): row for row in rows}
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(canonical_point(without_seed(row.values)), []).append(row)
    base = canonical(baseline.value, baseline.key)
    return [
        _group(alike, [_beside(row, baseline, by_point) for row in alike], measures)
        for alike in groups.values()
        if canonical(alike[0].values.get(baseline.key), baseline.key) != base
    ]


def _beside(row: Row, baseline: Baseline, by_point: Mapping[Hashable, Row]) -> Mapping[str, float]:
    """The measured numbers of the baseline's run with the same seed; empty if there is no such
    run.
    """
    found = by_point.get(canonical_point({**row.values, baseline.key: baseline.value}))
    return {} if found is None else found.measured


def _group(
    rows: Sequence[Row], bases: Sequence[Mapping[str, float]], measures: Sequence[Measure]
) -> RatioGroup:
    own = [row.measured for row in rows]
    return RatioGroup(
        without_seed(rows[0].values),
        {each.column: paired_ratio(own, bases, each) for each in measures},
        len(rows),
        Steadiness.of([*own, *bases]),
    )


def header(groups: Sequence[RatioGroup], baseline: Baseline) -> list[str]:
    """Names of the columns of :func:`cells`."""
    across = across_of([each.values for each in groups])
    return [
        f"against {baseline.text}",
        across.axis.label,
        "ratio",
        "95 % interval",
        f"with {plural(_most_seeds(groups), 'seed')}",
    ]


def _most_seeds(groups: Sequence[RatioGroup]) -> int:
    return max((each.seeds for each in groups), default=0)


def cells(groups: Sequence[RatioGroup], measure: Measure, baseline: Baseline) -> list[list[str]]:
    """A row for each group: its values, ratio, interval, and whether it is told apart."""
    points = [each.values for each in groups]
    across = across_of(points)
    most = _most_seeds(groups)
    rows = []
    for group, line in zip(groups, line_labels(points, across), strict=True):
        ratio = group.ratios[measure.column]
        rows.append(
            [
                line or measure.name,
                across.text(group.values),
                paired.ratio_text(ratio) + (group.steadiness.mark if measure.selects else ""),
                paired.interval_text(ratio),
                paired.of_fewer(
                    ratio, paired.verdict(ratio, Better.NEITHER, baseline.difference), most
                ),
            ]
        )
    return rows


def to_dict(groups: Sequence[RatioGroup], difference: float) -> list[dict[str, Any]]:
    """The ratios as plain values for JSON."""
    return [
        {
            **each.values,
            "measures": {column: told(found, difference) for column, found in each.ratios.items()},
        }
        for each in groups
    ]
