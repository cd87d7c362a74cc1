"""Figure 3.9: the attacker's share with several QPs, under three kinds of enforcement."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np
from incast.measure.run import Run
from incast.measure.statistics import Average
from incast.papers.claim import Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.panels import averaged
from incast.papers.seeds import average
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text

from incast_papers.isolation.algorithms import UNCONTROLLED, Enforcement
from incast_papers.isolation.metrics import attackers_share
from incast_papers.isolation.networks import seeds
from incast_papers.isolation.testbed import QPS, SETTLED, parallel_testbed
from incast_papers.isolation.words import WORDS

_UNCONTROLLED_QPS = 16
_SEEDS = 5


def with_qps(enforcement: Enforcement, qps: int) -> str:
    """The label of runs with this number of QPs."""
    return f"{enforcement.label}, {qps} QPs"


def _no_cc(arbitration: str) -> str:
    return f"no CC, {_UNCONTROLLED_QPS} QPs, {arbitration}"


_seeds = partial(seeds, full=_SEEDS, quick=3)


def _run(enforcement: Enforcement, qps: int, seed: int) -> RunPlan:
    return parallel_testbed(enforcement, qps, seed=seed)


def _uncontrolled(arbitration: str, seed: int) -> RunPlan:
    return parallel_testbed(
        Enforcement.QP,
        _UNCONTROLLED_QPS,
        seed=seed,
        label=UNCONTROLLED,
        arbitration=arbitration,
    )


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for enforcement in Enforcement:
        for qps in QPS:
            make = partial(_run, enforcement, qps)
            planned |= _seeds(scale, with_qps(enforcement, qps), make)
    for arbitration in ("round-robin", "fifo"):
        planned |= _seeds(scale, _no_cc(arbitration), partial(_uncontrolled, arbitration))
    return planned


def _of_run(qps: int, run: Run) -> float:
    return attackers_share(run, qps, *SETTLED)


def _share(runs: Runs, label: str, qps: int) -> Average:
    return average(runs, label, partial(_of_run, qps))


def _shares(runs: Runs, enforcement: Enforcement) -> Measured:
    return {f"{qps} QPs": _share(runs, with_qps(enforcement, qps), qps) for qps in QPS}


def _shares_without(runs: Runs) -> Mapping[str, Average]:
    return {
        arbitration: _share(runs, _no_cc(arbitration), _UNCONTROLLED_QPS)
        for arbitration in ("round-robin", "fifo")
    }


def _fair(qps: int) -> float:
    """The attacker's share per QP: k of k + 1."""
    return qps / (qps + 1)


def _grows_below(values: Values) -> bool:
    shares = [values[f"{qps} QPs"] for qps in QPS]
    grows = all(later > sooner - 0.01 for sooner, later in pairwise(shares))
    return grows and all(share < _fair(qps) for qps, share in zip(QPS[1:], shares[1:], strict=True))


def _draw(runs: Runs) -> Chart:
    qps = np.array(QPS, dtype=float)
    drawn = []
    for colour, enforcement in enumerate(Enforcement):
        found = [_share(runs, with_qps(enforcement, count), count) for count in QPS]
        drawn.append(averaged(enforcement.label, qps, found, colour))
    fair = np.array([_fair(count) for count in QPS])
    drawn.append(Curve("k/(k + 1)", qps, fair, 7, dash="dotted", group="k/(k + 1)"))
    at_16 = np.array([float(_UNCONTROLLED_QPS)])
    none = np.array([_shares_without(runs)["round-robin"].mean])
    drawn.append(Curve(UNCONTROLLED, at_16, none, 5, mark="dots", group=UNCONTROLLED))
    return Chart(
        "share",
        "The attacker's share of the bottleneck",
        Axis("QPs of the attacker, k", Quantity.COUNT, lower=0),
        Axis("share of the throughput", Quantity.RATIO, lower=0, upper=1),
        drawn,
        note=f"Means over seeds ({_SEEDS} at full size), with their 95 % intervals; "
        f"{SETTLED[0] * 1e3:g} to {SETTLED[1] * 1e3:g} ms. The victim has one QP.",
    )


FIGURE = WORDS.figure(
    "fig3_9",
    runs=_plan,
    charts={"share": _draw},
    claims=[
        WORDS.claim(
            "D01",
            measure=lambda runs: _shares(runs, Enforcement.DESTINATION),
            holds=lambda values: 0.70 <= values[f"{QPS[-1]} QPs"] <= 0.77,
            trend=lambda values: any(0.70 <= values[f"{qps} QPs"] <= 0.77 for qps in QPS),
            show=percent_text,
        ),
        WORDS.claim(
            "D02",
            measure=lambda runs: _shares(runs, Enforcement.DESTINATION),
            holds=_grows_below,
            show=percent_text,
        ),
        WORDS.claim(
            "D03",
            measure=lambda runs: _shares(runs, Enforcement.QP),
            holds=lambda values: (
                values["16 QPs"] >= 0.9
                and all(abs(values[f"{qps} QPs"] - _fair(qps)) <= 0.05 for qps in QPS)
            ),
            trend=lambda values: values["16 QPs"] >= 0.85,
            show=percent_text,
        ),
        WORDS.claim(
            "D04",
            measure=_shares_without,
            holds=lambda values: abs(values["round-robin"] - 0.5) <= 0.01,
            show=percent_text,
        ),
        WORDS.claim(
            "D05",
            measure=lambda runs: {
                "2 QPs": _share(runs, with_qps(Enforcement.DESTINATION, 2), 2),
            },
            holds=lambda values: abs(values["2 QPs"] - 0.6) <= 0.03,
            trend=lambda values: 0.52 < values["2 QPs"] < 2 / 3,
            show=percent_text,
        ),
    ],
)
