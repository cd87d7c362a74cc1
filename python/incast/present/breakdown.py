"""The breakdown of many flows' FCTs as text, with runs side by side."""

from __future__ import annotations

from collections.abc import Mapping

from incast.explain.breakdown import Breakdown
from incast.measure.fct_parts import Shares, common_classes
from incast.present.charts.breakdown import noted, which
from incast.present.columns import columns
from incast.present.part_names import PART_NAMES
from incast.present.terminal import Ink, paint
from incast.present.units import bytes_text, count_text, percent_text

__all__ = ["groups", "listing", "table"]


def groups(found: Mapping[str, Breakdown]) -> dict[str, dict[str, Shares]]:
    """By the name of a group, and by run, the shares of that group.

    Args:
        found: The breakdowns by label.
    """
    names = next(iter(found.values())).groups
    return {name: {label: each.groups[name] for label, each in found.items()} for name in names}


def listing(found: Mapping[str, Breakdown]) -> str:
    """The whole breakdown, for a terminal.

    Args:
        found: The breakdowns by label.
    """
    blocks = []
    for name, group in groups(found).items():
        caption = f"mean share of each part in the FCT, {name}"
        text = columns(*table(group), text=1 if len(group) == 1 else 2)
        blocks.append("\n".join([paint(caption, Ink.HEADING), *which(group), text]))
    return "\n\n".join(blocks)


def table(group: Mapping[str, Shares]) -> tuple[list[str], list[list[str]]]:
    """The header, and a row for each size class and run; also for all sizes together.

    Args:
        group: The shares by run.
    """
    parts = noted(group)
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
