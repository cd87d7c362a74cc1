"""Charts of runs as data: matplotlib and the report both draw from these descriptions.

A chart of the report is a function, and a line in :data:`CHARTS`, or in :data:`FABRIC_CHARTS` for a
memory fabric. `Results` and `Comparison` then have the method ``plot_<name>()``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from incast.errors import FlowRowsError, ResultsError
from incast.measure.run import Runs, are_fabrics, is_fabric
from incast.names import hint
from incast.present.charts import (
    breakdown,
    fabric,
    flows,
    network,
    parties,
    pooled,
    sharing,
    traffic,
)
from incast.present.charts.chart import Axis, Box, Chart, Curve, Quantity, worth_drawing
from incast.present.charts.looks import told_apart

__all__ = [
    "ALL_CHARTS",
    "CHARTS",
    "FABRIC_CHARTS",
    "Axis",
    "Box",
    "Chart",
    "Curve",
    "Quantity",
    "Registered",
    "chart",
    "every",
    "find",
    "worth_drawing",
]


class Registered(NamedTuple):
    """A chart that users can ask for by name."""

    name: str
    draw: Callable[[Runs], Chart]
    summary: str
    of_several: bool = False
    """Whether the chart is left out of pages with a single run."""
    is_pooled: bool = False
    """Whether the chart shows the flows of all seeds together."""

    def chart(self, runs: Runs) -> Chart:
        """Draws the chart, with curves that look different. Without curves if it needs rows of
        flows that were not kept.
        """
        try:
            return told_apart(self.draw(runs))
        except FlowRowsError as error:
            none = Axis("", Quantity.COUNT)
            return Chart(self.name, self.summary, none, none, missing=f"{error.what}.")


_OVER_SIZE = tuple(
    Registered(
        f"slowdown-{statistic}",
        pooled.slowdown_over_size(statistic),
        f"{statistic} of FCT slowdown over flow size; seeds of one scenario are one curve",
        of_several=True,
        is_pooled=True,
    )
    for statistic in pooled.STATISTICS
)

CHARTS = (
    Registered("slowdown", flows.slowdown, "FCT slowdown over flow size: p50, p95, p99"),
    *_OVER_SIZE,
    Registered(
        "breakdown",
        breakdown.of_all,
        "mean share of each part in the FCT over flow size, with measure.breakdown",
        is_pooled=True,
    ),
    Registered(
        "breakdown-slowest",
        breakdown.of_slowest,
        "the same of the hundredth of the flows with the largest slowdown",
        is_pooled=True,
    ),
    Registered("traffic", traffic.traffic, "FCT slowdown over flow size, by traffic entry"),
    Registered("traffic-cdf", traffic.traffic_cdf, "distribution of FCT slowdown by traffic entry"),
    Registered("roles", parties.roles, "FCT slowdown over message size: attackers and victims"),
    Registered("fct-cdf", flows.fct_cdf, "distribution of FCT"),
    Registered("finish", flows.finish, "finish of each flow over its start"),
    Registered("rtt-cdf", network.rtt_cdf, "distribution of packets' round trips"),
    Registered("reordering", network.reordering, "how far packets arrive out of order"),
    Registered("queue", network.queue, "queues over time"),
    Registered("goodput", network.goodput, "goodput of the network over time"),
    Registered("rates", sharing.rates, "goodput of each flow over time"),
    Registered("limits", sharing.limits, "pacing rates of flows over time: what they may send"),
    Registered("windows", sharing.windows, "windows of flows over time"),
    Registered("jain", sharing.jain, "Jain's fairness index over time"),
    Registered("active-flows", network.active_flows, "flows under way over time"),
    Registered("pauses", network.pauses, "ports that PFC pauses over time"),
)
"""The charts of networks, in the order of the report."""

FABRIC_CHARTS = (
    Registered("latency", fabric.latency, "a fabric's operations that take longer: the tail"),
    Registered("bandwidth", fabric.bandwidth, "a fabric's effective bandwidth over time"),
    Registered(
        "bandwidth-by-initiators", fabric.bandwidth_by_initiators, "of runs with several counts"
    ),
    Registered("latency-by-initiators", fabric.latency_by_initiators, "mean and longest"),
    Registered("tokens", fabric.tokens, "injection tokens of endpoints over time"),
    Registered("watermarks", fabric.watermarks, "watermarks of endpoints over time"),
    Registered("unmatched", fabric.unmatched, "unmatched flits of endpoints over time"),
    Registered("channels", fabric.channels, "flits in queues by virtual channel over time"),
)
"""The charts of memory fabrics, in the order of the report."""

ALL_CHARTS = (*CHARTS, *FABRIC_CHARTS)


def chart(name: str, runs: Runs) -> Chart:
    """The chart of this name.

    Raises:
        ResultsError: There is no such chart, or it is for the other kind of results.
    """
    registered = find(name)
    _check_kind(registered, runs)
    return registered.chart(runs)


def find(name: str) -> Registered:
    """The entry of this name.

    Raises:
        ResultsError: There is no such chart.
    """
    for registered in ALL_CHARTS:
        if registered.name == name:
            return registered
    names = (registered.name for registered in ALL_CHARTS)
    raise ResultsError(f"unknown chart `{name}`", hint=hint(name, names))


def _check_kind(registered: Registered, runs: Runs) -> None:
    """Refuses a network's chart for results of a memory fabric, and the reverse."""
    for run in runs.values():
        kind, has = ("fabric", FABRIC_CHARTS) if is_fabric(run) else ("network", CHARTS)
        if registered not in has:
            what = f"{run.name}: results of a {kind} have no chart `{registered.name}`"
            raise ResultsError(what, hint=f"they have {', '.join(each.name for each in has)}")


def every(runs: Runs) -> list[Chart]:
    """All charts of runs. Charts without data name the setting that would record it."""
    charts = FABRIC_CHARTS if are_fabrics(runs) else CHARTS
    alone = len(runs) == 1
    return [each.chart(runs) for each in charts if not (alone and each.of_several)]
