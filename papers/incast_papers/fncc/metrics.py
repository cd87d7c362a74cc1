"""Definitions of the paper's terms, as metrics and conditions, for all of its figures."""

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
from incast.papers.claim import Claim, Measured, Values
from incast.papers.explanation import Text
from incast.papers.figure import Runs
from incast.papers.panels import Panel
from incast.papers.readings import claims_under, panels_under
from incast.papers.seeds import average, median, of, pairs
from incast.papers.tolerances import Condition
from incast.papers.variations import Variation
from incast.papers.words import NO_VALUES
from incast.present.units import bytes_text
from incast.time_units import PICOSECOND

from incast_papers.fncc.algorithms import PAPER_SUFFIX, RIVALS, Reading
from incast_papers.fncc.networks import any_start, at
from incast_papers.fncc.words import WORDS

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
"""A sender has slowed down when its rate has fallen by a tenth, which is visible in a plot."""
FIRST_CUT = 0.99
"""The other reading, the first decrease: by 1 %, which is more than rates fluctuate."""
_FAIR_WITHIN = 0.2
"""A rate has converged when it stays within a fifth of its fair share."""
_AVERAGED = 10e-6
"""The period in seconds over which rates are averaged before they are compared with the fair rate;
less than a base RTT.
"""

NUMBER = 0.25


def near(claimed: float, label: str = "") -> Condition:
    """A condition: the change is within a quarter of the claimed one, and so is the remainder."""
    return lambda values: (
        abs(values[label] - claimed) <= NUMBER * min(abs(claimed), 1 - abs(claimed))
    )


def off(claimed: float, label: str = "") -> Callable[[Values], float]:
    """The distance of a change from the claimed one."""
    return lambda values: abs(values[label] - claimed)


Variations: TypeAlias = Mapping[str, Sequence[Variation]]
"""Variations by the id of their claim."""


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
        claims: The claims of our setting.
        values: Values for the placeholders in remarks.
        variations: Variations by the ids of the claims.
    """
    own = [WORDS.remarked(claim, f"{claim.id}-{PAPER_SUFFIX}", values=values) for claim in claims]
    varied = with_variations(own, variations)
    return claims_under(Reading.PAPER.value, PAPER_SUFFIX, varied)


def paper_panels(panels: Mapping[str, Panel]) -> dict[str, Panel]:
    """The panels for the paper's setting."""
    return panels_under(Reading.PAPER.value, PAPER_SUFFIX, panels)


def shortest_queue(number: str, gbps: int, values: Mapping[str, Text] = NO_VALUES) -> Claim:
    """The claim that the queue of two elephants is shortest under FNCC."""
    labels = [at(label, gbps) for label in RIVALS]
    return WORDS.claim(
        number,
        measure=each(peak, *labels),
        holds=lowest(labels[0], labels[1:]),
        show=bytes_text,
        values=values,
    )


def each(measure: Callable[[Run], float], *labels: str) -> Callable[[Runs], Measured]:
    """A metric of each label: its mean over all start times."""
    return lambda runs: {label: average(runs, any_start(label), measure) for label in labels}


def relative(runs: Runs, label: str, other: str, metric: Callable[[Run], float]) -> Average:
    """The relative difference of a metric from another label's, paired by start time."""
    return Average.of([ours / theirs - 1 for ours, theirs in pairs(runs, label, other, metric)])


def each_time(measure: Callable[[Run], float], *labels: str) -> Callable[[Runs], Measured]:
    """A time, which may be infinite: its median over all start times, with the range."""
    return lambda runs: {label: median(runs, any_start(label), measure) for label in labels}


def lowest(label: str, others: Sequence[str]) -> Condition:
    """A condition: one value is below all others."""
    return lambda values: all(values[label] < values[other] for other in others)


def rates(run: Run) -> dict[str, tuple[Array, Array]]:
    """Each sender's rate over time: seconds and bit/s."""
    found = curves(run.series, "rate_bps")
    return {flow: (times * PICOSECOND, values) for flow, (times, values) in found.items()}


def joined(run: Run) -> float:
    """The start of the second elephant, in seconds."""
    return float(run.flows.numbers("start_ps").max()) * PICOSECOND


def mean_rate(run: Run, flow: str, begin: float, end: float) -> float:
    """Mean rate of a sender between two times, in seconds after the second elephant's start."""
    times, values = rates(run)[flow]
    since = times - joined(run)
    return float(values[(since > begin) & (since <= end)].mean())


def reaction(run: Run, share: float = _SLOWER) -> float:
    """Seconds from the second elephant's start until either sender has slowed down: its rate is
    below this share of its earlier rate. The earlier rate of flow 0 is that of the last 50 µs
    before, of flow 1 its initial rate.
    """
    return min(reactions_of(run, share), default=float("inf"))


def reactions_of(run: Run, share: float = FIRST_CUT) -> list[float]:
    """The reaction time of each sender; infinite if it does not react."""
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
    """Changes of flow 0's rate by more than 1 %, after the second elephant's start: times in
    seconds, and new rates in bit/s.
    """
    times, values = rates(run)["flow 0"]
    later = times > joined(run)
    times, values = times[later], values[later]
    changes = np.flatnonzero(np.abs(np.diff(values)) > (1 - FIRST_CUT) * values[:-1]) + 1
    return [(float(times[change]), float(values[change])) for change in changes]


def converged_after(run: Run) -> float:
    """Seconds from the second elephant's start until both rates, averaged over 10 µs, stay within a
    fifth of half the link rate; infinite if they do not.
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
    """Size of the swings of both senders' rates, in bit/s: their standard deviation about the mean
    of each 100 µs, from 100 µs after the second elephant's start.
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
    """The longest queue of the sampled port, in bytes."""
    ((_, values),) = curves(run.series, "queue_bytes").values()
    return float(values.max())


