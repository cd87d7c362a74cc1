"""Figure 7: queues of incasts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from incast.fluid.lgc import poisson_equilibrium
from incast.measure.run import Run
from incast.papers.claim import Claim, Measured, Values
from incast.papers.explanation import Text
from incast.papers.figure import Runs
from incast.papers.seeds import average, median
from incast.present.units import percent_text

from incast_papers.lgc.algorithms import DCTCP, LGC, LGC_TWO, NO_EXP, NO_EXP_TWO
from incast_papers.lgc.metrics import (
    boxes,
    distinct_loads,
    load_correlation,
    loads,
    queue,
    queue_median,
)
from incast_papers.lgc.networks import COUNTS, LINK_RATE, PACKET, RTT, incast_name, incasts, of
from incast_papers.lgc.words import WORDS


def _poisson_loads(_: Runs) -> list[float]:
    """Loads of the link under Poisson flows, for each number of flows."""
    return [flows * poisson_equilibrium(flows).share for flows in COUNTS]


def _random_queues(runs: Runs) -> list[float]:
    """Mean queues of an M/D/1 system at these loads."""
    return [load**2 / (2 * (1 - load)) for load in _poisson_loads(runs)]


def _mean_queues(label: str) -> Callable[[Runs], list[float]]:
    return lambda runs: [_mean_queue(runs, incast_name(flows, label)) for flows in COUNTS]


def _mean_queue(runs: Runs, label: str) -> float:
    return float(np.mean([queue(run).mean() for run in of(runs, label)]))


def _listed(numbers: Callable[[Runs], Iterable[float]], form: str) -> Text:
    def told(runs: Runs) -> str:
        *first, last = (f"{number:{form}}" for number in numbers(runs))
        return f"{', '.join(first)} and {last}"

    return told


QUEUES: Mapping[str, Text] = {
    "loads": _listed(_poisson_loads, ".3f"),
    "random_queues": _listed(_random_queues, ".2g"),
    "queues": _listed(_mean_queues(LGC), ".2g"),
    "rivals": _listed(_mean_queues(DCTCP), ".2g"),
}
"""Texts on queues of random arrivals: theoretical M/D/1 queues, LGC's queues, and DCTCP's."""


def medians(metric: Callable[[Run], float], *labels: str) -> Callable[[Runs], Measured]:
    """Medians of a metric of incasts under these algorithms, for each number of flows."""
    names = [incast_name(flows, label) for flows in COUNTS for label in labels]
    return lambda runs: {name: median(runs, name, metric) for name in names}


def lower(own: str, than: str, factor: float, *, counts: int) -> Callable[[Values], bool]:
    """A condition: for at least `counts` numbers of flows, an algorithm's value is at most `factor`
    times the other's.
    """

    def holds(values: Values) -> bool:
        found = [
            values[incast_name(flows, own)] <= factor * values[incast_name(flows, than)]
            for flows in COUNTS
        ]
        return sum(found) >= counts

    return holds


def _ratios(values: Values, own: str, other: str) -> list[float]:
    return [values[incast_name(flows, own)] / values[incast_name(flows, other)] for flows in COUNTS]


def _coarseness(runs: Runs) -> Measured:
    found = {}
    for flows in COUNTS:
        acks = LINK_RATE * RTT / 8 / PACKET / flows
        name = incast_name(flows, LGC)
        found[f"{flows} flows, {acks:.0f} ACKs"] = average(runs, name, distinct_loads)
    return found


def _falls(values: Values) -> bool:
    return all(later < earlier for earlier, later in pairwise(values.values()))


def _synchronised(label: str) -> Callable[[Runs], Measured]:
    def measure(runs: Runs) -> Measured:
        alike = {
            f"correlation, {flows} flows": average(
                runs, incast_name(flows, label), load_correlation
            )
            for flows in COUNTS
        }
        many = incast_name(40, label)
        return {
            **alike,
            "l = 1": average(runs, many, lambda run: float((loads(run) == 1).mean())),
            "l = 0": average(runs, many, lambda run: float((loads(run) == 0).mean())),
        }

    return measure


def _in_step(values: Values, least: float) -> bool:
    few, _, many = (values[f"correlation, {flows} flows"] for flows in COUNTS)
    return many >= least and many >= few


def _l17(number: str, own: str) -> Claim:
    return WORDS.claim(
        number,
        measure=medians(queue_median, own, DCTCP),
        holds=lower(own, DCTCP, 0.8, counts=3),
        trend=lower(own, DCTCP, 1.0, counts=2),
        show=lambda value: f"{value:.1f}",
        values=QUEUES,
    )


def _l18(number: str, own: str, other: str) -> Claim:
    return WORDS.claim(
        number,
        measure=medians(queue_median, own, other),
        holds=lambda values: (
            _ratios(values, own, other)[0] < 1
            and _ratios(values, own, other)[1] <= 1
            and _ratios(values, own, other) == sorted(_ratios(values, own, other))
        ),
        trend=lambda values: (
            _ratios(values, own, other)[0] < 1
            and _ratios(values, own, other)[0] < _ratios(values, own, other)[2]
        ),
        show=lambda value: f"{value:.1f}",
    )


def _l18_many(number: str, own: str, other: str) -> Claim:
    def longer(values: Values, factor: float) -> bool:
        return values[other] <= factor * values[own]

    return WORDS.claim(
        number,
        measure=lambda runs: {
            label: median(runs, incast_name(40, label), queue_median) for label in (own, other)
        },
        holds=lambda values: longer(values, 0.9),
        trend=lambda values: longer(values, 1.0),
        show=lambda value: f"{value:.1f}",
    )


def _l19(number: str, label: str) -> Claim:
    return WORDS.claim(
        number,
        measure=_synchronised(label),
        holds=lambda values: _in_step(values, 0.5) and values["l = 1"] > 0.5,
        trend=lambda values: _in_step(values, 0.25) and values["l = 1"] > 0.5,
        show=percent_text,
    )


def _rows(*labels: str) -> dict[str, tuple[int, Sequence[str]]]:
    return {
        label: (colour, [incast_name(flows, label) for flows in COUNTS])
        for colour, label in zip((1, 2, 0), labels, strict=True)
    }


_PLACES = [f"{flows} flows" for flows in COUNTS]

FIGURE = WORDS.figure(
    "fig7",
    runs=incasts(COUNTS, DCTCP, LGC, NO_EXP, LGC_TWO, NO_EXP_TWO),
    charts={
        "a-boxes": boxes(
            "Queue, marked from 1 waiting packet on", _PLACES, _rows(DCTCP, NO_EXP, LGC)
        ),
        "b-boxes-two": boxes(
            "Queue, LGC's marked from 2 waiting packets on",
            _PLACES,
            _rows(DCTCP, NO_EXP_TWO, LGC_TWO),
        ),
    },
    claims=[
        _l17("L17", LGC),
        _l17("L17-two", LGC_TWO),
        WORDS.claim(
            "L17-many",
            measure=_coarseness,
            holds=_falls,
            show=lambda value: f"{value:.0f}",
        ),
        _l18("L18", LGC, NO_EXP),
        _l18("L18-two", LGC_TWO, NO_EXP_TWO),
        _l18_many("L18-many", LGC, NO_EXP),
        _l18_many("L18-many-two", LGC_TWO, NO_EXP_TWO),
        _l19("L19", NO_EXP),
        _l19("L19-two", NO_EXP_TWO),
    ],
)
