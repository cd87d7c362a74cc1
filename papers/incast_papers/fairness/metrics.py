"""Definitions of the paper's terms, as metrics and conditions, for all of its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from incast.measure.metrics import fair_after, queue_deviation, slowdown_percentile, unfairness
from incast.measure.run import Run
from incast.measure.series import curves, percentile
from incast.papers import seeds
from incast.papers.claim import Claim, Measured, Values
from incast.papers.explanation import Text
from incast.papers.figure import Runs
from incast.papers.points import Points
from incast.papers.tolerances import Condition, at_most, both, falls_to
from incast.present.units import bytes_text
from incast.time_units import PICOSECOND

from incast_papers.fairness.networks import HADOOP_MS
from incast_papers.fairness.words import WORDS

__all__ = [
    "BDP",
    "FAIRNESS",
    "HALF",
    "LARGE",
    "LAST_FIRST",
    "NEAR_ZERO",
    "RANGE_SLACK",
    "SEVERAL",
    "SMALL",
    "SOONER",
    "Fairer",
    "by_length",
    "deviations",
    "each",
    "fairness",
    "jain_bounds",
    "large_tail",
    "last_point",
    "lost",
    "medians_by_class",
    "pooled",
    "pooled_medians",
    "same_median",
    "small_tail",
    "tail_points",
    "tails_by_length",
    "trend_gone",
    "trend_halved",
]

_SHORT_PS = HADOOP_MS[2] * 1e9
LARGE = 1e6
"""Bytes: the paper's 'long flows' are larger than 1 MB."""
SMALL = 100e3
"""The size of the paper's largest small flow in bytes, about two BDPs of a rack."""
SEVERAL = 3
"""'Several times'."""
BDP = 52e3
"""The BDP of the star in bytes: 4.16 µs at 100 Gb/s."""
NEAR_ZERO = BDP / 10
"""The longest queue 'near zero' in bytes, which delays packets by a tenth of the base RTT."""


def each(measure: Callable[[Run], float], *labels: str) -> Callable[[Runs], Measured]:
    """A metric of each label; over several seeds, its median."""
    return lambda runs: {label: seeds.value(runs, label, measure) for label in labels}


# ── Fairness ─────────────────────────────────────────────────────────────────────────────────────

FAIRNESS = (
    "time from the last arrival until Jain's index stays ≥ 0.95; and time lost to unfairness, "
    "∫ (1 − index) dt"
)
"""The measure of all claims on how soon rates become fair. A time alone depends on its threshold
and ignores earlier arrivals; lost time does neither, but does not answer 'how long'.
"""


def lost(label: str) -> str:
    """The label of the time lost to unfairness."""
    return f"{label}, lost"


def fairness(
    *labels: str, rename: Callable[[str], str] = str, after_arrivals: bool = False
) -> Callable[[Runs], Measured]:
    """Both numbers of :data:`FAIRNESS` for each label, whose runs are labelled `rename(label)`.
    Lost time counts from the start or, if `after_arrivals`, from the last arrival.
    """

    def measure(runs: Runs) -> Measured:
        since = "arrivals" if after_arrivals else "start"
        times = {label: seeds.value(runs, rename(label), fair_after) for label in labels}
        return times | {
            lost(label): seeds.value(runs, rename(label), _LOST[since]) for label in labels
        }

    return measure


def _lost_after_arrivals(run: Run) -> float:
    starts = run.completed.numbers("start_ps")
    return unfairness(run, since=float(starts.max()) * PICOSECOND)


_LOST: dict[str, Callable[[Run], float]] = {"start": unfairness, "arrivals": _lost_after_arrivals}


@dataclass(frozen=True)
class Fairer:
    """The rule of all claims that rates become fair sooner: both numbers of :data:`FAIRNESS` are at
    most a given share of another label's. For a trend, one of the two suffices.
    """

    share: float
    words: str

    def holds(self, below: str, *labels: str) -> Condition:
        """Both times fall to the share."""
        return both(*self._parts(below, labels))

    def trend(self, below: str, *labels: str) -> Condition:
        """One of the two times falls to the share."""
        parts = self._parts(below, labels)
        return lambda values: any(part(values) for part in parts)

    def _parts(self, below: str, labels: Sequence[str]) -> list[Condition]:
        of_times = falls_to(self.share, below=below, labels=labels)
        of_lost = falls_to(self.share, below=lost(below), labels=[lost(each) for each in labels])
        return [of_times, of_lost]


SOONER = Fairer(0.8, "both at least 20 % less: less could be an accident; as a trend, one of them")
HALF = Fairer(0.5, "both at most half of the default's; as a trend, one of them")


def deviations(*labels: str, rename: Callable[[str], str] = str) -> Text:
    """The measure of oscillations that was used first, by label."""

    def told(runs: Runs) -> str:
        found = (queue_deviation(seeds.first(runs, rename(label))) for label in labels)
        return _listed(labels, map(bytes_text, found))

    return told


def _listed(labels: Sequence[str], values: Iterable[str]) -> str:
    return ", ".join(f"{label} {value}" for label, value in zip(labels, values, strict=True))


# ── Finish times ─────────────────────────────────────────────────────────────────────────────────


LAST_FIRST = at_most(-1)
"""A condition on slopes: flows that start last finish first."""


def trend_halved(default: str, variant: str) -> Condition:
    """Whether the variant's slope falls at most half as steeply as the default's."""
    return lambda values: values[variant] >= values[default] / 2


