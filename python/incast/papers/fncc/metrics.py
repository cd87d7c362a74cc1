"""Meanings of the paper's words, as metrics and bounds, for all its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from incast.measure.metrics import port_utilisation
from incast.measure.run import Run
from incast.measure.series import Array, curves, ordered_percentile
from incast.measure.statistics import Average
from incast.papers.fncc.algorithms import PAPER_SUFFIX, RIVALS, Reading
from incast.papers.fncc.networks import any_start, at
from incast.papers.fncc.words import WORDS
from incast.papers.framework.claim import Claim, Measured, Values
from incast.papers.framework.explanation import Text
from incast.papers.framework.panels import Panel
from incast.papers.framework.paper import Runs
from incast.papers.framework.readings import claims_under, panels_under
from incast.papers.framework.seeds import average, median, of, pairs
from incast.papers.framework.tolerances import Condition
from incast.papers.framework.variations import Variation
from incast.papers.framework.words import NO_VALUES
from incast.present.units import bytes_text
from incast.time_units import PICOSECOND

__all__ = [
    "FIRST_CUT",
    "HADOOP_DECILES",
    "NUMBER",
    "WEB_SEARCH_DECILES",
    "Change",
    "Statistic",
    "Variations",
    "by_seed",
    "by_size",
    "change",
    "converged_after",
    "each",
    "each_time",
    "jitter",
    "joined",
    "lowest",
    "mean",
    "mean_fct",
    "mean_queue",
    "mean_rate",
    "mean_share",
    "near",
    "off",
    "paper_claims",
    "paper_panels",
    "pauses",
    "peak",
    "peak_after",
    "percentile",
    "rate_steps",
    "rates",
    "ratios",
    "reaction",
    "reactions_of",
    "relative",
    "settling",
    "shortest_queue",
    "slowdown",
    "utilisation",
    "with_variations",
]

_SLOWER = 0.9
"""A sender has slowed down when its rate has fallen by a tenth: a step that a plot shows."""
FIRST_CUT = 0.99
"""The other reading, the first decrease: by 1 %, more than rates jitter."""
_FAIR_WITHIN = 0.2
"""A rate has converged when it stays within a fifth of its fair share."""
_AVERAGED = 10e-6
"""Seconds: rates are averaged over this, less than a base RTT, before they are called fair."""

NUMBER = 0.25


def near(claimed: float, label: str = "") -> Condition:
    """A change within a quarter of this one, and what it leaves within a quarter of what this one
    leaves.
    """
    return lambda values: (
        abs(values[label] - claimed) <= NUMBER * min(abs(claimed), 1 - abs(claimed))
    )


def off(claimed: float, label: str = "") -> Callable[[Values], float]:
    """How far a change is from this one."""
    return lambda values: abs(values[label] - claimed)


Variations: TypeAlias = Mapping[str, Sequence[Variation]]
"""Of claims, by their ids."""


def with_variations(claims: Sequence[Claim], variations: Variations) -> list[Claim]:
    """Claims with their variations."""
    return [replace(claim, variations=variations.get(claim.id, ())) for claim in claims]


def paper_claims(
    claims: Sequence[Claim],
    values: Mapping[str, Text] = NO_VALUES,
    variations: Variations = MappingProxyType({}),
) -> list[Claim]:
    """Claims in the paper's setting, with remarks and variations of their own.

    Args:
        claims: Of our setting.
        values: What placeholders in these remarks stand for.
        variations: By the ids of the claims.
    """
    own = [WORDS.remarked(claim, f"{claim.id}-{PAPER_SUFFIX}", values=values) for claim in claims]
    varied = with_variations(own, variations)
    return claims_under(Reading.PAPER.value, PAPER_SUFFIX, varied)


def paper_panels(panels: Mapping[str, Panel]) -> dict[str, Panel]:
    """Panels in the paper's setting."""
    return panels_under(Reading.PAPER.value, PAPER_SUFFIX, panels)


def shortest_queue(number: str, gbps: int, values: Mapping[str, Text] = NO_VALUES) -> Claim:
    """FNCC's queue of two elephants is the shortest."""
    labels = [at(label, gbps) for label in RIVALS]
    return WORDS.claim(
        number,
        measure=each(peak, *labels),
        holds=lowest(labels[0], labels[1:]),
        show=bytes_text,
        values=values,
    )


def each(measure: Callable[[Run], float], *labels: str) -> Callable[[Runs], Measured]:
    """One metric of each of these labels: its mean over all starts."""
    return lambda runs: {label: average(runs, any_start(label), measure) for label in labels}


def relative(runs: Runs, label: str, other: str, metric: Callable[[Run], float]) -> Average:
    """Difference of a metric from another label's, as a share of it, start by start."""
    return Average.of([ours / theirs - 1 for ours, theirs in pairs(runs, label, other, metric)])


