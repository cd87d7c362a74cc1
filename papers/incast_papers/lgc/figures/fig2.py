"""Figure 2: ten species that arrive and depart."""

from __future__ import annotations

import numpy as np
from incast.fluid import lgc, logistic
from incast.papers.claim import Values
from incast.papers.figure import Runs
from incast.present.charts import Axis, Chart, Curve, Quantity

from incast_papers.lgc.words import WORDS

_SPECIES = 10
_APART = 40.0
"""Time between two arrivals. With ten species, the last arrives at 360, and all are present until
400.
"""
_STAYS = [logistic.Stay(_APART * number, 600 + _APART * number) for number in range(_SPECIES)]
_END = 1000.0


def _competition_chart(_: Runs) -> Chart:
    times, populations = logistic.competition(_STAYS, rate=0.5, initial=0.01, end=_END)
    # An absent species is not drawn.
    present = np.where(populations > 0, populations, np.nan)
    name = f"species 1 to {_SPECIES}, in order of arrival"
    drawn = [
        Curve(f"species {number + 1}", times, own, number / (_SPECIES - 1), group=name)
        for number, own in enumerate(present)
    ]
    total = Curve("total", times, populations.sum(axis=0), 1, dash="dashed", group="total")
    return Chart(
        "competition",
        "Ten species that come and go",
        Axis("time / interval", Quantity.COUNT),
        Axis("population / capacity", Quantity.RATIO, lower=0, upper=1),
        [*drawn, total],
    )


def _shares(_: Runs) -> Values:
    times, populations = logistic.competition(_STAYS, rate=0.5, initial=0.01, end=_END)
    together = populations[:, np.searchsorted(times, 590.0)]
    fewer = populations[:, np.searchsorted(times, 790.0)]
    return {
        "smallest of 10": float(together.min()),
        "largest of 10": float(together.max()),
        "smallest of 5": float(fewer[fewer > 0].min()),
        "largest of 5": float(fewer.max()),
    }


def _tenths(values: Values) -> bool:
    tenth = all(abs(values[f"{end} of 10"] - 0.1) <= 0.001 for end in ("smallest", "largest"))
    return tenth and all(
        abs(values[f"{end} of 5"] - 0.2) <= 0.02 for end in ("smallest", "largest")
    )


def _stability(_: Runs) -> Values:
    found = {}
    for species in (2, 5, 10, 40):
        matrix = logistic.community(species)
        eigenvalues = logistic.jacobian_eigenvalues(matrix, np.full(species, 0.5))
        found[f"smallest eigenvalue of A, S = {species}"] = float(np.linalg.eigvalsh(matrix).min())
        found[f"S·x*, S = {species}"] = float(species * logistic.equilibrium(matrix)[0])
        found[f"largest of the Jacobian, S = {species}"] = float(eigenvalues[0].real)
    return found


def _stable(values: Values) -> bool:
    positive = all(value > 0 for name, value in values.items() if "of A" in name)
    shares = all(abs(value - 1) < 1e-9 for name, value in values.items() if "x*" in name)
    falls = all(value < 0 for name, value in values.items() if "Jacobian" in name)
    return positive and shares and falls


def _sated(_: Runs) -> Values:
    found = {}
    for flows, ratio in [(4, 4), (4, 6)]:
        stays = lgc.equilibrium(flows, ratio)
        course = lgc.simulate(flows, growth=0.3, initial=0.006, end=200, ratio=ratio)
        found[f"x*, S = {flows}, k = {ratio}"] = stays.share
        found[f"l*, S = {flows}, k = {ratio}"] = stays.load
        found[f"x at 200 τ, S = {flows}, k = {ratio}"] = float(course.shares[0, -1])
    return found


FIGURE = WORDS.figure(
    "fig2",
    charts={"competition": _competition_chart},
    claims=[
        WORDS.claim(
            "L02",
            measure=_shares,
            holds=_tenths,
            show=lambda value: f"{value:.4f}",
        ),
        WORDS.claim(
            "L03",
            measure=_stability,
            holds=_stable,
        ),
        WORDS.claim(
            "L13",
            measure=_sated,
            holds=lambda values: all(
                abs(value - (0 if name.startswith("l") else 1)) < 1e-3
                for name, value in values.items()
            ),
        ),
    ],
)
