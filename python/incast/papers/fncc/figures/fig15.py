"""Figure 15: slowdown by flow size under Hadoop traffic."""

from __future__ import annotations

from collections.abc import Callable

from incast.papers.fncc.algorithms import DCQCN, FNCC, HPCC
from incast.papers.fncc.figures.fig14 import (
    READS_TOO_LITTLE,
    UPPER_END,
    beside,
    best,
    beyond_chance,
    figure,
    upper_end,
)
from incast.papers.fncc.metrics import (
    HADOOP_DECILES,
    NUMBER_REPLACED,
    NUMBER_WHY,
    change,
    mean,
    near,
    percentile,
    slowdown,
)
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Runs
from incast.papers.framework.seeds import average
from incast.present.units import percent_text

_SMALL = 100e3
"""Bytes: the paper's 'shorter than 100 KB'."""
_LESS = {HPCC: 0.274, DCQCN: 0.889}
"""By how much FNCC's p95 is lower, in the paper."""


def _near_the_floor(runs: Runs) -> str:
    fncc, hpcc, dcqcn = (
        average(runs, label, lambda run: slowdown(run, percentile(95), up_to=_SMALL)).mean
        for label in (FNCC, HPCC, DCQCN)
    )
    return (
        f"FNCC's p95 is {fncc:.2f}, HPCC's {hpcc:.2f}, DCQCN's {dcqcn:.1f}, and 1 is an empty "
        f"network: the paper's numbers would need {fncc / (1 - _LESS[HPCC]):.1f} under HPCC and "
        f"{fncc / (1 - _LESS[DCQCN]):.0f} under DCQCN. Flows of one packet cannot be told anything "
        "in time; they gain from shorter queues of others."
    )


def tail_against(rival: str) -> Callable[[Runs], Measured]:
    """Difference of FNCC's p95 of the slowdown of flows up to 100 KB from a rival's."""

    def measure(runs: Runs) -> Measured:
        found = {
            label: change(runs, label, rival, percentile(95), HADOOP_DECILES, up_to=_SMALL)
            for label in (FNCC, *beside(runs))
        }
        others = {label: found[label].all for label in beside(runs)}
        whole = found[FNCC].all
        return {
            "all": whole,
            UPPER_END: upper_end(whole),
            "up to": found[FNCC].best,
            **others,
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
        metric=f"p95 of the slowdown up to 100 KB, difference from {rival}'s",
        explanation=(READS_TOO_LITTLE, _near_the_floor),
        kind=Kind.NUMBER,
        full_only=True,
        show=percent_text,
        replaced=NUMBER_REPLACED,
    )


FIGURE = figure(
    15,
    "Hadoop",
    "fb-hadoop",
    HADOOP_DECILES,
    claims=[
        _tail("F20", HPCC, _LESS[HPCC]),
        _tail("F21", DCQCN, _LESS[DCQCN]),
        best(
            "F22-hadoop",
            "FNCC has the best average slowdown at all sizes",
            "best at all sizes",
            mean,
            HADOOP_DECILES,
            READS_TOO_LITTLE,
        ),
        Claim(
            "F24",
            "FNCC reduces FCT by 27.4 % against HPCC and 88.9 % against DCQCN",
            where="abstract",
            claimed="−27.4 %, −88.9 %",
            measure=lambda runs: {
                rival: tail_against(rival)(runs)["all"] for rival in (HPCC, DCQCN)
            },
            holds=lambda values: all(near(-_LESS[rival], rival)(values) for rival in _LESS),
            trend=lambda values: all(value < 0 for value in values.values()),
            tolerance=f"{NUMBER_WHY}. As a trend, both lower",
            metric="p95 of the slowdown up to 100 KB, difference",
            explanation=(READS_TOO_LITTLE, _near_the_floor),
            kind=Kind.NUMBER,
            full_only=True,
            show=percent_text,
            note="The abstract's numbers are those of Fig. 15c: p95 of flows below 100 KB.",
            replaced=NUMBER_REPLACED,
        ),
    ],
    explanations={"F20": _near_the_floor, "F21": _near_the_floor, "F24": _near_the_floor},
)