def each_time(measure: Callable[[Run], float], *labels: str) -> Callable[[Runs], Measured]:
    """A time, which may be never: its median over all starts, with the range."""
    return lambda runs: {label: median(runs, any_start(label), measure) for label in labels}


def lowest(label: str, others: Sequence[str]) -> Condition:
    """One value is below each of these others."""
    return lambda values: all(values[label] < values[other] for other in others)


def rates(run: Run) -> dict[str, tuple[Array, Array]]:
    """Each sender's rate over time: seconds and bit/s."""
    found = curves(run.series, "rate_bps")
    return {flow: (times * PICOSECOND, values) for flow, (times, values) in found.items()}


def joined(run: Run) -> float:
    """Seconds: when the second elephant starts."""
    return float(run.flows.numbers("start_ps").max()) * PICOSECOND


def mean_rate(run: Run, flow: str, begin: float, end: float) -> float:
    """Mean rate of a sender between two moments, seconds from the second elephant's start on."""
    times, values = rates(run)[flow]
    since = times - joined(run)
    return float(values[(since > begin) & (since <= end)].mean())


def reaction(run: Run, share: float = _SLOWER) -> float:
    """Seconds from the second elephant's start until one of the two senders has slowed down: until
    its rate is below this share of what it was, flow0's in the 50 µs before, flow1's at its start.
    """
    return min(reactions_of(run, share), default=float("inf"))


def reactions_of(run: Run, share: float = FIRST_CUT) -> list[float]:
    """The reaction of each sender, in their order; infinite if one does not."""
    found = []
    start = joined(run)
    for times, values in rates(run).values():
        since = times - start
        before = values[(since > -50e-6) & (since <= 0)]
        usual = float(before.mean()) if len(before) else float(values[0])
        slower = since[(since > 0) & (values < share * usual)]
        found.append(float(slower[0]) if len(slower) else float("inf"))
    return found


def rate_steps(run: Run) -> list[tuple[float, float]]:
    """Changes of flow0's rate by more than 1 % from the second elephant's start on: times in
    seconds,
    and new rates in bit/s.
    """
    times, values = rates(run)["flow 0"]
    later = times > joined(run)
    times, values = times[later], values[later]
    changes = np.flatnonzero(np.abs(np.diff(values)) > (1 - FIRST_CUT) * values[:-1]) + 1
    return [(float(times[change]), float(values[change])) for change in changes]


def converged_after(run: Run) -> float:
    """Seconds from the second elephant's start until both rates, averaged over 10 µs, stay within a
    fifth of half the link; infinite if they do not.
    """
    line = float(run.ports.numbers("rate_bps").max())
    last, start = 0.0, joined(run)
    for times, values in rates(run).values():
        slots, means = _means(times[times > start] - start, values[times > start])
        unfair = slots[np.abs(means - line / 2) > _FAIR_WITHIN * line / 2]
        if len(unfair):
            end = float(unfair[-1]) + _AVERAGED
            last = max(last, end if end <= slots[-1] else float("inf"))
    return last


def jitter(run: Run) -> float:
    """Size of the rates' swings, in bit/s: their standard deviation about the mean of every 100 µs,
    from
    100 µs after the second elephant's start on, of both senders.
    """
    squares = []
    start = joined(run)
    for times, values in rates(run).values():
        later = times > start + 100e-6
        slots = np.floor(times[later] / 100e-6).astype(int)
        _, place, counts = np.unique(slots, return_inverse=True, return_counts=True)
        means = np.bincount(place, values[later]) / counts
        squares.append((values[later] - means[place]) ** 2)
    return float(np.sqrt(np.mean(np.concatenate(squares)))) if squares else float("nan")


def peak(run: Run) -> float:
    """Bytes of the longest queue that the observed port had."""
    ((_, values),) = curves(run.series, "queue_bytes").values()
    return float(values.max())


def peak_after(run: Run) -> float:
    """Seconds from the second elephant's start until that queue was longest."""
    ((times, values),) = curves(run.series, "queue_bytes").values()
    return float(times[values.argmax()]) * PICOSECOND - joined(run)


def mean_queue(run: Run) -> float:
    """Mean bytes of the observed port's queue, from the second elephant's start on."""
    ((times, values),) = curves(run.series, "queue_bytes").values()
    return float(_joined(run, times * PICOSECOND, values).mean())


def pauses(run: Run) -> float:
    """Pause frames that the switch of the observed port sent."""
    (port,) = curves(run.series, "queue_bytes")
    switch = port.split(" port ")[0]
    labels = run.ports.categories("label")
    here = [labels.texts[place].startswith(f"{switch} ") for place in labels.indices]
    return float(run.ports.numbers("pauses_sent")[here].sum())


