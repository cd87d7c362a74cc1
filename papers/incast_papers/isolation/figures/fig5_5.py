"""Figures 5.5 and 5.6: flows smaller than a BDP, at 1.6 Tb/s."""

from __future__ import annotations

from functools import partial

from incast.measure.metrics import slowdown_percentile
from incast.measure.run import Run
from incast.measure.series import percentile
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, ratio
from incast.papers.tolerances import close_to
from incast.papers.variations import Variation
from incast.present.units import ratio_text

from incast_papers.isolation.algorithms import (
    COLOURS,
    NO_DEMAND,
    PERC,
    PERC_1RC,
    PERC_THRESHOLD,
    Choice,
)
from incast_papers.isolation.metrics import over_size
from incast_papers.isolation.networks import datacenter, seeds
from incast_papers.isolation.words import WORDS

_LABELS = (PERC, PERC_THRESHOLD, PERC_1RC)
_SMALL = 10_000
"""The size of the largest small flow in bytes."""
_THRESHOLD = 153_000
_SEEDS = 3
_MICROSECONDS = 500.0


_EARLY = 100.0
"""Microseconds of arrivals, short enough that queues have not grown yet."""
_AT_FIRST = f"the first {_EARLY:g} µs"


def _variation(name: str, seeds: int) -> Variation:
    """A variation of all three labels. Longer labels come first, as s-PERC's label is the beginning
    of others.
    """
    labels = sorted(_LABELS, key=len, reverse=True)
    return Variation(name, {label: f"{label} [{name}]" for label in labels}, seeds=seeds)


_BEGINNING = _variation(_AT_FIRST, 2)
_WITHOUT_DEMAND = _variation(NO_DEMAND.name, 1)


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for label in _LABELS:
        microseconds = scale.pick(quick=50.0, full=_MICROSECONDS)
        make = partial(_run, label, microseconds, None)
        planned |= seeds(scale, label, make, full=_SEEDS)
        without = partial(_run, label, microseconds, NO_DEMAND)
        planned |= seeds(scale, NO_DEMAND.of(label), without, full=1)
        early = partial(_run, label, scale.pick(quick=20.0, full=_EARLY), None)
        planned |= seeds(scale, f"{label} [{_BEGINNING.name}]", early, full=_BEGINNING.seeds)
    return planned


def _run(label: str, microseconds: float, choice: Choice | None, seed: int) -> RunPlan:
    return datacenter(label, seed, microseconds=microseconds, choice=choice)


def _small(runs: Runs, share: float, *labels: str) -> Measured:
    metric = partial(_of_small, share)
    return {label: average(runs, label, metric) for label in labels or _LABELS}


def _large(runs: Runs, share: float, *labels: str) -> Measured:
    metric = partial(_of_large, share)
    return {label: average(runs, label, metric) for label in labels or _LABELS}


def _of_small(share: float, run: Run) -> float:
    return slowdown_percentile(run, share, up_to=_SMALL)


def _of_large(share: float, run: Run) -> float:
    return slowdown_percentile(run, share, above=_THRESHOLD)


def _gain(runs: Runs) -> Measured:
    """The throughput gain for large flows, as a ratio of slowdowns: for a given size, throughput is
    inverse to slowdown.
    """
    medians = partial(_of_large, 50)
    return {"1RC over threshold": ratio(runs, PERC_THRESHOLD, PERC_1RC, medians)}


def _tails_of_first_half(runs: Runs) -> str:
    """The tails of flows in the first half of the arrivals, in words."""
    found = {label: average(runs, label, _of_first_half).mean for label in _LABELS}
    return ", ".join(f"{label} {ratio_text(value)}" for label, value in found.items())


def _of_first_half(run: Run) -> float:
    """p99.9 slowdown of small flows that start in the first half of the arrivals."""
    flows = run.completed
    starts, sizes = flows.numbers("start_ps"), flows.numbers("size_bytes")
    first = starts <= starts.max() / 2
    return percentile(flows.numbers("slowdown")[first & (sizes <= _SMALL)], 99.9)


FIGURE = WORDS.figure(
    "fig5_5",
    runs=_plan,
    charts={
        "a-p999": over_size(
            "(a) p99.9 of the FCT slowdown (Fig. 5.5)",
            {label: label for label in _LABELS},
            99.9,
            colours=COLOURS,
        ),
        "b-median": over_size(
            "(b) median of the FCT slowdown (Fig. 5.6)",
            {label: label for label in _LABELS},
            50,
            colours=COLOURS,
        ),
    },
    claims=[
        WORDS.claim(
            "E01",
            measure=lambda runs: _small(runs, 99.9, PERC),
            holds=close_to(8, 0.25),
            trend=lambda values: values[PERC] >= 4,
            variations=[_WITHOUT_DEMAND],
            values={"tails_of_first_half": _tails_of_first_half},
        ),
        WORDS.claim(
            "E02",
            measure=lambda runs: _small(runs, 99.9, PERC_1RC),
            holds=close_to(3, 0.25),
            trend=lambda values: values[PERC_1RC] <= 4,
            variations=[_WITHOUT_DEMAND],
        ),
        WORDS.claim(
            "E03",
            measure=lambda runs: _small(runs, 99.9),
            holds=lambda values: values[PERC_THRESHOLD] == min(values.values()),
            variations=[_WITHOUT_DEMAND, _BEGINNING],
        ),
        WORDS.claim(
            "E04",
            measure=lambda runs: _large(runs, 99.9, PERC_THRESHOLD, PERC_1RC),
            holds=lambda values: abs(values[PERC_1RC] / values[PERC_THRESHOLD] - 1) <= 0.15,
            variations=[_WITHOUT_DEMAND],
        ),
        WORDS.claim(
            "E05",
            measure=_gain,
            holds=lambda values: 1.14 <= values["1RC over threshold"] <= 1.28,
            trend=lambda values: values["1RC over threshold"] > 1.05,
            variations=[_WITHOUT_DEMAND],
        ),
        WORDS.claim(
            "E06",
            measure=lambda runs: _small(runs, 50, PERC_THRESHOLD, PERC_1RC),
            holds=lambda values: abs(values[PERC_1RC] / values[PERC_THRESHOLD] - 1) <= 0.1,
            variations=[_WITHOUT_DEMAND],
        ),
    ],
)
