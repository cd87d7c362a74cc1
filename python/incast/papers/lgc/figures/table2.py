"""Table II: throughput. What the claims of all its rows are, and its first row, of the incasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from incast.fluid.lgc import poisson_equilibrium
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Claim, Figure, Kind, Runs, Values
from incast.papers.lgc.algorithms import DCTCP, LGC, NO_EXP
from incast.papers.lgc.metrics import goodput
from incast.papers.lgc.networks import COUNTS, incast_name, incasts, of
from incast.present.units import rate_text


@dataclass(frozen=True)
class Row:
    """The common parts of a row's claims."""

    traffic: str
    """The traffic of the row, in words."""
    measure: Callable[[Runs, str], Values]
    """Throughput under an algorithm, in bit/s."""
    judged: str
    """Key of the value that the table has."""
    tolerance: str
    """With places for how close is close enough, and for the trend."""
    note: str
    """Note of claims on throughputs."""
    ratio_note: str
    explanation: Text
    where: str = ""

    def throughput(self, number: str, label: str, gbps: float) -> Claim:
        """Under one algorithm."""
        return Claim(
            number,
            f"throughput of {self.traffic} under {label}",
            where=self.where,
            claimed=f"{gbps} Gb/s",
            measure=lambda runs: self.measure(runs, label),
            holds=lambda values: abs(values[self.judged] / (gbps * 1e9) - 1) <= 0.01,
            trend=lambda values: abs(values[self.judged] / (gbps * 1e9) - 1) <= 0.03,
            tolerance=self.tolerance.format("1 %", "3 %"),
            kind=Kind.NUMBER,
            show=rate_text,
            note=self.note,
            explanation=self.explanation,
        )

    def ratio(self, number: str, label: str, paper: float) -> Claim:
        """Under one algorithm over that under DCTCP."""

        def measure(runs: Runs) -> Values:
            own, rival = self.measure(runs, label), self.measure(runs, DCTCP)
            return {key: own[key] / rival[key] for key in own}

        return Claim(
            number,
            f"throughput of {self.traffic}, {label} over DCTCP",
            where=self.where,
            claimed=f"{paper:.3f}",
            measure=measure,
            holds=lambda values: abs(values[self.judged] - paper) <= 0.01,
            trend=lambda values: abs(values[self.judged] - paper) <= 0.03,
            tolerance=self.tolerance.format("0.01", "0.03"),
            kind=Kind.NUMBER,
            show=lambda value: f"{value:.3f}",
            note=self.ratio_note,
            explanation=self.explanation,
        )


def _throughput(runs: Runs, label: str) -> Values:
    own = {f"{flows} flows": goodput(of(runs, incast_name(flows, label))) for flows in COUNTS}
    return {"mean": float(np.mean(list(own.values()))), **own}


def _marked_early(_: Runs) -> str:
    *loads, last = (f"{flows * poisson_equilibrium(flows).share:.3f}" for flows in COUNTS)
    return (
        "5 flows use less: their packets meet by chance before the link is full, are marked, and "
        "hold the rates down. The closed equation of Poisson arrivals, (1 − ρ)·e^ρ = x with "
        f"ρ = S·x, gives ρ = {', '.join(loads)} and {last} for 5, 20 and 40 flows, of "
        "9.643 Gb/s; the paper does not say how many flows its number is for."
    )


_INCASTS = Row(
    traffic="incasts",
    measure=_throughput,
    judged="mean",
    tolerance="mean over 5, 20 and 40 flows within {}; as a trend, within {}",
    note="Payload, in the second half of the runs; a full link has 9.643 Gb/s of it.",
    ratio_note="",
    explanation=_marked_early,
)

FIGURE = Figure(
    id="table2",
    title="Throughput of incasts",
    where="Table II, first row",
    setup="The runs of Fig. 7.",
    scaled="three seeds, 100 ms",
    runs=incasts(COUNTS, DCTCP, LGC, NO_EXP),
    claims=[
        _INCASTS.throughput("L20", DCTCP, 9.64),
        _INCASTS.throughput("L21", LGC, 9.50),
        _INCASTS.throughput("L22", NO_EXP, 9.52),
        _INCASTS.ratio("L21-ratio", LGC, 9.50 / 9.64),
        _INCASTS.ratio("L22-ratio", NO_EXP, 9.52 / 9.64),
    ],
)
