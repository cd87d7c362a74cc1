"""Figure 15: slowdown by flow size under Hadoop traffic."""

from __future__ import annotations

from collections.abc import Callable

from incast.papers.fncc.algorithms import DCQCN, FNCC, FNCC_PLAIN, HPCC
from incast.papers.fncc.figures.fig14 import best, beyond_chance, figure, speedup_costs
from incast.papers.fncc.metrics import (
    HADOOP_DECILES,
    NUMBER_WHY,
    change,
    mean,
    near,
    percentile,
    slowdown,
)
from incast.papers.framework.explanation import Recorded
from incast.papers.framework.paper import Claim, Kind, Runs, Values
from incast.papers.framework.seeds import average, seeded
from incast.present.units import percent_text

_SMALL = 100e3
"""Bytes: the paper's 'shorter than 100 KB'."""


def _near_the_floor(runs: Runs) -> str:
    fncc, hpcc, dcqcn = (
        average(runs, label, lambda run: slowdown(run, percentile(95), up_to=_SMALL)).mean
        for label in (FNCC, HPCC, DCQCN)
    )
    return (
        f"FNCC's p95 is {fncc:.2f}, HPCC's {hpcc:.2f}, DCQCN's {dcqcn:.1f}, and 1 is an empty "
        f"network: the paper's numbers would need {fncc / (1 - _LESS[HPCC]):.1f} under HPCC and "
        f"{fncc / (1 - _LESS[DCQCN]):.0f} under DCQCN. Flows of one packet cannot be told anything "
        "in time; they gain from shorter queues of others, and HPCC's are short."
    )


_LESS = {HPCC: 0.274, DCQCN: 0.889}
"""By how much FNCC's p95 is lower, in the paper."""

_EXPLANATION = (
    _near_the_floor,
    Recorded(
        "Of what exceeds 1, 22 % goes for flows up to 7 KB.",
        {seeded(FNCC, 1): "11757d8961298deb"},
    ),
    "How DCQCN marks at 100 Gb/s is not in the paper.",
)


def tail_against(rival: str) -> Callable[[Runs], Values]:
    """Difference of FNCC's p95 of the slowdown of flows up to 100 KB from a rival's."""

    def measure(runs: Runs) -> Values:
        found, other = (
            change(runs, label, rival, percentile(95), HADOOP_DECILES, up_to=_SMALL)
            for label in (FNCC, FNCC_PLAIN)
        )
        return {
            "all": found.all.mean,
            "±": found.all.half_width,
            "up to": found.best,
            FNCC_PLAIN: other.all.mean,
        }

    return measure


def _tail(number: str, rival: str, claimed: float) -> Claim:
    return Claim(
        number,
        f"flows below 100 KB have a lower p95 of the slowdown under FNCC than under {rival}",
        claimed=f"−{100 * claimed:.1f} %",
        measure=tail_against(rival),
        holds=near(-claimed, "all"),
        trend=beyond_chance,
        tolerance=f"{NUMBER_WHY}; mean of the seeds. As a trend, lower by more than the 95 % "
        "interval",
        explanation=_EXPLANATION,
        kind=Kind.NUMBER,
        full_only=True,
        show=percent_text,
    )


FIGURE = figure(
    15,
    "Hadoop",
    "fb-hadoop",
    HADOOP_DECILES,
    claims=[
        _tail("F20", HPCC, 0.274),
        _tail("F21", DCQCN, 0.889),
        Claim(
            "F24",
            "FNCC reduces FCT by 27.4 % against HPCC and 88.9 % against DCQCN",
            where="abstract",
            claimed="−27.4 %, −88.9 %",
            measure=lambda runs: {
                rival: tail_against(rival)(runs)["all"] for rival in (HPCC, DCQCN)
            },
            holds=lambda values: near(-0.274, HPCC)(values) and near(-0.889, DCQCN)(values),
            trend=lambda values: all(value < 0 for value in values.values()),
            tolerance=f"{NUMBER_WHY}. As a trend, both lower",
            explanation=_EXPLANATION,
            kind=Kind.NUMBER,
            full_only=True,
            show=percent_text,
            note="The abstract's numbers are those of Fig. 15c: p95 of flows below 100 KB.",
        ),
        best(
            "F22-hadoop",
            "FNCC has the best average slowdown at all sizes",
            "best at all sizes",
            mean,
            HADOOP_DECILES,
            speedup_costs("11757d8961298deb"),
        ),
    ],
)
