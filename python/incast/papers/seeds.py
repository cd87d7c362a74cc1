"""Runs with several seeds under a common label."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from incast.measure.run import Run, Runs
from incast.measure.statistics import Average, Median
from incast.papers.figure import RunPlan

__all__ = [
    "MARK",
    "average",
    "difference",
    "first",
    "median",
    "median_ratio",
    "of",
    "over",
    "pairs",
    "ratio",
    "seeded",
    "value",
]

MARK = " #"
"""Separates the label from the number of the seed."""


def seeded(label: str, seed: int) -> str:
    """Label of a run with a seed."""
    return f"{label}{MARK}{seed}"


def over(numbers: Iterable[int], label: str, make: Callable[[int], RunPlan]) -> dict[str, RunPlan]:
    """Runs of a label with each of these seeds."""
    return {seeded(label, seed): make(seed) for seed in numbers}


def of(runs: Runs, label: str) -> list[Run]:
    """The runs of a label, one for each seed; or its only run."""
    if label in runs:
        return [runs[label]]
    chosen = [run for name, run in runs.items() if name.rpartition(MARK)[0] == label]
    assert chosen, f"no run `{label}`"
    return chosen


def average(runs: Runs, label: str, metric: Callable[[Run], float]) -> Average:
    """Mean and confidence interval of a metric over the seeds of a label."""
    return Average.of([metric(run) for run in of(runs, label)])


def first(runs: Runs, label: str) -> Run:
    """The run of a label; of several seeds, the first."""
    return of(runs, label)[0]


def value(runs: Runs, label: str, metric: Callable[[Run], float]) -> float | Median:
    """A metric of a label's only run; over several seeds, its median and range."""
    found = [metric(run) for run in of(runs, label)]
    return found[0] if len(found) == 1 else Median.of(found)


def median(runs: Runs, label: str, metric: Callable[[Run], float]) -> Median:
    """Median and range of a metric over the seeds of a label."""
    return Median.of([metric(run) for run in of(runs, label)])


def median_ratio(runs: Runs, label: str, other: str, metric: Callable[[Run], float]) -> Median:
    """Median and range of a metric's ratio to another label's, paired by seed."""
    return Median.of([ours / theirs for ours, theirs in pairs(runs, label, other, metric)])


def ratio(runs: Runs, label: str, other: str, metric: Callable[[Run], float]) -> Average:
    """Mean and confidence interval of a metric's ratio to another label's, paired by seed, as equal
    seeds have equal traffic.
    """
    return Average.of([ours / theirs for ours, theirs in pairs(runs, label, other, metric)])


def difference(runs: Runs, label: str, other: str, metric: Callable[[Run], float]) -> Average:
    """Mean and confidence interval of a metric's difference from another label's, paired by
    seed.
    """
    return Average.of([ours - theirs for ours, theirs in pairs(runs, label, other, metric)])


def pairs(
    runs: Runs, label: str, other: str, metric: Callable[[Run], float]
) -> list[tuple[float, float]]:
    """The metrics of two labels, paired by seed."""
    both = zip(of(runs, label), of(runs, other), strict=True)
    return [(metric(run), metric(beside)) for run, beside in both]