def utilisation(run: Run) -> float:
    """The share of time for which the observed port sent, from the second elephant's start on."""
    times, shares = port_utilisation(run)
    return float(_joined(run, times, shares).mean())


def _joined(run: Run, times: Array, values: Array) -> Array:
    """Values from the second elephant's start on."""
    start = joined(run)
    chosen: Array = values[times > start]
    if not len(chosen):
        raise ValueError(f"the run ends before the second elephant starts, at {start * 1e6:g} µs")
    return chosen


def _means(times: Array, values: Array) -> tuple[Array, Array]:
    """The mean of every interval, at its begin."""
    slots, place, counts = np.unique(
        np.floor(times / _AVERAGED + 1e-9), return_inverse=True, return_counts=True
    )
    return slots * _AVERAGED, np.bincount(place, values) / counts


def mean_share(run: Run) -> float:
    """Mean Jain's index over the time in which two or more flows are there."""
    return float(run.summary["jain_index"]["mean"])


def settling(run: Run) -> float:
    """Time from a flow's start until Jain's index reaches 0.95 until the next start, as
    a share of the time from one joining to the next: of the slowest joining. Infinite if it does
    not.
    """
    told = run.summary["jain_index"]["after_arrivals"]
    if told["settled"] < told["arrivals"]:
        return float("inf")
    starts = sorted(run.completed.numbers("start_ps").tolist())
    return float(told["time_to_095_ps"]["max"]) / float(starts[1] - starts[0])


WEB_SEARCH_DECILES = (6667, 20e3, 30e3, 50e3, 73_077, 200e3, 1e6, 2e6, 5e6, 30e6)
"""Bytes: a tenth of the flows is up to the first, a tenth from there to the second, and so on."""
HADOOP_DECILES = (325, 400, 500, 600, 700, 1000, 7000, 46e3, 120e3, 10e6)

Statistic = Callable[[Array], float]
"""One number of a sorted array of slowdowns; missing (nan) of none."""


def mean(slowdowns: Array) -> float:
    """The mean."""
    return float(slowdowns.mean()) if len(slowdowns) else float("nan")


def mean_fct(run: Run) -> float:
    """Picoseconds, over all flows."""
    return float(run.completed.numbers("fct_ps").mean())


def percentile(percent: float) -> Statistic:
    """The value at ⌊n·p⌋ of n, as everywhere."""
    return lambda slowdowns: ordered_percentile(slowdowns, percent)


def slowdown(
    run: Run, statistic: Statistic, *, above: float = 0, up_to: float = float("inf")
) -> float:
    """A statistic of the slowdowns of flows larger than `above` bytes and at most `up_to`."""
    sizes = run.completed.numbers("size_bytes")
    chosen = run.completed.numbers("slowdown")[(sizes > above) & (sizes <= up_to)]
    return statistic(np.sort(chosen))


def by_size(run: Run, statistic: Statistic, edges: Sequence[float]) -> Array:
    """A statistic of each class of sizes, which reaches from one edge, or zero, to the next."""
    lows = (0, *edges[:-1])
    return np.array(
        [
            slowdown(run, statistic, above=low, up_to=high)
            for low, high in zip(lows, edges, strict=True)
        ]
    )


def by_seed(runs: Runs, label: str, statistic: Statistic, edges: Sequence[float]) -> Array:
    """A row of the statistic by class of size for each seed."""
    return np.array([by_size(run, statistic, edges) for run in of(runs, label)])


def ratios(
    runs: Runs, label: str, rival: str, statistic: Statistic, edges: Sequence[float]
) -> Array:
    """A statistic over a rival's, by seed and class of size."""
    ours, theirs = (by_seed(runs, each, statistic, edges) for each in (label, rival))
    found: Array = ours / theirs
    return found


@dataclass(frozen=True)
class Change:
    """Difference of a statistic from a rival's, as a share of the rival's."""

    all: Average
    """Over all flows of the range."""
    best: float
    """In the class of sizes where it is lowest, on average."""


def change(
    runs: Runs,
    label: str,
    rival: str,
    statistic: Statistic,
    edges: Sequence[float],
    *,
    above: float = 0,
    up_to: float = float("inf"),
) -> Change:
    """Difference of a statistic from a rival's, of flows larger than `above` and at most `up_to`:
    seed by seed, since equal seeds have equal flows.
    """

    def changes(low: float, high: float) -> list[float]:
        def within(run: Run) -> float:
            return slowdown(run, statistic, above=low, up_to=high)

        return [ours / theirs - 1 for ours, theirs in pairs(runs, label, rival, within)]

    bounds = [above, *(edge for edge in edges if above < edge < up_to), min(up_to, edges[-1])]
    parts = [float(np.mean(changes(low, high))) for low, high in pairwise(bounds)]
    return Change(Average.of(changes(above, up_to)), min(parts))
