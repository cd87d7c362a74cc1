"""Figure 3.12: the price of enforcement per pair."""

from __future__ import annotations

from functools import partial

from incast.measure.statistics import Average
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.isolation.algorithms import DCQCN, HPCC, Enforcement
from incast.papers.isolation.metrics import Groups, over_size
from incast.papers.isolation.networks import Attack, hadoop, of, seeds

_SIZES = (20_000, 110_000)
"""Bytes: the flows that the paper speaks of."""
_KINDS = (Enforcement.QP, Enforcement.PAIR)
_ALGORITHMS = (HPCC, DCQCN)


def _label(algorithm: str, enforcement: Enforcement) -> str:
    return f"{algorithm}, {enforcement.label}"


def _run(algorithm: str, enforcement: Enforcement, scale: Scale, seed: int) -> RunPlan:
    return hadoop(
        algorithm,
        Attack.NONE,
        seed,
        milliseconds=scale.pick(quick=1.0, full=50.0),
        enforcement=enforcement,
        acks_among_data=False,
    )


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for algorithm in _ALGORITHMS:
        for enforcement in _KINDS:
            make = partial(_run, algorithm, enforcement, scale)
            planned |= seeds(scale, _label(algorithm, enforcement), make, full=1)
    return planned


def _groups(runs: Runs, label: str, share: float) -> Groups:
    (run,) = of(runs, label)
    return Groups.of(run, run.completed.numbers("slowdown"), share, _SIZES)


def _range(runs: Runs, label: str, share: float) -> Measured:
    """The lowest and the highest of the groups of flows of these sizes."""
    found = _groups(runs, label, share)
    return {"lowest": found.lowest(), "highest": found.highest()}


def _penalty(runs: Runs, algorithm: str, share: float) -> Average:
    per_qp, per_pair = (_groups(runs, _label(algorithm, kind), share) for kind in _KINDS)
    return per_pair.highest_over(per_qp)


def _between(values: Values, low: float, high: float, slack: float) -> bool:
    return abs(values["lowest"] / low - 1) <= slack and abs(values["highest"] / high - 1) <= slack


_GROUPS = (
    "Groups of a hundredth of the flows, as in the figure; lowest and highest of those between 20 "
    "and 110 KB."
)

FIGURE = Figure(
    id="fig3_12",
    title="The price of enforcement per pair",
    where="Dissertation, Fig. 3.12, §3.7",
    setup="320 hosts, Hadoop traffic at 50 % load for 50 ms, without an attack; HPCC with five "
    "stages, and DCQCN beside it. Per pair, the state is kept while the pair is idle. Intervals "
    "are over the time of one run, by a bootstrap over blocks of 5 ms.",
    scaled="1 ms",
    runs=_plan,
    charts={
        "a-p999": over_size(
            "(a) p99.9 of the FCT slowdown",
            {_label(HPCC, kind): _label(HPCC, kind) for kind in _KINDS},
            99.9,
        ),
        "b-p99": over_size(
            "(b) p99 of the FCT slowdown",
            {_label(HPCC, kind): _label(HPCC, kind) for kind in _KINDS},
            99,
        ),
        "c-dcqcn": over_size(
            "(c) DCQCN, p99.9 of the FCT slowdown",
            {_label(DCQCN, kind): _label(DCQCN, kind) for kind in _KINDS},
            99.9,
        ),
    },
    claims=[
        Claim(
            "D13",
            "per QP, p99.9 of the slowdown of flows of 20 to 110 KB is 5 to 10",
            claimed="5 to 10",
            metric="p99.9 of FCT slowdown, lowest and highest group of sizes",
            measure=lambda runs: _range(runs, _label(HPCC, Enforcement.QP), 99.9),
            holds=lambda values: _between(values, 5, 10, 0.25),
            trend=lambda values: values["lowest"] >= 2.5 and values["highest"] <= 15,
            tolerance="both ends within a quarter; as a trend, within 2.5 and 15",
            kind=Kind.NUMBER,
            full_only=True,
            note=_GROUPS,
            explanation="ACKs ahead of data and a fabric that is not oversubscribed leave HPCC's "
            "queues at the last hop alone. The paper's base is higher; what it adds to it there is "
            "not in the text.",
        ),
        Claim(
            "D14",
            "per pair it is 6 to 34",
            claimed="6 to 34",
            metric="p99.9 of FCT slowdown, lowest and highest group of sizes",
            measure=lambda runs: _range(runs, _label(HPCC, Enforcement.PAIR), 99.9),
            holds=lambda values: _between(values, 6, 34, 0.25),
            trend=lambda values: values["highest"] >= 15,
            tolerance="both ends within a quarter; as a trend, 15 or more at the highest",
            kind=Kind.NUMBER,
            full_only=True,
            note=_GROUPS,
            explanation="The highest comes from flows that share the window of a long flow of "
            "their pair.",
        ),
        Claim(
            "D15",
            "p99 rises, too, but less",
            claimed="longer, less pronounced",
            metric="p99 of FCT slowdown per pair over per QP, highest group of sizes",
            measure=lambda runs: {
                "p99": _penalty(runs, HPCC, 99),
                "p99.9": _penalty(runs, HPCC, 99.9),
            },
            holds=lambda values: 1 < values["p99"] < values["p99.9"],
            tolerance="none: per pair over per QP, the highest group of each",
            kind=Kind.TREND,
            full_only=True,
        ),
        Claim(
            "D16",
            "under DCQCN enforcement per pair costs less than under HPCC",
            where="Dissertation, §3.7",
            claimed="less pronounced",
            metric="p99.9 of FCT slowdown per pair over per QP, highest group of sizes",
            measure=lambda runs: {
                algorithm: _penalty(runs, algorithm, 99.9) for algorithm in _ALGORITHMS
            },
            holds=lambda values: values[DCQCN] < values[HPCC],
            tolerance="none: p99.9 per pair over per QP, the highest group of each",
            kind=Kind.TREND,
            full_only=True,
        ),
    ],
)
