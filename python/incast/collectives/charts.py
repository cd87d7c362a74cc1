"""Charts of collectives over sizes of data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from incast.collectives.rows import BandwidthRow, Bandwidths
from incast.present.charts.chart import Axis, Chart, Curve, Dash, Quantity

__all__ = ["CHARTS"]

_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dashdot")
_SIZE = Axis("size", Quantity.SIZE, log=True)
_LIMIT_COLOUR = 6
"""The limit is drawn in dark grey."""


def _bus_bandwidth(measured: Bandwidths) -> Chart:
    curves = _curves(measured, lambda row: row.busbw_gb_per_s)
    limit, ends = measured.payload_gb_per_s, _ends(measured)
    upper = None
    if not math.isnan(limit):
        upper = limit
        line = np.full(2, limit)
        curves.append(Curve("payload rate of a host", ends, line, _LIMIT_COLOUR, dash="dotted"))
    return Chart(
        "busbw",
        f"Bus bandwidth of {measured.test.operation}, {measured.test.ranks} ranks",
        _SIZE,
        Axis("bus bandwidth (GB/s)", Quantity.RATIO, lower=0.0, upper=upper),
        curves,
        missing="No run has got to its end.",
    )


def _time(measured: Bandwidths) -> Chart:
    return Chart(
        "time",
        f"Time of {measured.test.operation}, {measured.test.ranks} ranks",
        _SIZE,
        Axis("time", Quantity.TIME, log=True),
        _curves(measured, lambda row: row.time_us / 1e6),
        missing="No run has got to its end.",
    )


def _curves(measured: Bandwidths, value: Callable[[BandwidthRow], float]) -> list[Curve]:
    return [
        Curve(
            label,
            np.array([float(row.size_bytes) for row in rows]),
            np.array([value(row) for row in rows]),
            place,
            dash=_DASHES[place % len(_DASHES)],
            mark="points",
            group=label,
        )
        for place, (label, rows) in enumerate(measured.series.items())
    ]


def _ends(measured: Bandwidths) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    found = [float(row.size_bytes) for row in measured.rows]
    return np.array([min(found), max(found)])


CHARTS: Mapping[str, Callable[[Bandwidths], Chart]] = {"busbw": _bus_bandwidth, "time": _time}
"""Charts by name."""
