"""Table II: throughput. What the claims of all its rows are, and its first row, of the incasts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from incast.fluid.lgc import poisson_equilibrium
from incast.measure.statistics import Average
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure, Runs
from incast.papers.framework.seeds import pairs
from incast.papers.lgc.algorithms import (
    DCTCP,
    LGC,
    LGC_POISSON,
    LGC_TWO,
    NO_EXP,
    NO_EXP_TWO,
)
from incast.papers.lgc.figures.fig7 import TWO_WAITING
from incast.papers.lgc.metrics import goodput
from incast.papers.lgc.networks import COUNTS, FULL_LINK, incast_name, incasts, of
from incast.present.units import rate_text

PAYLOAD_NOTE = (
    f"Payload, in the second half of the runs; a full link has {FULL_LINK / 1e9:.3f} Gb/s of it."
)


@dataclass(frozen=True)
class Row:
    """The common parts of a row's claims. Its values have the one that is judged first."""

    traffic: str
    """The traffic of the row, in words."""
    metric: str
    """The quantity that is judged, in words."""
    throughput_of: Callable[[Runs, str], Measured]
    """Throughput under an algorithm, in bit/s."""
    ratio_of: Callable[[Runs, str], Measured]
    """Throughput under an algorithm over that under DCTCP."""
    explanation: Text
    where: str = ""

    def throughput(
        self, number: str, label: str, gbps: float, kind: Kind = Kind.NUMBER, note: Text = ""
    ) -> Claim:
        """Under one algorithm."""
        return Claim(
            number,
            f"throughput of {self.traffic} under {label}",
            where=self.where,
            claimed=f"{gbps} Gb/s",
            metric=self.metric,
            measure=lambda runs: self.throughput_of(runs, label),
            holds=lambda values: abs(next(iter(values.values())) / (gbps * 1e9) - 1) <= 0.01,
            trend=lambda values: abs(next(iter(values.values())) / (gbps * 1e9) - 1) <= 0.03,
            tolerance="within 1 %; as a trend, within 3 %",
            kind=kind,
            show=rate_text,
            note=(PAYLOAD_NOTE, note),
            explanation=self.explanation,
        )

    def ratio(
        self, number: str, label: str, paper: float, kind: Kind = Kind.NUMBER, note: Text = ""
    ) -> Claim:
        """Under one algorithm over that under DCTCP."""
        return Claim(
            number,
            f"throughput of {self.traffic}, {label} over DCTCP",
            where=self.where,
            claimed=f"{paper:.3f}",
            metric=f"{self.metric}, over DCTCP's",
            measure=lambda runs: self.ratio_of(runs, label),
            holds=lambda values: abs(next(iter(values.values())) - paper) <= 0.01,
            trend=lambda values: abs(next(iter(values.values())) - paper) <= 0.03,
            tolerance="within 0.01; as a trend, within 0.03",
            kind=kind,
            show=lambda value: f"{value:.3f}",
            note=note,
            explanation=self.explanation,
        )


def _throughputs(counts: Sequence[int]) -> Callable[[Runs, str], Measured]:
    """The mean over these numbers of flows, and each, with intervals over seeds."""

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


def _marked_early(_: Runs) -> str:
    *loads, last = (f"{flows * poisson_equilibrium(flows).share:.3f}" for flows in COUNTS)
    return (
        "5 flows use less: their packets meet by chance before the link is full, are marked, and "
        "hold the rates down. The closed equation of Poisson arrivals, (1 − ρ)·e^ρ = x with "
        f"ρ = S·x, gives ρ = {', '.join(loads)} and {last} for 5, 20 and 40 flows of the full "
        "link; the paper does not say how many flows its number is for (L21-many)."
    )


_INCASTS = Row(
    traffic="incasts",
    metric="mean of 5, 20 and 40 flows",
    throughput_of=_throughputs(COUNTS),
    ratio_of=_ratios,
    explanation=_marked_early,
)
_MANY = dataclasses.replace(
    _INCASTS,
    traffic="incasts of 20 and 40 flows",
    metric="mean of 20 and 40 flows",
    throughput_of=_throughputs(COUNTS[1:]),
)
_FULL = "DCTCP fills the link, as any protocol does that keeps a queue."
_POISSON = (
    "Delays are gaps of a Poisson process, which makes good what it missed and lets packets leave "
    "back-to-back."
)

FIGURE = Figure(
    id="table2",
    title="Throughput of incasts",
    where="Table II, first row",
    setup="The runs of Fig. 7.",
    scaled="three seeds, 100 ms",
    runs=incasts(COUNTS, DCTCP, LGC, NO_EXP, LGC_TWO, NO_EXP_TWO, LGC_POISSON),
    claims=[
        _INCASTS.throughput("L20", DCTCP, 9.64, note=_FULL),
        _INCASTS.throughput("L21", LGC, 9.50),
        _INCASTS.ratio("L21-ratio", LGC, 9.50 / 9.64),
        _INCASTS.throughput("L21-two", LGC_TWO, 9.50, Kind.READING, TWO_WAITING),
        _INCASTS.ratio("L21-ratio-two", LGC_TWO, 9.50 / 9.64, Kind.READING, TWO_WAITING),
        _INCASTS.throughput("L21-poisson", LGC_POISSON, 9.50, Kind.READING, _POISSON),
        _MANY.throughput(
            "L21-many",
            LGC,
            9.50,
            Kind.READING,
            "The mean over three numbers of flows is ours; this is another.",
        ),
        _INCASTS.throughput("L22", NO_EXP, 9.52),
        _INCASTS.ratio("L22-ratio", NO_EXP, 9.52 / 9.64),
        _INCASTS.throughput("L22-two", NO_EXP_TWO, 9.52, Kind.READING, TWO_WAITING),
    ],
)
