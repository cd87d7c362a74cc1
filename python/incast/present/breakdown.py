"""Where the time of many flows went, as text and as charts: runs beside each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from incast.explain.breakdown import Breakdown, Shares, common_classes
from incast.explain.critical_path import PARTS
from incast.present.charts import Chart
from incast.present.charts.chart import Axis, Bars, Curve, Quantity
from incast.present.columns import columns
from incast.present.explanation import PART_NAMES
from incast.present.terminal import Ink, paint
from incast.present.units import bytes_text, count_text, percent_text

__all__ = ["charts", "groups", "listing", "table"]

_NOTED = 0.001
"""Of the FCTs: parts with less in all classes of size are left out."""
_WIDTH = 0.82
"""Of the bars of a class of size together."""


def groups(found: Mapping[str, Breakdown]) -> dict[str, dict[str, Shares]]:
    """What groups are called, and by run the flows of each.

    Args:
        found: By label.
    """
    return {
        "flows at random": {label: each.sample for label, each in found.items()},
        "the slowest 1 %": {label: each.slowest for label, each in found.items()},
    }


def listing(found: Mapping[str, Breakdown]) -> str:
    """All of it, for a terminal.

    Args:
        found: By label.
    """
    blocks = []
    for name, group in groups(found).items():
        caption = f"mean share of each part in the FCT, {name}"
        text = columns(*table(group), text=1 if len(group) == 1 else 2)
        blocks.append("\n".join([paint(caption, Ink.HEADING), *_which(group), text]))
    return "\n\n".join(blocks)


def _which(group: Mapping[str, Shares]) -> list[str]:
    """Which flows they are: once, if that is the same of all runs."""
    alike = {shares.what for shares in group.values()}
    if len(alike) == 1 and len(group) > 1:
        return [f"Each run: {alike.pop()}"]
    return [f"{label}: {shares.what}" for label, shares in group.items()]


def table(group: Mapping[str, Shares]) -> tuple[list[str], list[list[str]]]:
    """A row for each class of size and each run, and for all sizes: header and rows.

    Args:
        group: By run.
    """
    parts = _noted(group)
    classes = common_classes(group.values())
    means = {label: shares.by_size(classes) for label, shares in group.items()}
    counts = {label: classes.counts(shares.sizes) for label, shares in group.items()}
    run = [] if len(group) == 1 else ["run"]
    header = ["size up to", *run, "flows", *(PART_NAMES[part] for part in parts)]
    rows = [
        [
            bytes_text(largest),
            *([label] if run else []),
            count_text(int(counts[label][place])),
            *(
                percent_text(means[label][part][place] if part in means[label] else 0)
                if counts[label][place]
                else "–"
                for part in parts
            ),
        ]
        for place, largest in enumerate(classes.largest.tolist())
        for label in group
    ]
    rows += [
        [
            "all",
            *([label] if run else []),
            count_text(shares.flows),
            *(percent_text(shares.of_all.get(part, 0)) for part in parts),
        ]
        for label, shares in group.items()
    ]
    return header, rows


def _noted(group: Mapping[str, Shares]) -> list[str]:
    """Parts of any run, those with the largest share first."""
    classes = common_classes(group.values())
    largest = dict.fromkeys(PARTS, 0.0)
    total = dict.fromkeys(PARTS, 0.0)
    for shares in group.values():
        for part, by_size in shares.by_size(classes).items():
            largest[part] = max(largest[part], float(np.nanmax(by_size)))
            total[part] += shares.of_all[part]
    noted = [part for part in PARTS if largest[part] >= _NOTED]
    return sorted(noted, key=lambda part: -total[part])


def charts(found: Mapping[str, Breakdown]) -> list[Chart]:
    """A chart of each group, with a bar of each run in each class of size.

    Args:
        found: By label.
    """
    every = groups(found)
    # A part has one colour in both.
    noted = dict.fromkeys(part for group in every.values() for part in _noted(group))
    colours = {part: colour for colour, part in enumerate(noted)}
    return [_chart(name, group, colours) for name, group in every.items()]


def _chart(name: str, group: Mapping[str, Shares], colours: Mapping[str, int]) -> Chart:
    classes = common_classes(group.values())
    places = np.arange(len(classes.largest) + 1)
    width = _WIDTH / len(group)
    curves = []
    for number, (label, shares) in enumerate(group.items()):
        x = places + (number - (len(group) - 1) / 2) * width
        base = np.zeros(len(places))
        by_size = shares.by_size(classes)
        for part in colours:
            if part in by_size:
                y = np.array([*by_size[part], shares.of_all[part]])
                bars = Bars(base, width * 0.94)
                curves.append(
                    Curve(
                        PART_NAMES[part], x, y, colours[part], mark="bars", group=label, bars=bars
                    )
                )
                base = base + np.nan_to_num(y)
    names = (*(f"≤ {bytes_text(largest)}" for largest in classes.largest.tolist()), "all")
    order = f"In each class of size, from left to right: {', '.join(group)}. "
    return Chart(
        f"breakdown of {name}",
        f"Where the time went: {name}",
        Axis("flow size", Quantity.COUNT, names=names),
        Axis("mean share of the FCT", Quantity.RATIO, lower=0.0, upper=1.0),
        curves,
        note=(order if len(group) > 1 else "") + f"{'; '.join(_which(group))}.",
    )
