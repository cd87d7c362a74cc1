"""Section 7.2.2: effect of few table entries for collectives on unicast traffic."""

from __future__ import annotations

import numpy as np
from incast.measure.run import Run
from incast.measure.series import Array
from incast.papers.claim import Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average
from incast.present.units import count_text

from incast_papers.threecpo.algorithms import window
from incast_papers.threecpo.metrics import Metric, cycles_text
from incast_papers.threecpo.networks import plan, with_seeds
from incast_papers.threecpo.words import WORDS

_ENTRIES = (None, 64, 16, 4)
"""The most operations that a switch combines at a time; `None` means no limit."""
_COLLECTIVE, _UNICAST = 0, 1
"""Numbers of the two groups."""


def _label(entries: int | None) -> str:
    return "no limit" if entries is None else f"{entries} entries"


def _run(entries: int | None, count: int, seed: int) -> RunPlan:
    """Half of 64 endpoints do all-reduces; the endpoints of the other half write to one another."""
    fabric = {} if entries is None else {"table_entries": entries}
    return plan(
        64,
        window(3),
        [
            {"kind": "transactions", "group": _COLLECTIVE, "count": count},
            {"kind": "uniform-writes", "group": _UNICAST, "count": 8 * count},
        ],
        name=f"tables {_label(entries)}",
        operations=count * 32,
        seed=seed,
        fabric=fabric,
        group=[{"random": 32}, {"random": 32, "disjoint": True}],
    )


def _plan(scale: Scale) -> dict[str, RunPlan]:
    count = scale.pick(quick=8, full=64)
    planned: dict[str, RunPlan] = {}
    for entries in _ENTRIES:
        planned |= with_seeds(scale, _label(entries), _run, entries, count)
    return planned


def _unicast(run: Run, column: str) -> Array:
    """A column of the unicast writes."""
    chosen = run.operations.categories("kind").are("write")
    return np.asarray(run.operations.numbers(column)[chosen], dtype=float)


def mean_unicast(run: Run) -> float:
    """Mean latency of unicast writes, in cycles."""
    return float(_unicast(run, "latency_cycles").mean())


def unicast_rate(run: Run) -> float:
    """Unicast writes of all endpoints per 1,000 cycles, until the last one completes."""
    ends = _unicast(run, "completed_cycle")
    return 1000 * len(ends) / float(ends.max())


def _each(runs: Runs, metric: Metric) -> Measured:
    return {_label(entries): average(runs, _label(entries), metric) for entries in _ENTRIES}


_FIRST, _LAST = _label(_ENTRIES[0]), _label(_ENTRIES[-1])

FIGURE = WORDS.figure(
    "sec7_2",
    runs=_plan,
    claims=[
        WORDS.claim(
            "G34",
            measure=lambda runs: _each(runs, mean_unicast),
            holds=lambda values: values[_LAST] >= 2 * values[_FIRST],
            trend=lambda values: values[_LAST] > values[_FIRST],
            show=cycles_text,
        ),
        WORDS.claim(
            "G34-throughput",
            measure=lambda runs: _each(runs, unicast_rate),
            holds=lambda values: values[_LAST] <= 0.9 * values[_FIRST],
            trend=lambda values: values[_LAST] < values[_FIRST],
            show=count_text,
        ),
    ],
)
