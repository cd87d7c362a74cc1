"""Figure 15: slowdown by flow size under Hadoop traffic."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from incast.papers.claim import Claim, Measured
from incast.papers.explanation import Text
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, over
from incast.papers.variations import Variation
from incast.present.units import percent_text

from incast_papers.fncc.algorithms import (
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
from incast_papers.fncc.figures.fig14 import (
    UPPER_END,
    best,
    beyond_chance,
    figure,
    other_average,
    upper_end,
)
from incast_papers.fncc.metrics import (
    HADOOP_DECILES,
    Change,
    change,
    mean,
    near,
    off,
    percentile,
    slowdown,
)
from incast_papers.fncc.networks import chosen, datacenter, seeds
from incast_papers.fncc.words import WORDS

_SMALL = 100e3
"""The paper's 'shorter than 100 KB', in bytes."""
_LESS = {HPCC: 0.274, DCQCN: 0.889}
"""The reduction of p95 by FNCC, according to the paper."""


def _p95(runs: Runs, label: str) -> float:
    """p95 of the slowdown of small flows, as a mean over seeds."""
    return average(runs, label, lambda run: slowdown(run, percentile(95), up_to=_SMALL)).mean


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
"""Differences between our setting and the paper's, one by one and combined."""
_FEW = 2
"""The number of seeds of variations."""


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
    """A variation that applies an alternative to the runs of these labels."""
    swaps = {label: choice.of(label) for label in labels}
    return Variation(choice.name, swaps, seeds=_FEW, hides=OTHER_AVERAGE)


def _both(choice: Choice, fncc: Choice) -> Variation:
    """A variation with one alternative for HPCC, and another for FNCC that includes it."""
    swaps = {HPCC: choice.of(HPCC), FNCC: fncc.of(FNCC)}
    return Variation(fncc.name, swaps, seeds=_FEW, hides=OTHER_AVERAGE)


def _marked(reading: Reading) -> list[Variation]:
    return [_tried(choice, DCQCN) for choice in markings(reading)]


def _signed(share: float) -> str:
    return f"{'−' if share < 0 else '+'}{100 * abs(share):.1f} %"


def _other(runs: Runs) -> str:
    """FNCC with the average that this setting does not use."""
    (label,) = other_average(runs)
    return label


def _change(runs: Runs, label: str) -> str:
    return _signed(_tail_change(runs, label, HPCC).all.mean)


def _tail_change(runs: Runs, label: str, rival: str) -> Change:
    return change(runs, label, rival, percentile(95), HADOOP_DECILES, up_to=_SMALL)


def tail_against(rival: str) -> Callable[[Runs], Measured]:
    """The relative difference of FNCC's p95 slowdown of flows up to 100 KB from a rival's."""

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


_VALUES: Mapping[str, Text] = {
    "p95_of_fncc": lambda runs: f"{_p95(runs, FNCC):.2f}",
    "p95_of_hpcc": lambda runs: f"{_p95(runs, HPCC):.2f}",
    "p95_of_dcqcn": lambda runs: f"{_p95(runs, DCQCN):.1f}",
    "needed_of_hpcc": lambda runs: f"{_p95(runs, FNCC) / (1 - _LESS[HPCC]):.1f}",
    "needed_of_dcqcn": lambda runs: f"{_p95(runs, FNCC) / (1 - _LESS[DCQCN]):.0f}",
    "other": _other,
    "change_of_ours": lambda runs: _change(runs, FNCC),
    "change_of_other": lambda runs: _change(runs, _other(runs)),
}
"""Numbers in remarks."""


def _tail(number: str, rival: str, claimed: float) -> Claim:
    return WORDS.claim(
        number,
        measure=tail_against(rival),
        holds=near(-claimed, "all"),
        trend=beyond_chance,
        distance=off(-claimed, "all"),
        values=_VALUES,
        show=percent_text,
    )


FIGURE = figure(
    15,
    "Hadoop",
    "fb-hadoop",
    HADOOP_DECILES,
    claims=[
        _tail("F20", HPCC, _LESS[HPCC]),
        _tail("F21", DCQCN, _LESS[DCQCN]),
        best("F22-hadoop", mean, HADOOP_DECILES),
        WORDS.claim(
            "F24",
            measure=lambda runs: {
                rival: tail_against(rival)(runs)["all"] for rival in (HPCC, DCQCN)
            },
            holds=lambda values: all(near(-_LESS[rival], rival)(values) for rival in _LESS),
            trend=lambda values: all(value < 0 for value in values.values()),
            distance=lambda values: max(abs(values[rival] + less) for rival, less in _LESS.items()),
            values=_VALUES,
            show=percent_text,
        ),
    ],
    values=_VALUES,
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
