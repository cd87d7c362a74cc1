"""Charts of the breakdown of FCTs: shares of parts by flow size, with a bar for each run."""

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
"""Parts whose share is smaller in every size class are left out."""
_WIDTH = 0.82
"""The total width of all bars of a size class."""


def of_all(runs: Runs) -> Chart:
    """The chart of all counted flows, from the parts that runs have summed up."""
    return _summed(runs)[0]


def of_slowest(runs: Runs) -> Chart:
    """The chart of the slowest hundredth of the counted flows."""
    return _summed(runs)[1]


def _summed(runs: Runs) -> list[Chart]:
    """The charts of runs that have summed up parts, with their seeds pooled."""
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
    """A chart for each group, with a bar for each run in each size class.

    Args:
        groups: The shares by the name of the group, and by the label of the run.
    """
    colours = _colours(groups.values())
    return [
        _chart((f"breakdown of {name}", name), group, colours) for name, group in groups.items()
    ]


def which(group: Mapping[str, Shares]) -> list[str]:
    """Descriptions of the flows in a group; a single one if it is the same for all runs."""
    alike = {shares.what for shares in group.values()}
    if len(alike) == 1 and len(group) > 1:
        return [f"Each run: {alike.pop()}"]
    return [f"{label}: {shares.what}" for label, shares in group.items()]


def noted(group: Mapping[str, Shares]) -> list[str]:
    """The parts that occur in any run, the largest share first."""
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
    """The colour of each part, the same in all groups."""
    parts = dict.fromkeys(part for group in groups if group for part in noted(group))
    return {part: colour for colour, part in enumerate(parts)}


def _chart(
    names: tuple[str, str], group: Mapping[str, Shares], colours: Mapping[str, int]
) -> Chart:
    """The chart of a group of flows; without curves if no run has such flows.

    Args:
        names: The name of the chart, and of the group.
        group: The shares by the label of the run.
        colours: The colours of parts.
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
    """Bars: parts are stacked, runs are side by side."""
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
