"""Figure 15: slowdown by flow size under Hadoop traffic."""

from __future__ import annotations

from collections.abc import Callable

from incast.papers.fncc.algorithms import (
    ACKS_AMONG_DATA,
    AS_PRINTED,
    DCQCN,
    FNCC,
    HPCC,
    LHCS_FORMS,
    NO_STAGE,
    NO_WINDOW,
    ONCE_PER_ACK,
    OTHER_AVERAGE,
    PATH_RTT,
    Choice,
    Reading,
    markings,
)
from incast.papers.fncc.figures.fig14 import (
    READS_TOO_LITTLE,
    UPPER_END,
    WHY_PRINTED,
    best,
    beyond_chance,
    figure,
    other_average,
    upper_end,
)
from incast.papers.fncc.metrics import (
    HADOOP_DECILES,
    NUMBER_REPLACED,
    NUMBER_WHY,
    Change,
    change,
    mean,
    near,
    off,
    percentile,
    slowdown,
)
from incast.papers.fncc.networks import chosen, datacenter, seeds
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import RunPlan, Runs, Scale
from incast.papers.framework.seeds import average, over
from incast.papers.framework.variations import Variation
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


_AVERAGES = (AS_PRINTED, ONCE_PER_ACK)
_SETTINGS = (
    NO_WINDOW,
    NO_STAGE,
    ACKS_AMONG_DATA,
    NO_WINDOW + NO_STAGE,
    NO_WINDOW + ACKS_AMONG_DATA,
    NO_STAGE + ACKS_AMONG_DATA,
    NO_WINDOW + NO_STAGE + ACKS_AMONG_DATA,
    PATH_RTT,
)
"""What sets our setting apart from the paper's, one by one and together."""
_FEW = 2
"""Seeds of variations."""


def _more(scale: Scale) -> dict[str, RunPlan]:
    found: dict[str, RunPlan] = {}
    for choice in _SETTINGS:
        found |= _seeded(scale, HPCC, choice)
        for average_of in _AVERAGES:
            found |= _seeded(scale, FNCC, choice + average_of)
    for reading in Reading:
        for choice in LHCS_FORMS:
            found |= _seeded(scale, FNCC, choice, reading)
        for choice in markings(reading):
            found |= _seeded(scale, DCQCN, choice, reading)
    for label in (HPCC, FNCC):
        found |= _seeded(scale, label, PATH_RTT, Reading.PAPER)
    return found


def _seeded(
    scale: Scale, label: str, choice: Choice, reading: Reading = Reading.OURS
) -> dict[str, RunPlan]:
    return over(
        seeds(scale)[:_FEW],
        reading.of(choice.of(label)),
        lambda seed: chosen(datacenter(label, "fb-hadoop", scale, seed, reading), choice),
    )


def _tried(choice: Choice, *labels: str) -> Variation:
    """A choice that changes the runs of these labels."""
    swaps = {label: choice.of(label) for label in labels}
    return Variation(choice.name, swaps, seeds=_FEW, hides=OTHER_AVERAGE)


def _both(choice: Choice, fncc: Choice) -> Variation:
    """HPCC under a choice, and FNCC under one that has it in it."""
    swaps = {HPCC: choice.of(HPCC), FNCC: fncc.of(FNCC)}
    return Variation(fncc.name, swaps, seeds=_FEW, hides=OTHER_AVERAGE)


def _marked(reading: Reading) -> list[Variation]:
    return [_tried(choice, DCQCN) for choice in markings(reading)]


def _sign(runs: Runs) -> str:
    """What the average decides, in numbers of the rows' own runs."""
    (other,) = other_average(runs)
    ours, beside = (_tail_change(runs, label, HPCC).all.mean for label in (FNCC, other))
    return (
        f"The average sets the sign of the first: here {_signed(ours)} with this setting's, "
        f"{_signed(beside)} with the other one ({other}). Windows, stages, ACKs and the base RTT "
        "set its size alone: see the variations of F20."
    )


def _signed(share: float) -> str:
    return f"{'−' if share < 0 else '+'}{100 * abs(share):.1f} %"


def _tail_change(runs: Runs, label: str, rival: str) -> Change:
    return change(runs, label, rival, percentile(95), HADOOP_DECILES, up_to=_SMALL)


def tail_against(rival: str) -> Callable[[Runs], Measured]:
    """Difference of FNCC's p95 of the slowdown of flows up to 100 KB from a rival's."""

    def measure(runs: Runs) -> Measured:
        labels = (FNCC, *other_average(runs))
        found = {label: _tail_change(runs, label, rival) for label in labels}
        others = {label: found[label].all for label in other_average(runs)}
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
        distance=off(-claimed, "all"),
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
            distance=lambda values: max(abs(values[rival] + less) for rival, less in _LESS.items()),
            tolerance=f"{NUMBER_WHY}. As a trend, both lower",
            metric="p95 of the slowdown up to 100 KB, difference",
            explanation=(READS_TOO_LITTLE, _near_the_floor),
            kind=Kind.NUMBER,
            full_only=True,
            show=percent_text,
            note=(
                "The abstract's numbers are those of Fig. 15c: p95 of flows below 100 KB.",
                _sign,
                WHY_PRINTED,
            ),
            replaced=NUMBER_REPLACED,
        ),
    ],
    explanations={"F20": _near_the_floor, "F21": _near_the_floor, "F24": _near_the_floor},
    more=_more,
    ours={
        "F20": [
            *(_tried(form, FNCC) for form in LHCS_FORMS),
            *(_both(choice, choice + each) for each in _AVERAGES for choice in _SETTINGS),
        ],
        **{number: _marked(Reading.OURS) for number in ("F21", "F24")},
    },
    papers={
        "F20": [*(_tried(form, FNCC) for form in LHCS_FORMS), _tried(PATH_RTT, HPCC, FNCC)],
        **{number: _marked(Reading.PAPER) for number in ("F21", "F24")},
    },
)
