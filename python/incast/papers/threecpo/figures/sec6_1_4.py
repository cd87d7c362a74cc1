"""§6.1.4: an idle fabric's latency, the most that an all-reduce can have, random traffic."""

from __future__ import annotations

import numpy as np

from incast.measure.run import Run
from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.threecpo.algorithms import BASELINE, control, window
from incast.papers.threecpo.metrics import LIMIT, bandwidth, cycles_text
from incast.papers.threecpo.networks import all_reduce, plan
from incast.present.units import percent_text

IDLE, _LONG, _RANDOM = "one transaction", "1,024 transactions, window 3", "uniform random"
_SETTLED = (0.25, 0.75)
"""Part of the run in which throughput is counted."""


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
    """Flits that each endpoint's link carries a cycle, in the middle of a run of unicast writes:
    9 to one endpoint, and an acknowledgement to another.
    """
    ends = run.operations.numbers("completed_cycle").astype(float)
    begin, end = (share * float(ends.max()) for share in _SETTLED)
    inside = float(np.count_nonzero((ends >= begin) & (ends < end)))
    return inside * 10 / ((end - begin) * float(run.summary["endpoints"]))


FIGURE = Figure(
    id="sec6_1_4",
    title="The fabric itself",
    where="Dissertation, §6.1.4",
    setup="One transaction on an idle fabric of 64; a long all-reduce with a window of 3; unicast "
    "writes to others at random, in the middle half of the run.",
    scaled="128 transactions; 1,000 writes each instead of 4,000",
    runs=_plan,
    claims=[
        Claim(
            "G11",
            "zero-load latency is just below 1,000 cycles",
            claimed="just below 1,000",
            metric="latency of one operation alone, cycles",
            measure=_zero_load,
            holds=lambda values: all(900 <= each < 1000 for each in values.values()),
            trend=lambda values: 900 <= sum(values.values()) / 2 <= 1100,
            tolerance="900 to 1,000 for writes and reads; as a trend, 10 % for their mean",
            kind=Kind.NUMBER,
            show=cycles_text,
            explanation="Six crossings of 150 cycles, 8 hops and the 8 further flits of a packet "
            "make 916; memory's 180 cycles more make a read's 1,096. Both below 1,000 would need "
            "a memory of less than 84 cycles.",
        ),
        Claim(
            "G12",
            "an all-reduce has an effective bandwidth of at most two",
            claimed="2",
            metric="effective bandwidth, flits per cycle and endpoint",
            measure=lambda runs: {"": bandwidth(runs[_LONG])},
            holds=lambda values: 0.95 * LIMIT <= values[""] <= LIMIT,
            tolerance="95 % of 2 · 9/10 = 1.8, and never more: for each 9-flit packet one of 1 "
            "flit goes the other way",
            kind=Kind.THEORY,
        ),
        Claim(
            "G30",
            "uniform random traffic has more than 95 % throughput",
            claimed="> 95 %",
            metric="flits carried by links to endpoints, of one a cycle",
            measure=lambda runs: {"": carried(runs[_RANDOM])},
            holds=lambda values: values[""] > 0.95,
            tolerance="flits on links to endpoints, of one a cycle",
            kind=Kind.NUMBER,
            show=percent_text,
        ),
    ],
)
