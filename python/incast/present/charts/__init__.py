"""What the figures show, said once: matplotlib and the report both draw from these descriptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from incast.present.charts import flows, network, sharing
from incast.present.charts.chart import Axis, Chart, Curve, Quantity

if TYPE_CHECKING:
    from incast.results import Results

__all__ = ["CHARTS", "Axis", "Chart", "Curve", "Quantity", "every"]

CHARTS: dict[str, Callable[[Mapping[str, Results]], Chart]] = {
    "slowdown": flows.slowdown,
    "fct-cdf": flows.fct_cdf,
    "finish": flows.finish,
    "rtt-cdf": network.rtt_cdf,
    "queue": network.queue,
    "goodput": network.goodput,
    "rates": sharing.rates,
    "windows": sharing.windows,
    "jain": sharing.jain,
    "active-flows": network.active_flows,
    "pauses": network.pauses,
}
"""By name, in the order of the report."""


def every(runs: Mapping[str, Results]) -> list[Chart]:
    """All charts of some runs, those without data included: they say how to get it."""
    return [chart(runs) for chart in CHARTS.values()]
