"""Charts of the network over time: queues, goodput, pauses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from incast.measure.run import Run, Runs
from incast.measure.series import Curves, curves
from incast.present import palette
from incast.present.charts.chart import Axis, Chart, Curve, Quantity, time_axis
from incast.present.charts.over_time import OverTime, over_time, unnamed
from incast.present.charts.recording import FLOWS, PAUSES, QUEUES
from incast.time_units import PICOSECOND

__all__ = ["active_flows", "goodput", "pauses", "queue", "reordering", "rtt_cdf"]


def queue(runs: Runs) -> Chart:
    """The longest queue of the network, and the queues of ports that were sampled individually."""
    drawn = over_time(runs, lambda run: _queues(run, alone=len(runs) == 1))
    return _chart("queue", "Queues", Axis("queue", Quantity.SIZE, lower=0), drawn, QUEUES)


def _queues(run: Run, *, alone: bool) -> Curves:
    longest = curves(run.series, "queue_max_bytes")
    if not alone:
        return unnamed(longest)
    ports = [port for port in curves(run.series, "queue_bytes").items() if port[1][1].any()]
    ports.sort(key=lambda port: -float(port[1][1].max()))
    # If one port always has the longest queue, only that port's line is drawn, as it also names the
    # port.
    named = [
        ("longest queue", curve)
        for curve in longest.values()
        if not (ports and np.array_equal(curve[1], ports[0][1][1]))
    ]
    return dict([*named, *ports][: palette.SIZE])


def goodput(runs: Runs) -> Chart:
    """Payload acknowledged per time, of all flows together."""
    drawn = _network(runs, "goodput_bps")
    return _chart("goodput", "Goodput", Axis("goodput", Quantity.RATE, lower=0), drawn, FLOWS)


def active_flows(runs: Runs) -> Chart:
    """Flows that have started and not finished."""
    drawn = _network(runs, "active_flows", steps=True)
    axis = Axis("flows", Quantity.COUNT, lower=0)
    return _chart("active-flows", "Active flows", axis, drawn, FLOWS)


def pauses(runs: Runs) -> Chart:
    """The number of ports that PFC has paused for data."""
    drawn = _network(runs, "paused_ports", steps=True)
    axis = Axis("paused ports", Quantity.COUNT, lower=0, upper=1)
    chart = _chart("pauses", "PFC pauses", axis, drawn, PAUSES)
    return replace(chart, zero_is_nothing=True)


def _network(runs: Runs, measure: str, *, steps: bool = False) -> OverTime:
    def pick(run: Run) -> Curves:
        found = curves(run.series, measure)
        return found if len(found) > 1 else unnamed(found)

    return over_time(runs, pick, mark="steps" if steps else "line")


def _chart(name: str, title: str, y: Axis, drawn: OverTime, missing: str) -> Chart:
    return Chart(name, title, time_axis(), y, drawn.curves, note=drawn.note, missing=missing)


def rtt_cdf(runs: Runs) -> Chart:
    """Distribution of packets' round trips, of all traffic entries together, if they were
    counted.
    """
    drawn = []
    for index, (label, run) in enumerate(runs.items()):
        if not run.summary.get("rtt_ps"):
            continue
        edges, place = np.unique(run.round_trips.numbers("rtt_to_ps"), return_inverse=True)
        packets = np.bincount(place, run.round_trips.numbers("packets"))
        share = np.cumsum(packets) / packets.sum()
        drawn.append(Curve(label, edges * PICOSECOND, share, index, mark="steps", group=label))
    return Chart(
        "rtt-cdf",
        "Distribution of round trips",
        Axis("RTT", Quantity.TIME),
        Axis("share of packets", Quantity.RATIO, lower=0, upper=1),
        drawn,
        note="From a histogram: each point is the upper end of a bin." if drawn else "",
    )


def reordering(runs: Runs) -> Chart:
    """Reordering: the share of data packets that arrived at least this far behind the highest
    packet number so far. Without curves if no packet did.
    """
    drawn = []
    for index, (label, run) in enumerate(runs.items()):
        order = run.summary.get("reordering") or {}
        if not order.get("distance"):
            continue
        counts = np.array(order["distance"]["by_doubling"])
        further = np.cumsum(counts[::-1])[::-1] / order["received_packets"]
        distances = 2.0 ** np.arange(len(counts))
        drawn.append(Curve(label, distances, further, index, mark="points", group=label))
    return Chart(
        "reordering",
        "Packets out of order",
        Axis("distance (packets)", Quantity.COUNT, log=True),
        Axis("share of packets, at least so far", Quantity.RATIO, lower=0),
        drawn,
        note="Distance: how far the number of a packet is behind the highest that came before."
        if drawn
        else "",
    )
