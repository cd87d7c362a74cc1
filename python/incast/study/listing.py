"""Means of a sweep as text, for the terminal and for the table of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from incast.measure.statistics import Interval
from incast.present import paired, terminal
from incast.present.charts.chart import Quantity
from incast.present.columns import columns
from incast.present.units import bytes_text, count_text, rate_text, ratio_text, seconds_text
from incast.study import ratios
from incast.study.layout import across_of, line_labels
from incast.study.means import SEED, Group, seeds_are_alike
from incast.study.measures import Measure
from incast.study.ratios import Baseline, RatioGroup
from incast.study.steadiness import foreign_targets, notes
from incast.study.study import Study

__all__ = ["cells", "header", "keys", "ratio_cells", "ratio_table", "remarks", "table"]

_TEXTS: dict[Quantity, Callable[[float], str]] = {
    Quantity.TIME: seconds_text,
    Quantity.SIZE: bytes_text,
    Quantity.RATE: rate_text,
    Quantity.COUNT: count_text,
    Quantity.RATIO: ratio_text,
}


def keys(study: Study) -> list[str]:
    """The varied keys, without the seed."""
    return [key for key in study.keys if key != SEED]


def header(study: Study) -> list[str]:
    """Names of the columns: varied keys, the number of runs, measures."""
    return [*keys(study), "runs", *(each.name for each in study.measures)]


def cells(study: Study, groups: Sequence[Group]) -> list[list[str]]:
    """The cells of each group's row."""
    across = across_of([each.values for each in groups])
    return [
        [
            *(across.value(key, group.values) for key in keys(study)),
            str(group.runs),
            *(
                _interval(group.intervals[each.column], each, group.runs)
                + (group.steadiness.mark if each.selects else "")
                for each in study.measures
            ),
        ]
        for group in groups
    ]


def table(study: Study, groups: Sequence[Group]) -> str:
    """Means for a terminal: a listing for each measure, with one key down and a column for each
    line of its chart.
    """
    parts = [_of_measure(each, groups) for each in study.measures]
    if any(group.runs > 1 for group in groups):
        parts.append(
            terminal.filled("Means over seeds; in brackets, their 95 % confidence intervals.")
        )
    return "\n\n".join([*parts, *map(terminal.filled, remarks(study, groups))])


def remarks(study: Study, groups: Sequence[Group]) -> list[str]:
    """Remarks that a reader needs to judge the means."""
    alike = f"All seeds gave the same numbers. {paired.ONE_DOES}"
    found = [alike] if seeds_are_alike(groups) else []
    if any(each.selects for each in study.measures):
        found += notes([group.steadiness for group in groups])
    return found + foreign_targets([group.steadiness for group in groups])


def ratio_table(study: Study, groups: Sequence[RatioGroup], baseline: Baseline) -> str:
    """Ratios to a baseline for a terminal: a listing for each measure."""
    head = ratios.header(groups, baseline)
    parts = []
    for each in study.measures:
        rows = columns(head, ratios.cells(groups, each, baseline), text=2, remarks=2)
        parts.append(f"{terminal.filled(_title(each))}\n{rows}")
    return "\n\n".join([*parts, terminal.filled(paired.note(baseline.difference))])


def ratio_cells(study: Study, groups: Sequence[RatioGroup], baseline: Baseline) -> list[list[str]]:
    """All ratios to the baseline, for a page: a row for each measure and group."""
    return [
        [each.name, *row] for each in study.measures for row in ratios.cells(groups, each, baseline)
    ]


def _title(measure: Measure) -> str:
    return measure.label if measure.name in measure.label else f"{measure.name}: {measure.label}"


def _of_measure(measure: Measure, groups: Sequence[Group]) -> str:
    points = [each.values for each in groups]
    across = across_of(points)
    found: dict[str, dict[str, str]] = {}
    for group, line in zip(groups, line_labels(points, across), strict=True):
        text = _interval(group.intervals[measure.column], measure, group.runs)
        text += group.steadiness.mark if measure.selects else ""
        found.setdefault(line, {})[across.text(group.values)] = text
    places = list(dict.fromkeys(place for line in found.values() for place in line))
    rows = [[place, *(line.get(place, "–") for line in found.values())] for place in places]
    lines = [line or measure.name for line in found]
    listing = columns([across.axis.label, *lines], rows)
    return f"{terminal.filled(_title(measure))}\n{listing}"


def _interval(found: Interval, measure: Measure, runs: int) -> str:
    """Text such as ``4.2 [3.9, 4.5]``. The interval is left out if its ends print like the mean.
    The number of runs that have the number is added if some runs lack it.
    """
    if not found.count:
        return "–"
    text = _TEXTS[measure.quantity]
    mean, low, high = (end / measure.scale for end in (found.mean, found.low, found.high))
    parts = [text(mean)]
    if low == low and {text(low), text(high)} != {text(mean)}:
        parts.append(f"[{text(low)}, {text(high)}]")
    if found.count < runs:
        parts.append(f"of {found.count}")
    return " ".join(parts)
