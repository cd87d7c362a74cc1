"""Table II: throughput. The claims that all of its rows share, and its first row, on incasts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from incast.fluid.lgc import poisson_equilibrium
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured
from incast.papers.explanation import Text
from incast.papers.figure import Runs
from incast.papers.seeds import pairs
from incast.present.units import rate_text

from incast_papers.lgc.algorithms import (
    DCTCP,
    LGC,
    LGC_POISSON,
    LGC_TWO,
    NO_EXP,
    NO_EXP_TWO,
)
from incast_papers.lgc.metrics import goodput
from incast_papers.lgc.networks import COUNTS, FULL_LINK, incast_name, incasts, of
from incast_papers.lgc.words import WORDS


@dataclass(frozen=True)
class Row:
    """The common parts of a row's claims. The first of the measured values is judged."""

    throughput_of: Callable[[Runs, str], Measured]
    """Throughput under an algorithm, in bit/s."""
    ratio_of: Callable[[Runs, str], Measured]
    """The ratio of throughput under an algorithm to that under DCTCP."""
    values: Mapping[str, Text]
    """The texts in explanations."""

    def throughput(self, number: str, label: str, gbps: float) -> Claim:
        """A claim on throughput under one algorithm."""
        return WORDS.claim(
            number,
            measure=lambda runs: self.throughput_of(runs, label),
            holds=lambda values: abs(next(iter(values.values())) / (gbps * 1e9) - 1) <= 0.01,
            trend=lambda values: abs(next(iter(values.values())) / (gbps * 1e9) - 1) <= 0.03,
            show=rate_text,
            values={"payload_of_a_link": f"{FULL_LINK / 1e9:.3f} Gb/s", **self.values},
        )

    def ratio(self, number: str, label: str, paper: float) -> Claim:
        """A claim on the ratio of throughput to DCTCP's, under one algorithm."""
        return WORDS.claim(
            number,
            measure=lambda runs: self.ratio_of(runs, label),
            holds=lambda values: abs(next(iter(values.values())) - paper) <= 0.01,
            trend=lambda values: abs(next(iter(values.values())) - paper) <= 0.03,
            show=lambda value: f"{value:.3f}",
            values=self.values,
        )


def _throughputs(counts: Sequence[int]) -> Callable[[Runs, str], Measured]:
    """The mean throughput over these numbers of flows, and for each number, with intervals over
    seeds.
    """

    def measure(runs: Runs, label: str) -> Measured:
        rows = {
            f"{flows} flows": [goodput(run) for run in of(runs, incast_name(flows, label))]
            for flows in counts
        }
        return _with_mean(rows)

    return measure


def _ratios(runs: Runs, label: str) -> Measured:
    def ratio(flows: int) -> list[float]:
        names = (incast_name(flows, label), incast_name(flows, DCTCP))
        return [own / other for own, other in pairs(runs, *names, goodput)]

    return _with_mean({f"{flows} flows": ratio(flows) for flows in COUNTS})


def _with_mean(rows: dict[str, list[float]]) -> Measured:
    mean = np.mean(list(rows.values()), axis=0)
    return {
        f"mean of {len(rows)}": Average.of(list(mean)),
        **{name: Average.of(row) for name, row in rows.items()},
    }


def _loads(_: Runs) -> str:
    *loads, last = (f"{flows * poisson_equilibrium(flows).share:.3f}" for flows in COUNTS)
    return f"{', '.join(loads)} and {last}"


_INCASTS = Row(_throughputs(COUNTS), _ratios, {"loads": _loads})
_MANY = dataclasses.replace(_INCASTS, throughput_of=_throughputs(COUNTS[1:]))

FIGURE = WORDS.figure(
    "table2",
    runs=incasts(COUNTS, DCTCP, LGC, NO_EXP, LGC_TWO, NO_EXP_TWO, LGC_POISSON),
    claims=[
        _INCASTS.throughput("L20", DCTCP, 9.64),
        _INCASTS.throughput("L21", LGC, 9.50),
        _INCASTS.ratio("L21-ratio", LGC, 9.50 / 9.64),
        _INCASTS.throughput("L21-two", LGC_TWO, 9.50),
        _INCASTS.ratio("L21-ratio-two", LGC_TWO, 9.50 / 9.64),
        _INCASTS.throughput("L21-poisson", LGC_POISSON, 9.50),
        _MANY.throughput("L21-many", LGC, 9.50),
        _INCASTS.throughput("L22", NO_EXP, 9.52),
        _INCASTS.ratio("L22-ratio", NO_EXP, 9.52 / 9.64),
        _INCASTS.throughput("L22-two", NO_EXP_TWO, 9.52),
    ],
)
