"""Charts of memory fabrics: latency with its tail, bandwidth, controls and queues over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from incast.measure import fabric
from incast.measure.run import Run, Runs
from incast.measure.series import Array, Curves
from incast.present.charts.chart import Axis, Chart, Curve, Quantity
from incast.present.charts.over_time import over_time

__all__ = [
    "bandwidth",
    "bandwidth_by_initiators",
    "channels",
    "cycle_axis",
    "latency",
    "latency_by_initiators",
    "longer_than",
    "tokens",
    "unmatched",
    "watermarks",
]

_NOT_SAMPLED = (
    "Nothing was sampled over time. To sample, add to the scenario:\n[measure]\nevery = 100"
)
_NO_ENDPOINT = f"{_NOT_SAMPLED}\nendpoints = [0]"
_CHANNELS = {
    "requests": ("requests_to_endpoints_flits", "requests_to_switches_flits"),
    "responses": ("responses_to_endpoints_flits", "responses_to_switches_flits"),
    "requests before endpoints' links": ("requests_at_endpoints_flits",),
    "responses before endpoints' links": ("responses_at_endpoints_flits",),
}
"""Columns that are summed for each virtual channel; the first two are those of all switches."""


def cycle_axis(label: str = "simulated time (cycles)") -> Axis:
    """The time axis of charts of a fabric, in cycles."""
    return Axis(label, Quantity.COUNT, lower=0)


def longer_than(values: Array, most_points: int = 600) -> tuple[Array, Array]:
    """For each value, the share of values that are larger, to show the tail on a log axis. Fewer
    points are kept towards small values.
    """
    ordered = np.sort(values)[::-1].astype(float)
    count = len(ordered)
    picks = np.unique(np.geomspace(1, max(count, 1), most_points).astype(int)) - 1
    picks = picks[picks < count]
    return ordered[picks], (picks + 1) / max(count, 1)


def latency(runs: Runs) -> Chart:
    """The share of operations that take at least some time, by kind of operation or by run."""
    drawn = []
    if len(runs) == 1:
        run = next(iter(runs.values()))
        parts = {kind: fabric.latencies(run, kind) for kind in run.summary["latency_by_kind"]}
    else:
        parts = {label: fabric.latencies(run) for label, run in runs.items()}
    for colour, (label, cycles) in enumerate(parts.items()):
        x, y = longer_than(cycles)
        drawn.append(Curve(label, x, y, colour, mark="steps", group=label))
    return Chart(
        "latency",
        "Latency and its tail",
        Axis("latency of an operation (cycles)", Quantity.COUNT, log=True),
        Axis("share that takes as long", Quantity.RATIO, log=True, upper=1),
        drawn,
    )


def bandwidth(runs: Runs) -> Chart:
    """Effective bandwidth over time."""
    drawn = []
    for colour, (label, run) in enumerate(runs.items()):
        x, y = fabric.bandwidth_over_time(run)
        drawn.append(Curve(label, x, y, colour, group=label))
    return Chart(
        "bandwidth",
        "Effective bandwidth",
        cycle_axis(),
        Axis("flits per cycle and endpoint", Quantity.RATIO, lower=0),
        drawn,
        note="Of the operations that complete in each hundredth of the run.",
    )


def bandwidth_by_initiators(runs: Runs) -> Chart:
    """Effective bandwidth over the number of initiators, a curve for each scheme."""

    def value(run: Run) -> float:
        return float(run.summary["effective_bandwidth"])

    return Chart(
        "bandwidth-by-initiators",
        "Effective bandwidth by initiators",
        Axis("initiators", Quantity.COUNT, log=True),
        Axis("flits per cycle and endpoint", Quantity.RATIO, lower=0),
        [
            Curve(scheme, x, y, colour, group=scheme)
            for colour, (scheme, (x, y)) in enumerate(_by_initiators(runs, value).items())
        ],
    )


def latency_by_initiators(runs: Runs) -> Chart:
    """Mean and maximum latency over the number of initiators, for each scheme."""
    drawn = []
    dashes: dict[str, Literal["solid", "dotted"]] = {"mean": "solid", "max": "dotted"}
    for key, dash in dashes.items():

        def value(run: Run, key: str = key) -> float:
            return float(run.summary["latency"][f"{key}_cycles"])

        for colour, (scheme, (x, y)) in enumerate(_by_initiators(runs, value).items()):
            label = f"{scheme}, {key}"
            drawn.append(Curve(label, x, y, colour, dash=dash, group=scheme))
    return Chart(
        "latency-by-initiators",
        "Latency by initiators",
        Axis("initiators", Quantity.COUNT, log=True),
        Axis("latency (cycles)", Quantity.COUNT, log=True),
        drawn,
        note="Solid: mean; dotted: longest.",
    )


def _by_initiators(runs: Runs, value: Callable[[Run], float]) -> dict[str, tuple[Array, Array]]:
    """A value over the number of initiators, by scheme."""
    counts: dict[str, dict[int, float]] = {}
    for run in runs.values():
        of_scheme = counts.setdefault(run.algorithm, {})
        of_scheme[int(run.summary["initiators"])] = value(run)
    if all(len(found) < 2 for found in counts.values()):
        return {}
    return {
        scheme: (np.array(sorted(found), float), np.array([found[n] for n in sorted(found)]))
        for scheme, found in counts.items()
    }


def tokens(runs: Runs) -> Chart:
    """Injection tokens over time."""
    columns = {"requests": "request_tokens", "responses": "response_tokens"}
    return _of_control(runs, "tokens", "Injection tokens", "tokens", columns)


def watermarks(runs: Runs) -> Chart:
    """Watermarks over time."""
    columns = {"requests": "request_watermark", "responses": "response_watermark"}
    return _of_control(runs, "watermarks", "Watermarks", "watermark", columns)


def unmatched(runs: Runs) -> Chart:
    """Unmatched flits over time: the endpoint's own ones upwards, remote ones downwards."""
    columns = {
        f"{side}s, {whose}": f"{side}_unmatched_{whose}"
        for side in ("request", "response")
        for whose in ("own", "remote")
    }
    return _of_control(runs, "unmatched", "Unmatched flits", "flits", columns)


