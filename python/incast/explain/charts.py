"""Charts of one flow: parts of its FCT, its limits, queues on its path, flows it met."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from incast.explain.answers import FlowAnswer
from incast.explain.company import AtPort
from incast.explain.critical_path import by_part
from incast.explain.recorded import is_limit
from incast.measure.series import Array, decimate
from incast.present.charts import Chart
from incast.present.charts.chart import Axis, Curve, Mark, Quantity, time_axis
from incast.present.part_names import PART_NAMES
from incast.present.units import bytes_text, percent_text
from incast.time_units import PICOSECOND

__all__ = ["charts"]

_MOST_PARTS = 6
_MOST_PORTS = 7
_MOST_FLOWS = 10
_NOTED = 0.01
"""The smallest share of the FCT that is drawn as a part of its own."""
_POINTS = 600
_BINS = 100


def charts(found: FlowAnswer) -> list[Chart]:
    """The charts of one flow that have something to show, over the time since its start."""
    every = [
        _where_time_went(found),
        _window(found),
        _rate(found),
        _queues(found),
        *(_company(found, at_port) for at_port in found.company[:1]),
    ]
    return [chart for chart in every if chart.worth_showing]


def _axis() -> Axis:
    return replace(time_axis("time since its start"), lower=0.0)


def _where_time_went(found: FlowAnswer) -> Chart:
    """Time spent in each part up to each moment."""
    start = found.spans[0].start
    ends = np.array([0, *(span.end - start for span in found.spans)])
    sums = by_part(found.spans)
    ranked = sorted(sums, key=lambda part: -sums[part])
    grid = np.linspace(0, ends[-1], _POINTS)
    curves = []
    noted = [part for part in ranked if sums[part] >= _NOTED * found.fct_ps]
    for place, name in enumerate(noted[:_MOST_PARTS]):
        own = [span.ps if span.part == name else 0 for span in found.spans]
        # Within a span only its own part's time grows.
        so_far = np.interp(grid, ends, np.concatenate(([0], np.cumsum(own))))
        share = percent_text(sums[name] / found.fct_ps)
        label = f"{PART_NAMES[name]} ({share})"
        curves.append(Curve(label, grid * PICOSECOND, so_far * PICOSECOND, place))
    return Chart(
        "where-time-went",
        "Where the time went",
        _axis(),
        Axis("time in it so far", Quantity.TIME, lower=0.0),
        curves,
        note="A part that rises with the time is what the flow waited for, or did, just then.",
        one_unit=True,
    )


def _window(found: FlowAnswer) -> Chart:
    return Chart(
        "window",
        "Its window",
        _axis(),
        Axis("payload that may be in flight", Quantity.SIZE, lower=0.0),
        _limit(found, "window", [(state.time, state.window) for state in found.states]),
    )


def _rate(found: FlowAnswer) -> Chart:
    pace = _limit(found, "pace", [(state.time, state.rate) for state in found.states])
    return Chart(
        "rate",
        "Its pace, and what left its NIC",
        _axis(),
        Axis("rate", Quantity.RATE, lower=0.0),
        [*pace, _sent(found)],
        note=f"What left: on average over each hundredth of its time ({_BINS} of them).",
    )


def _limit(found: FlowAnswer, name: str, values: Iterable[tuple[int, int]]) -> list[Curve]:
    """A limit of the sender over time, while the sender has one."""
    known = np.array([each for each in values if is_limit(each[1])], dtype=float).reshape(-1, 2)
    return _steps(found, {name: (known[:, 0], known[:, 1])})


def _sent(found: FlowAnswer) -> Curve:
    """The rate at which the sender sent, in bit/s on the wire."""
    start, end = found.spans[0].start, found.spans[-1].end
    edges = np.linspace(start, end, _BINS + 1)
    events = found.events
    times = events.time[events.departures]
    wires = events.wire[events.departures].astype(float)
    counted, _ = np.histogram(times, edges, weights=wires)
    width = (edges[1] - edges[0]) * PICOSECOND
    x = (edges[:-1] - start) * PICOSECOND
    return Curve("left its NIC", x, counted * 8 / width, 1, mark="steps")


def _queues(found: FlowAnswer) -> Chart:
    """Queue lengths in bytes that the flow's data packets met at each port."""
    events = found.events
    rows = np.flatnonzero(events.are("enqueue") & events.are_of("data"))
    by_port: dict[str, list[int]] = defaultdict(list)
    for row in rows.tolist():
        by_port[found.ports[events[row].place].label].append(row)
    longest = sorted(by_port, key=lambda port: -int(events.queue[by_port[port]].max()))
    group = {
        port: (events.time[by_port[port]].astype(float), events.queue[by_port[port]].astype(float))
        for port in longest[:_MOST_PORTS]
    }
    return Chart(
        "queues",
        "Queues that its packets came to",
        _axis(),
        Axis("bytes that waited", Quantity.SIZE, lower=0.0),
        _steps(found, group, mark="line"),
        note="At each port when a packet of the flow came there, beside that packet.",
        zero_is_nothing=True,
    )


def _company(found: FlowAnswer, at_port: AtPort) -> Chart:
    """The periods in which other flows were at a port."""
    start = found.spans[0].start
    flows = at_port.others[:_MOST_FLOWS]
    names = [f"flow {flow.flow}, {bytes_text(flow.wire_bytes)}" for flow in flows]
    times = [time - start for flow in flows for time in (flow.first_ps, flow.last_ps)]
    x, places = np.array(times) * PICOSECOND, np.repeat(np.arange(len(flows)), 2)
    left_out = len(at_port.others) - len(flows)
    note = f"{left_out} flows with less data are left out." if left_out else ""
    return Chart(
        "company",
        f"Flows that it met at {at_port.port.label}",
        _axis(),
        Axis("", Quantity.COUNT, names=tuple(names)),
        [Curve("from its first packet there to its last", x, places, mark="segments")],
        note=note,
    )


def _steps(
    found: FlowAnswer, group: Mapping[str, tuple[Array, Array]], mark: Mark = "steps"
) -> list[Curve]:
    """Curves over the time since the flow's start, thinned if they have many points."""
    thinned = decimate(group, 2 * _POINTS)
    x = (thinned.times - found.spans[0].start) * PICOSECOND
    return [
        Curve(name, x, values, place, mark=mark)
        for place, (name, values) in enumerate(thinned.values.items())
    ]
