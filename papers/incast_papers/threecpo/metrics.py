"""Metrics of a fabric's runs, their means over seeds, and panels that several figures share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from incast import _core
from incast.measure import fabric
from incast.measure.run import Run, Runs
from incast.measure.series import Array
from incast.papers.claim import Measured
from incast.papers.panels import averaged
from incast.papers.seeds import average, of
from incast.papers.variations import Variation
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import Dash
from incast.present.charts.fabric import longer_than

from incast_papers.threecpo.algorithms import PRINTED
from incast_papers.threecpo.networks import (
    INITIATORS,
    OTHER_CHOICES,
    SYMMETRIC_SCHEMES,
    at_workload,
    chosen,
    point,
)

__all__ = [
    "BANDWIDTH",
    "CALM",
    "CONGESTED",
    "LATENCY",
    "LIMIT",
    "Metric",
    "algorithm_6",
    "bandwidth",
    "by_scheme",
    "by_workload",
    "control_at",
    "cycles_text",
    "finish_spread",
    "group",
    "injections",
    "longest",
    "matching",
    "mean",
    "mean_initiators",
    "mean_of_means",
    "other_choices",
    "over_initiators",
    "own_completions",
    "steps",
    "tails",
    "tokens",
    "tokens_taken",
    "values",
    "watermarks",
]

Metric = Callable[[Run], float]

LIMIT = 1.8
"""Upper bound of an all-reduce's effective bandwidth: 9 of 10 flits in each direction are data
(G12).
"""

BANDWIDTH = Axis("flits per cycle", Quantity.RATIO, lower=0)
LATENCY = Axis("latency (cycles)", Quantity.COUNT, log=True)


def bandwidth(run: Run) -> float:
    """Effective bandwidth in flits per cycle and endpoint."""
    return float(run.summary["effective_bandwidth"])


def mean(run: Run) -> float:
    """Mean latency of operations in cycles."""
    return float(run.summary["latency"]["mean_cycles"])


def longest(run: Run) -> float:
    """The longest latency in cycles: the 100 % tail."""
    return float(run.summary["latency"]["max_cycles"])


def mean_of_means(run: Run) -> float:
    """Mean over initiators of each one's mean latency, in cycles."""
    initiators = run.operations.numbers("initiator").astype(int)
    cycles = run.operations.numbers("latency_cycles").astype(float)
    counts = np.bincount(initiators)
    sums = np.bincount(initiators, cycles)
    return float((sums[counts > 0] / counts[counts > 0]).mean())


def finish_spread(run: Run) -> float:
    """The time between the first and the last initiator's finish, relative to the run."""
    initiators = run.operations.numbers("initiator").astype(int)
    ends = run.operations.numbers("completed_cycle").astype(float)
    last = np.zeros(initiators.max() + 1)
    np.maximum.at(last, initiators, ends)
    last = last[last > 0]
    return float((last.max() - last.min()) / last.max())


def mean_initiators(run: Run) -> float:
    """The mean number of endpoints with operations that are issued and not complete, until the
    first endpoint has finished its work.
    """
    initiators = run.operations.numbers("initiator").astype(int)
    issued = run.operations.numbers("issued_cycle").astype(float)
    ends = run.operations.numbers("completed_cycle").astype(float)
    last = np.full(initiators.max() + 1, np.inf)
    for initiator in np.unique(initiators):
        last[initiator] = ends[initiators == initiator].max()
    until = last.min()
    busy = 0.0
    for initiator in np.unique(initiators):
        own = np.flatnonzero(initiators == initiator)
        own = own[np.argsort(issued[own], kind="stable")]
        begins, covered = issued[own], np.maximum.accumulate(ends[own])
        # Overlapping operations of an endpoint count once.
        begins[1:] = np.maximum(begins[1:], covered[:-1])
        busy += np.maximum(np.minimum(covered, until) - np.minimum(begins, until), 0).sum()
    return float(busy / until)


def group(number: int, key: str) -> Metric:
    """A key figure of a group: `effective_bandwidth`, or a key of its latency."""

    def of_group(run: Run) -> float:
        figures = run.summary["groups"][number]
        return float(figures[key] if key in figures else figures["latency"][key])

    return of_group


def values(runs: Runs, labels: Mapping[str, str] | Sequence[str], metric: Metric) -> Measured:
    """A metric of several labels. A mapping gives the names under which values are shown."""
    named = labels if isinstance(labels, Mapping) else {label: label for label in labels}
    return {name: average(runs, label, metric) for name, label in named.items()}


