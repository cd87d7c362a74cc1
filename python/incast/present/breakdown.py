"""Where the time of many flows went, as text and as charts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from incast.explain.breakdown import Breakdown, Shares
from incast.present.charts import Chart
from incast.present.charts.chart import Axis, Curve, Quantity
from incast.present.columns import columns
from incast.present.explanation import PART_NAMES
from incast.present.terminal import Ink, paint
from incast.present.units import bytes_text, count_text, percent_text

__all__ = ["charts", "listing", "table"]

_NOTED = 0.001
"""Of the FCTs: parts with less in all classes of size are left out."""


def listing(found: Mapping[str, Breakdown]) -> str:
    """All of it, for a terminal.

    Args:
        found: By label.
    """
    blocks = []
    for label, each in found.items():
        for group in each.groups():
            caption = f"{label}: mean share of each part in the FCT, {group.what}"
            blocks.append(f"{paint(caption, Ink.HEADING)}\n{columns(*table(group))}")
    return "\n\n".join(blocks)


def table(group: Shares) -> tuple[list[str], list[list[str]]]:
    """A row for each class of size, and one for all: header and rows."""
    parts = _noted(group)
    header = ["size up to", "flows", *(PART_NAMES[part] for part in parts)]
    rows = [
        [
            bytes_text(largest),
            count_text(group.flows_by_size[place]),
            *(percent_text(group.by_size[part][place]) for part in parts),
        ]
        for place, largest in enumerate(group.largest_bytes)
    ]
    shares = [percent_text(group.of_all[part]) for part in parts]
    return header, [*rows, ["all", count_text(group.flows), *shares]]


def _noted(group: Shares) -> list[str]:
    """Parts, those with the largest share first."""
    parts = [part for part, shares in group.by_size.items() if max(shares) >= _NOTED]
    return sorted(parts, key=lambda part: -group.of_all[part])


def charts(found: Mapping[str, Breakdown]) -> list[Chart]:
    """Shares over size, of the sample and of the slowest flows of each run.

    Args:
        found: By label.
    """
    return [
        _chart(f"{label}, {name}", group)
        for label, each in found.items()
        for name, group in (("sample", each.sample), ("slowest", each.slowest))
    ]


def _chart(name: str, group: Shares) -> Chart:
    x = np.array(group.largest_bytes, dtype=float)
    curves = [
        Curve(PART_NAMES[part], x, np.array(group.by_size[part]), place, mark="points")
        for place, part in enumerate(_noted(group))
    ]
    return Chart(
        name,
        f"Where the time went: {name}",
        Axis("flow size, up to", Quantity.SIZE, log=True),
        Axis("mean share of the FCT", Quantity.RATIO, lower=0.0, upper=1.0),
        curves,
        note=f"Of {group.what}.",
    )