def trend_gone(default: str, variant: str) -> Condition:
    """A condition on slopes of finish over start: the variant rises, or falls at most a quarter as
    steeply as the default and does not meet :data:`LAST_FIRST`.
    """
    return lambda values: (
        values[variant] >= min(values[default], 0) / 4
        and not LAST_FIRST({variant: values[variant]})
    )


# ── Slowdown ─────────────────────────────────────────────────────────────────────────────────────

RANGE_SLACK = 0.2


def pooled(*labels: str) -> Text:
    """The measure of tails that was used first, by label."""
    return lambda runs: _listed(
        labels, (f"{large_tail(seeds.first(runs, label)):.1f}" for label in labels)
    )


def pooled_medians(*labels: str) -> Text:
    """The measure of long flows' median slowdown that was used first, by label."""

    def told(runs: Runs) -> str:
        found = (seeds.first(runs, label) for label in labels)
        medians = (slowdown_percentile(run, 50, above=LARGE) for run in found)
        return _listed(labels, (f"{median:.2f}" for median in medians))

    return told


_EARLY = WORDS.text("early_flows", "early", "all", "length")


def by_length(label: str) -> Text:
    """A remark on the duration of arrivals; only the first seed's is the paper's."""

    def told(runs: Runs) -> str:
        run = seeds.first(runs, label)
        flows = run.completed
        starts = flows.numbers("start_ps")
        early = starts < _SHORT_PS
        if early.all():
            return ""
        large = flows.numbers("size_bytes") > LARGE
        slowdown = flows.numbers("slowdown")
        of_early = percentile(slowdown[large & early], 99.9)
        return _EARLY.format(
            early=f"{of_early:.1f}",
            all=f"{large_tail(run):.1f}",
            length=f"{starts.max() / 1e9:.0f} ms",
        )

    return told


def large_tail(run: Run) -> float:
    """p99.9 of the slowdown of flows larger than 1 MB."""
    return slowdown_percentile(run, 99.9, above=LARGE)


def small_tail(run: Run) -> float:
    """p99.9 of the slowdown of flows up to 100 KB."""
    return slowdown_percentile(run, 99.9, up_to=SMALL)


def tail_points(runs: Runs, label: str, *, over: str = "") -> Measured:
    """The 99.9th percentile of slowdown at the points above 1 MB, by size; or its ratio to another
    label's.
    """
    points = Points.of(runs, label, 99.9)
    if over:
        points = points.over(Points.of(runs, over, 99.9))
    return _by_size(points.beyond(LARGE))


def tails_by_length(runs: Runs, label: str) -> Measured:
    """The tails over all seeds, and with the first seed alone, which has the paper's duration:
    tails grow with duration.
    """
    first = {"": seeds.first(runs, label)}
    whole = _by_size(Points.of(first, "", 99.9).beyond(LARGE))
    return {**tail_points(runs, label), **{f"seed 1, {size}": at for size, at in whole.items()}}


def last_point(runs: Runs, label: str, percentile: float) -> Measured:
    """The slowdown at the last point, of the largest hundredth of flows."""
    return {label: Points.of(runs, label, percentile).medians()[-1]}


def _by_size(points: Points) -> Measured:
    sizes = [f"to {bytes_text(size)}" for size in points.sizes]
    return dict(zip(sizes, points.medians(), strict=True))


_CLASSES = {
    "≤ 10 KB": (0, 10e3),
    "10–100 KB": (10e3, 100e3),
    "100 KB–1 MB": (100e3, 1e6),
    "> 1 MB": (1e6, float("inf")),
}


def medians_by_class(runs: Runs, default: str, variant: str) -> Values:
    """The ratio of the variant's median slowdown to the default's, by size class, with the first
    seed.
    """
    ours, theirs = seeds.first(runs, variant), seeds.first(runs, default)
    return {
        name: slowdown_percentile(ours, 50, above=low, up_to=high)
        / slowdown_percentile(theirs, 50, above=low, up_to=high)
        for name, (low, high) in _CLASSES.items()
    }


def same_median(number: str, default: str, label: str) -> Claim:
    """The claim that the median slowdown under `label` is no larger than under `default`."""

    def measure(runs: Runs) -> Measured:
        ratios = Points.of(runs, label, 50).over(Points.of(runs, default, 50))
        medians = ratios.medians()
        worst = max(range(len(medians)), key=lambda at: medians[at].median)
        middle = float(np.median([each.median for each in medians]))
        highest = f"highest, to {bytes_text(float(ratios.sizes[worst]))}"
        return {"median point": middle, highest: medians[worst]}

    def by_class(runs: Runs) -> str:
        found = medians_by_class(runs, default, label).items()
        return ", ".join(f"{ratio:.2f} {name}" for name, ratio in found)

    return WORDS.claim(
        number,
        measure=measure,
        holds=lambda values: max(values.values()) <= 1.25,
        values={"ratios_by_class": by_class},
    )


def jain_bounds(runs: Runs) -> Values:
    """Over all samples: the smallest product of Jain's index and the number of flows, and the
    largest index.
    """
    smallest, largest = float("inf"), 0.0
    for run in runs.values():
        ((times, index),) = curves(run.series, "jain_index").values()
        ((every, alive),) = curves(run.series, "active_flows").values()
        flows = alive[np.searchsorted(every, times)]
        smallest = min(smallest, float((index * flows).min()))
        largest = max(largest, float(index.max()))
    return {"smallest · N": smallest, "largest": largest}