def other_choices() -> list[Variation]:
    """Variations for claims on 3CPO with 64 initiators: its open choices."""
    return [Variation(choice, {point(PRINTED, 64): chosen(choice)}) for choice in OTHER_CHOICES]


def by_scheme(runs: Runs, workload: str, metric: Metric) -> Measured:
    """A metric of a workload of Figs. 6.13 to 6.16 under each scheme."""
    labels = {scheme: at_workload(workload, scheme) for scheme in SYMMETRIC_SCHEMES}
    return values(runs, labels, metric)


def over_initiators(
    title: str,
    schemes: Sequence[str],
    axis: Axis,
    metrics: Mapping[str, Metric],
    *,
    limit: float | None = None,
) -> Callable[[Runs], Chart]:
    """A panel of metrics over the number of initiators, as means over seeds. The first metric is
    solid, the second dotted.
    """
    counts = np.array(sorted(INITIATORS), dtype=float)

    def draw(runs: Runs) -> Chart:
        drawn = []
        for place, (suffix, metric) in enumerate(metrics.items()):
            for colour, scheme in enumerate(schemes):
                found = [average(runs, point(scheme, int(n)), metric) for n in counts]
                name = f"{scheme}, {suffix}" if suffix else scheme
                dash: Dash = "dotted" if place > 0 else "solid"
                drawn.append(averaged(name, counts, found, colour, dash=dash, group=scheme))
        if limit is not None:
            bound = np.full(len(counts), limit)
            drawn.append(Curve("limit", counts, bound, 6, dash="dotted", group="limit"))
        return Chart(
            title,
            title,
            Axis("initiators", Quantity.COUNT, log=True),
            axis,
            drawn,
            note="Means over seeds, with their 95 % intervals where there are several."
            + (" Solid: mean; dotted: longest." if len(metrics) > 1 else ""),
        )

    return draw


def by_workload(
    title: str,
    axis: Axis,
    workloads: Sequence[str],
    schemes: Sequence[str],
    label: Callable[[str, str], str],
    metric: Metric,
) -> Callable[[Runs], Chart]:
    """A panel with a point for each scheme at each workload, side by side.

    Args:
        title: The title of the panel.
        axis: The axis of the metric.
        workloads: The workloads, in order.
        schemes: The schemes, in order.
        label: Gives the label of the runs of a workload under a scheme.
        metric: The metric to draw.
    """
    offsets = np.linspace(-0.15, 0.15, len(schemes))

    def draw(runs: Runs) -> Chart:
        drawn = []
        for colour, (scheme, offset) in enumerate(zip(schemes, offsets, strict=True)):
            found = [average(runs, label(each, scheme), metric) for each in workloads]
            x = np.arange(len(workloads)) + offset
            drawn.append(averaged(scheme, x, found, colour, mark="dots"))
        places = Axis("workload", Quantity.COUNT, names=tuple(workloads))
        return Chart(title, title, places, axis, drawn)

    return draw


def tails(title: str, labels: Mapping[str, str]) -> Callable[[Runs], Chart]:
    """A panel with the share of operations that take at least some time, for the runs of these
    labels, each under a name.
    """

    def draw(runs: Runs) -> Chart:
        drawn = []
        for colour, (name, label) in enumerate(labels.items()):
            found = np.concatenate([fabric.latencies(run) for run in of(runs, label)])
            x, y = longer_than(found)
            drawn.append(Curve(name, x, y, colour, mark="steps", group=name))
        share = Axis("share that takes as long", Quantity.RATIO, log=True, upper=1)
        return Chart(title, title, LATENCY, share, drawn, note="Operations of all seeds.")

    return draw


def cycles_text(cycles: float) -> str:
    """Cycles as text: ``1320``; from ten thousand on with a separator."""
    return f"{cycles:,.0f}".replace(",", " ") if cycles >= 10_000 else f"{cycles:.0f}"


def _sampled(run: Run, column: str) -> tuple[Array, Array]:
    """Cycles, and a column of the only sampled endpoint, as it is before the events of each
    cycle.
    """
    return run.controls.numbers("cycle"), run.controls.numbers(column).astype(float)


def control_at(run: Run, column: str, cycle: int) -> float:
    """The state of the sampled endpoint before the events of a cycle."""
    cycles, found = _sampled(run, column)
    return float(found[np.flatnonzero(cycles == cycle)[0]])


def injections(run: Run, endpoint: int) -> list[int]:
    """Cycles in which an endpoint's operations were injected."""
    own = run.operations.numbers("initiator") == endpoint
    return [int(cycle) for cycle in run.operations.numbers("injected_cycle")[own]]


