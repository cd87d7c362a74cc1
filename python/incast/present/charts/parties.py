"""Charts of parties that share the network: attackers and victims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from incast.measure.run import Run, Runs
from incast.measure.series import by_size
from incast.present.charts.chart import Axis, Chart, Curve, Quantity, spans_decades

__all__ = ["roles"]

_PERCENTILE = 99
_DASHES: dict[str, Literal["solid", "dashed"]] = {"victim": "solid", "attacker": "dashed"}
_NOTE = (
    "Messages in order of size, cut into groups of equal count. Solid: victims; dashed: attackers."
)


def roles(runs: Runs) -> Chart:
    """p99 of FCT slowdown over message size, for victims and for attackers. Applies only to runs
    with an attack.
    """
    curves = [
        curve for index, (label, run) in enumerate(runs.items()) for curve in _of(index, label, run)
    ]
    return Chart(
        "roles",
        "FCT slowdown of attackers and victims",
        Axis("message size", Quantity.SIZE, log=True),
        Axis(
            "FCT slowdown, p99",
            Quantity.RATIO,
            log=spans_decades(each.y for each in curves),
            lower=1,
        ),
        curves,
        note=_NOTE if curves else "",
    )


def _of(index: int, label: str, run: Run) -> Iterator[Curve]:
    if "roles" not in run.summary:
        return
    table = run.messages
    names = table.categories("role")
    unknown = [place for place, role in enumerate(names.texts) if role not in _DASHES]
    table.refuse(np.isin(names.indices, unknown), "role", f"is none of {', '.join(_DASHES)}")
    sizes, slowdowns = table.numbers("size_bytes"), table.numbers("slowdown")
    for place, role in enumerate(names.texts):
        rows = np.flatnonzero(names.indices == place)
        groups = by_size(sizes[rows], slowdowns[rows], [_PERCENTILE])
        values = groups.percentiles[_PERCENTILE]
        if len(values):
            yield Curve(
                f"{label} {role}",
                groups.largest_bytes,
                values,
                index,
                dash=_DASHES[role],
                mark="dots" if len(values) == 1 else "line",
                group=label,
            )
