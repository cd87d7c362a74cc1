"""Charts of traffic entries, each separately, such as background traffic and bursts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from incast.measure.counted import is_counted
from incast.measure.run import Runs
from incast.measure.series import Array, by_size, cdf
from incast.present.charts.chart import Axis, Chart, Curve, Dash, Quantity, spans_decades
from incast.present.key_figures import with_algorithm

__all__ = ["traffic", "traffic_cdf"]

_PERCENTILE = 99
_TOO_FEW = 100
"""Up to this number of values, their p99 is just their maximum."""
_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted")


class _Entry(NamedTuple):
    """The completed flows of one traffic entry of a run, and the look of its curve."""

    label: str
    group: str
    colour: int
    dash: Dash
    sizes: Array
    slowdowns: Array


def _entries(runs: Runs) -> Iterator[_Entry]:
    """The traffic entries of runs. With one run, entries differ in colour; with several, runs
    differ in colour, and entries in line style.
    """
    alone = len(runs) == 1
    for index, (label, run) in enumerate(runs.items()):
        for number, party in enumerate(run.summary.get("traffic", ())):
            own = (run.completed.numbers("traffic") == number) & is_counted(run)
            if own.any():
                yield _Entry(
                    with_algorithm(party) if alone else f"{label}, {party['name']}",
                    label,
                    number if alone else index,
                    "solid" if alone else _DASHES[number % len(_DASHES)],
                    run.completed.numbers("size_bytes")[own],
                    run.completed.numbers("slowdown")[own],
                )


def traffic(runs: Runs) -> Chart:
    """p99 of FCT slowdown over flow size, for each traffic entry. Applies only to runs with several
    entries, or names for them.
    """
    curves = []
    few = False
    for entry in _entries(runs):
        groups = by_size(entry.sizes, entry.slowdowns, [_PERCENTILE])
        values = groups.percentiles[_PERCENTILE]
        few |= bool(groups.flows_per_group.min() <= _TOO_FEW)
        curves.append(
            Curve(
                entry.label,
                groups.largest_bytes,
                values,
                entry.colour,
                dash=entry.dash,
                mark="dots" if len(values) == 1 else "line",
                group=entry.group,
            )
        )
    largest = f" Of up to {_TOO_FEW} flows it is the largest." if few else ""
    return Chart(
        "traffic",
        "FCT slowdown of traffic entries",
        Axis("flow size", Quantity.SIZE, log=True),
        Axis(
            "FCT slowdown, p99",
            Quantity.RATIO,
            log=spans_decades(each.y for each in curves),
            lower=1,
        ),
        curves,
        note=f"Flows in order of size, cut into groups of equal count.{largest}" if curves else "",
    )


def traffic_cdf(runs: Runs) -> Chart:
    """Distribution of FCT slowdown, for each traffic entry. Applies only to runs with several
    entries, or names for them.
    """
    curves = []
    for entry in _entries(runs):
        x, y = cdf(entry.slowdowns)
        curves.append(
            Curve(
                entry.label,
                x,
                y,
                entry.colour,
                dash=entry.dash,
                mark="steps",
                group=entry.group,
            )
        )
    return Chart(
        "traffic-cdf",
        "Distribution of FCT slowdown by traffic entry",
        Axis("FCT slowdown", Quantity.RATIO, log=spans_decades(each.x for each in curves), lower=1),
        Axis("share of flows", Quantity.RATIO, lower=0, upper=1),
        curves,
    )