def peak_after(run: Run) -> float:
    """Seconds from the second elephant's start to the peak of that queue."""
    ((times, values),) = curves(run.series, "queue_bytes").values()
    return float(times[values.argmax()]) * PICOSECOND - joined(run)


def mean_queue(run: Run) -> float:
    """Mean queue of the sampled port after the second elephant's start, in bytes."""
    ((times, values),) = curves(run.series, "queue_bytes").values()
    return float(_joined(run, times * PICOSECOND, values).mean())


def pauses(run: Run) -> float:
    """The number of pause frames sent by the switch of the sampled port."""
    (port,) = curves(run.series, "queue_bytes")
    switch = port.split(" port ")[0]
    labels = run.ports.categories("label")
    here = [labels.texts[place].startswith(f"{switch} ") for place in labels.indices]
    return float(run.ports.numbers("pauses_sent")[here].sum())


def utilisation(run: Run) -> float:
    """The share of time in which the traced port sent, after the second elephant's start."""
    times, shares = port_utilisation(run)
    return float(_joined(run, times, shares).mean())


def _joined(run: Run, times: Array, values: Array) -> Array:
    """Values after the second elephant's start."""
    start = joined(run)
    chosen: Array = values[times > start]
    if not len(chosen):
        raise ValueError(f"the run ends before the second elephant starts, at {start * 1e6:g} µs")
    return chosen


def _means(times: Array, values: Array) -> tuple[Array, Array]:
    """The mean over each averaging interval, with the interval's begin."""
    slots, place, counts = np.unique(
        np.floor(times / _AVERAGED + 1e-9), return_inverse=True, return_counts=True
    )
    return slots * _AVERAGED, np.bincount(place, values) / counts


def mean_share(run: Run) -> float:
    """Mean of Jain's index while two or more flows are active."""
    return float(run.summary["jain_index"]["mean"])


def settling(run: Run) -> float:
    """Time from a flow's start until Jain's index reaches 0.95, relative to the time between two
    starts; for the slowest flow. Infinite if it is not reached before the next start.
    """
    told = run.summary["jain_index"]["after_arrivals"]
    if told["settled"] < told["arrivals"]:
        return float("inf")
    starts = sorted(run.completed.numbers("start_ps").tolist())
    return float(told["time_to_095_ps"]["max"]) / float(starts[1] - starts[0])


WEB_SEARCH_DECILES = (6667, 20e3, 30e3, 50e3, 73_077, 200e3, 1e6, 2e6, 5e6, 30e6)
"""The upper ends of deciles of flow sizes, in bytes."""
HADOOP_DECILES = (325, 400, 500, 600, 700, 1000, 7000, 46e3, 120e3, 10e6)

Statistic = Callable[[Array], float]
"""A statistic of a sorted array of slowdowns; missing (NaN) if the array is empty."""


def mean(slowdowns: Array) -> float:
    """The mean FCT slowdown."""
    return float(slowdowns.mean()) if len(slowdowns) else float("nan")


def mean_fct(run: Run) -> float:
    """Mean FCT of all flows, in picoseconds."""
    return float(run.completed.numbers("fct_ps").mean())


def percentile(percent: float) -> Statistic:
    """The percentile at index ⌊n·p⌋ of n sorted values."""
    return lambda slowdowns: ordered_percentile(slowdowns, percent)


def slowdown(
    run: Run, statistic: Statistic, *, above: float = 0, up_to: float = float("inf")
) -> float:
    """A statistic of the slowdowns of flows larger than `above` bytes and at most `up_to`."""
    sizes = run.completed.numbers("size_bytes")
    chosen = run.completed.numbers("slowdown")[(sizes > above) & (sizes <= up_to)]
    return statistic(np.sort(chosen))


def by_size(run: Run, statistic: Statistic, edges: Sequence[float]) -> Array:
    """A statistic in each size class. A class reaches from the previous edge, or zero, to its own
    edge.
    """
    lows = (0, *edges[:-1])
    return np.array(
        [
            slowdown(run, statistic, above=low, up_to=high)
            for low, high in zip(lows, edges, strict=True)
        ]
    )


def by_seed(runs: Runs, label: str, statistic: Statistic, edges: Sequence[float]) -> Array:
    """A statistic by seed (rows) and size class (columns)."""
    return np.array([by_size(run, statistic, edges) for run in of(runs, label)])


def ratios(
    runs: Runs, label: str, rival: str, statistic: Statistic, edges: Sequence[float]
) -> Array:
    """The ratio of a statistic to a rival's, by seed and size class."""
    ours, theirs = (by_seed(runs, each, statistic, edges) for each in (label, rival))
    found: Array = ours / theirs
    return found


@dataclass(frozen=True)
class Change:
    """The relative difference of a statistic from a rival's."""

    all: Average
    """Over all flows of the range."""
    best: float
    """In the size class with the lowest mean."""


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
    """The relative difference of a statistic from a rival's, for flows larger than `above` and at
    most `up_to`. Paired by seed, as equal seeds have equal flows.
    """

    def changes(low: float, high: float) -> list[float]:
        def within(run: Run) -> float:
            return slowdown(run, statistic, above=low, up_to=high)

        return [ours / theirs - 1 for ours, theirs in pairs(runs, label, rival, within)]

    bounds = [above, *(edge for edge in edges if above < edge < up_to), min(up_to, edges[-1])]
    parts = [float(np.mean(changes(low, high))) for low, high in pairwise(bounds)]
    return Change(Average.of(changes(above, up_to)), min(parts))