def own_completions(run: Run, endpoint: int) -> list[int]:
    """Cycles in which an endpoint's operations were completed."""
    own = run.operations.numbers("initiator") == endpoint
    return [int(cycle) for cycle in run.operations.numbers("completed_cycle")[own]]


def steps(run: Run, column: str, *, up: bool) -> list[int]:
    """Cycles in which a column of the sampled endpoint increases or, unless `up`, decreases."""
    cycles, found = _sampled(run, column)
    change = np.diff(found)
    return [int(cycle) for cycle in cycles[:-1][change > 0 if up else change < 0]]


def _taken(run: Run) -> tuple[Array, Array]:
    """For each cycle, the request tokens taken so far. One token is generated per cycle, and the
    bucket never fills.
    """
    cycles, found = _sampled(run, "request_tokens")
    return cycles, found[0] + (cycles - cycles[0]) - found


def tokens_taken(run: Run, begin: int, end: int) -> float:
    """Request tokens taken from one cycle to another, which is excluded."""
    cycles, taken = _taken(run)
    first, last = np.searchsorted(cycles, [begin, min(end, int(cycles[-1]))])
    return float(taken[last] - taken[first])


def tokens(
    title: str, endpoints: Mapping[str, int], *, first: int, last: int
) -> Callable[[Runs], Chart]:
    """A panel of the request tokens of worked examples between two cycles, with their
    injections.
    """

    def draw(runs: Runs) -> Chart:
        drawn = []
        for colour, (label, endpoint) in enumerate(endpoints.items()):
            cycles, found = _sampled(runs[label], "request_tokens")
            shown = (cycles >= first) & (cycles <= last)
            drawn.append(
                Curve(label, cycles[shown], found[shown], colour, mark="steps", group=label)
            )
            sent = [each for each in injections(runs[label], endpoint) if first <= each <= last]
            at = np.array(sent, dtype=float)
            drawn.append(
                Curve(f"{label}: sends", at, np.ones(len(at)), colour, mark="dots", group=label)
            )
        return Chart(title, title, Axis("cycle", Quantity.COUNT), _TOKENS, drawn)

    return draw


_TOKENS = Axis("request tokens", Quantity.COUNT)


def matching(title: str, label: str, *, last: int) -> Callable[[Runs], Chart]:
    """A panel of the unmatched flits of a worked example, and of the tokens taken."""

    def draw(runs: Runs) -> Chart:
        run = runs[label]
        cycles, own = _sampled(run, "request_unmatched_own")
        _, remote = _sampled(run, "request_unmatched_remote")
        _, taken = _taken(run)
        shown = cycles <= last
        drawn = [
            Curve(name, cycles[shown], found[shown], colour, mark="steps", group=name)
            for colour, (name, found) in enumerate(
                {
                    "unmatched, own": own,
                    "unmatched, remote": -remote,
                    "tokens taken": taken,
                }.items()
            )
        ]
        flits = Axis("flits; tokens", Quantity.COUNT)
        return Chart(title, title, Axis("cycle", Quantity.COUNT), flits, drawn)

    return draw


CONGESTED, CALM = 5000, 1000
"""Latencies of probes in cycles, above and below the thresholds."""


def algorithm_6(probes: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Watermarks and wm_eq by Algorithm 6, beginning with WM_MAX = 100. A probe is a latency in
    cycles, and the amount that matching took, as a watermark.
    """
    largest = 100.0
    taken = [(latency, equivalent * latency / largest) for latency, equivalent in probes]
    return _core.three_cpo_watermarks(10.0, largest, taken)


def watermarks(title: str, probes: Sequence[tuple[float, float]]) -> Callable[[Runs], Chart]:
    """A panel of the watermark and wm_eq after each round trip."""

    def draw(_: Runs) -> Chart:
        found = [(100.0, 0.0), *algorithm_6(probes)]
        places = np.arange(len(found), dtype=float)
        drawn = [
            Curve(
                name,
                places,
                np.array([step[place] for step in found]),
                place,
                mark="steps",
                group=name,
            )
            for place, name in enumerate(("watermark", "watermark equivalent"))
        ]
        half = np.full(len(found), 50.0)
        drawn.append(Curve("md · WM", places, half, 6, dash="dotted", group="md"))
        trips = Axis("round trips", Quantity.COUNT)
        return Chart(title, title, trips, Axis("watermark", Quantity.COUNT, lower=0), drawn)

    return draw
