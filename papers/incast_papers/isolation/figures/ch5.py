"""Chapter 5 at 1.6 Tb/s: reactive control, skewed clocks, and 1RC over another protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from incast.measure.metrics import slowdown_percentile
from incast.measure.run import Run
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, ratio
from incast.papers.variations import varied
from incast.present.units import ratio_text

from incast_papers.isolation.algorithms import (
    DCQCN,
    HPCC,
    PERC_1RC,
    ROCC,
    ROCC_1RC,
    SWIFT,
    UNCONTROLLED,
    Choice,
)
from incast_papers.isolation.networks import datacenter, seeds
from incast_papers.isolation.words import WORDS

_SMALL = 10_000
"""The size of the largest small flow in bytes, as in Fig. 5.5."""
_SEEDS, _FEW = 5, 2
_SKEWS = [Choice(f"clocks {skew} off", {"1rc": {"clock_skew": skew}}) for skew in ("100ns", "1us")]
_FAST = Choice(
    "fair rates every 4 µs, in effect after 1", {"period": "4us", "reaction_delay": "1us"}
)
_REACTIVE = (DCQCN, HPCC, SWIFT)
_PLANNED: Mapping[str, tuple[str, Choice | None]] = {
    **{label: (label, None) for label in (UNCONTROLLED, *_REACTIVE, PERC_1RC, ROCC, ROCC_1RC)},
    **{skew.of(PERC_1RC): (PERC_1RC, skew) for skew in _SKEWS},
    **{_FAST.of(label): (label, _FAST) for label in (ROCC, ROCC_1RC)},
}
_SKEWED, _FAR_SKEWED = (skew.of(PERC_1RC) for skew in _SKEWS)


def _plan(scale: Scale) -> dict[str, RunPlan]:
    microseconds = scale.pick(quick=20.0, full=100.0)
    planned: dict[str, RunPlan] = {}
    for label, (algorithm, choice) in _PLANNED.items():
        make = partial(_run, algorithm, choice, microseconds)
        planned |= seeds(scale, label, make, full=_FEW if choice is _FAST else _SEEDS)
    return planned


def _run(algorithm: str, choice: Choice | None, microseconds: float, seed: int) -> RunPlan:
    return datacenter(algorithm, seed, microseconds=microseconds, choice=choice)


def _tail(run: Run) -> float:
    return slowdown_percentile(run, 99.9, up_to=_SMALL)


def _tails(runs: Runs, *labels: str) -> Measured:
    return {label: average(runs, label, _tail) for label in labels}


def _beside(runs: Runs, base: str, *labels: str) -> Measured:
    """The tails of all labels, and their ratios to the base's tail, paired by seed."""
    over = {f"{label} over {base}": ratio(runs, label, base, _tail) for label in labels}
    return {**_tails(runs, base, *labels), **over}


FIGURE = WORDS.figure(
    "ch5",
    runs=_plan,
    claims=[
        WORDS.claim(
            "E29",
            measure=lambda runs: _beside(runs, PERC_1RC, UNCONTROLLED, *_REACTIVE),
            holds=lambda values: all(values[label] >= 2 * values[PERC_1RC] for label in _REACTIVE),
            trend=lambda values: all(values[label] > values[PERC_1RC] for label in _REACTIVE),
            show=ratio_text,
        ),
        WORDS.claim(
            "E30",
            measure=lambda runs: _beside(runs, PERC_1RC, _SKEWED, _FAR_SKEWED),
            holds=lambda values: values[_SKEWED] <= 1.1 * values[PERC_1RC],
            trend=lambda values: values[_SKEWED] <= 1.5 * values[PERC_1RC],
            show=ratio_text,
        ),
        WORDS.claim(
            "E31",
            measure=lambda runs: _beside(runs, ROCC, ROCC_1RC),
            holds=lambda values: values[ROCC_1RC] <= 0.5 * values[ROCC],
            trend=lambda values: values[ROCC_1RC] < values[ROCC],
            distance=lambda values: values[f"{ROCC_1RC} over {ROCC}"],
            variations=[replace(varied(_FAST.name, [ROCC, ROCC_1RC]), seeds=_FEW)],
            show=ratio_text,
        ),
    ],
)