def _of_control(runs: Runs, name: str, title: str, axis: str, columns: Mapping[str, str]) -> Chart:
    def pick(run: Run) -> Curves:
        table = run.controls
        endpoints = table.numbers("endpoint")
        different = np.unique(endpoints)
        found = {}
        for endpoint in different:
            rows = endpoints == endpoint
            times = table.numbers("cycle")[rows]
            of_endpoint = f"endpoint {endpoint}, " if len(different) > 1 else ""
            for label, column in columns.items():
                found[f"{of_endpoint}{label}"] = (times, table.numbers(column)[rows].astype(float))
        return found

    drawn = over_time(runs, pick, cycles=True)
    return Chart(
        name,
        title,
        cycle_axis(),
        Axis(axis, Quantity.COUNT),
        drawn.curves,
        note=drawn.note,
        missing=_NO_ENDPOINT,
        zero_is_nothing=True,
    )


def channels(runs: Runs) -> Chart:
    """Flits in queues by virtual channel over time: of all switches, and of all endpoints."""

    def pick(run: Run) -> Curves:
        table = run.queues
        times, place = np.unique(table.numbers("cycle"), return_inverse=True)
        return {
            label: (times, np.bincount(place, sum(_floats(run, column) for column in columns)))
            for label, columns in _CHANNELS.items()
            if len(times)
        }

    drawn = over_time(runs, pick, cycles=True)
    return Chart(
        "channels",
        "Queues by virtual channel",
        cycle_axis(),
        Axis("flits", Quantity.COUNT, lower=0),
        drawn.curves,
        note=drawn.note,
        missing=_NOT_SAMPLED,
    )


def _floats(run: Run, column: str) -> Array:
    return run.queues.numbers(column).astype(float)
