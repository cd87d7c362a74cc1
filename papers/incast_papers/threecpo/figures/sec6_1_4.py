"""§6.1.4: latency of an idle fabric, the bandwidth limit of an all-reduce, random traffic."""

from __future__ import annotations

import numpy as np
from incast.measure.run import Run
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import percent_text

from incast_papers.threecpo.algorithms import BASELINE, control, window
from incast_papers.threecpo.metrics import LIMIT, bandwidth, cycles_text
from incast_papers.threecpo.networks import all_reduce, plan
from incast_papers.threecpo.words import WORDS

IDLE, _LONG, _RANDOM = "one transaction", "1,024 transactions, window 3", "uniform random"
_SETTLED = (0.25, 0.75)
"""The part of the run in which throughput is measured."""


def _plan(scale: Scale) -> dict[str, RunPlan]:
    count = scale.pick(quick=1000, full=4000)
    work = {"kind": "uniform-writes", "count": count}
    return {
        IDLE: all_reduce(control(BASELINE), 1, count=1),
        _LONG: all_reduce(window(3), 64, count=scale.pick(quick=128, full=1024)),
        _RANDOM: plan(
            64,
            {"scheme": "none"},
            [work],
            name="uniform",
            operations=64 * count * 4 / 64,
            fabric={"uplinks": "rotate"},
        ),
    }


def _zero_load(runs: Runs) -> Values:
    kinds = runs[IDLE].summary["latency_by_kind"]
    return {
        "write": float(kinds["write-multicast"]["mean_cycles"]),
        "read": float(kinds["read-reduction"]["mean_cycles"]),
    }


def carried(run: Run) -> float:
    """Flits per cycle on each endpoint's link, in the middle of a run of unicast writes: 9 flits to
    one endpoint, and an acknowledgement to another.
    """
    ends = run.operations.numbers("completed_cycle").astype(float)
    begin, end = (share * float(ends.max()) for share in _SETTLED)
    inside = float(np.count_nonzero((ends >= begin) & (ends < end)))
    return inside * 10 / ((end - begin) * float(run.summary["endpoints"]))


FIGURE = WORDS.figure(
    "sec6_1_4",
    runs=_plan,
    claims=[
        WORDS.claim(
            "G11",
            measure=_zero_load,
            holds=lambda values: all(900 <= each < 1000 for each in values.values()),
            trend=lambda values: 900 <= sum(values.values()) / 2 <= 1100,
            show=cycles_text,
        ),
        WORDS.claim(
            "G12",
            measure=lambda runs: {"": bandwidth(runs[_LONG])},
            holds=lambda values: 0.95 * LIMIT <= values[""] <= LIMIT,
        ),
        WORDS.claim(
            "G30",
            measure=lambda runs: {"": carried(runs[_RANDOM])},
            holds=lambda values: values[""] > 0.95,
            show=percent_text,
        ),
    ],
)
