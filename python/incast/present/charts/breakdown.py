"""Charts of where the time of many flows went: shares of parts in the FCT by flow size, with a bar
for each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from incast.measure import fct_parts
from incast.measure.fct_parts import Shares, common_classes
from incast.measure.pools import pools
from incast.measure.run import Runs
from incast.present.charts.chart import Axis, Bars, Chart, Curve, Quantity
from incast.present.part_names import PART_NAMES
from incast.present.units import bytes_text

__all__ = ["charts", "noted", "of_all", "of_slowest", "which"]

_NOTED = 0.001
"""Parts with a smaller share of the FCTs in all classes of size are left out."""
_WIDTH = 0.82
"""The width of the bars of a class of size together."""


def of_all(runs: Runs) -> Chart:
    """The chart of all flows that count, from the parts that runs have summed up."""
    return _summed(runs)[0]


def of_slowest(runs: Runs) -> Chart:
    """The chart of the slowest hundredth of these flows."""
    return _summed(runs)[1]


def _summed(runs: Runs) -> list[Chart]:
    """The charts of runs that have summed up parts, seeds together."""
    pooled = {label: each for label, each in pools(runs).items() if fct_parts.have_parts(each)}
    groups = [
        {label: shares(each) for label, each in pooled.items()}
        for shares in (fct_parts.of_all, fct_parts.of_slowest)
    ]
    some = [{label: each for label, each in group.items() if each.flows} for group in groups]
    colours = _colours(some)
    names = (("breakdown", "all flows"), ("breakdown-slowest", "the slowest 1 %"))
    return [_chart(own, group, colours) for own, group in zip(names, some, strict=True)]


def charts(groups: Mapping[str, Mapping[str, Shares]]) -> list[Chart]:
    """A chart of each group, with a bar of each run in each class of size.

    Args:
        groups: By name, the flows of each run by its label.
    """
    colours = _colours(groups.values())
    return [
        _chart((f"breakdown of {name}", name), group, colours) for name, group in groups.items()
    ]


def which(group: Mapping[str, Shares]) -> list[str]:
    """Which flows a group has: said once, if that is the same for all runs."""
    alike = {shares.what for shares in group.values()}
    if len(alike) == 1 and len(group) > 1:
        return [f"Each run: {alike.pop()}"]
    return [f"{label}: {shares.what}" for label, shares in group.items()]


def noted(group: Mapping[str, Shares]) -> list[str]:
    """Parts of any run, those with the largest share first."""
    classes = common_classes(group.values())
    largest = dict.fromkeys(PART_NAMES, 0.0)
    total = dict.fromkeys(PART_NAMES, 0.0)
    for shares in group.values():
        for part, by_size in shares.by_size(classes).items():
            largest[part] = max(largest[part], float(np.nanmax(by_size)))
            total[part] += shares.of_all[part]
    noted = [part for part in PART_NAMES if largest[part] >= _NOTED]
    return sorted(noted, key=lambda part: -total[part])


def _colours(groups: Iterable[Mapping[str, Shares]]) -> dict[str, int]:
    """A part has one colour in all groups."""
    parts = dict.fromkeys(part for group in groups if group for part in noted(group))
    return {part: colour for colour, part in enumerate(parts)}


def _chart(
    names: tuple[str, str], group: Mapping[str, Shares], colours: Mapping[str, int]
) -> Chart:
    """The chart of a group of flows; without curves, if no run has any.

    Args:
        names: Of the chart, and of the group.
        group: The flows of each run by its label.
        colours: Of parts.
    """
    name, what = names
    classes = common_classes(group.values()).largest.tolist() if group else []
    order = f"In each class of size, from left to right: {', '.join(group)}. "
    return Chart(
        name,
        f"Where the time went: {what}",
        Axis(
            "flow size",
            Quantity.COUNT,
            names=(*(f"≤ {bytes_text(largest)}" for largest in classes), "all"),
        ),
        Axis("mean share of the FCT", Quantity.RATIO, lower=0.0, upper=1.0),
        [*_bars(group, colours)] if group else [],
        note=(order if len(group) > 1 else "") + f"{'; '.join(which(group))}." if group else "",
    )


def _bars(group: Mapping[str, Shares], colours: Mapping[str, int]) -> Iterator[Curve]:
    """Parts on each other, runs beside each other."""
    classes = common_classes(group.values())
    places = np.arange(len(classes.largest) + 1)
    width = _WIDTH / len(group)
    for number, (label, shares) in enumerate(group.items()):
        x = places + (number - (len(group) - 1) / 2) * width
        base = np.zeros(len(places))
        by_size = shares.by_size(classes)
        for part, colour in colours.items():
            if part in by_size:
                y = np.array([*by_size[part], shares.of_all[part]])
                bars = Bars(base, width * 0.94)
                yield Curve(PART_NAMES[part], x, y, colour, mark="bars", group=label, bars=bars)
                base = base + np.nan_to_num(y)
