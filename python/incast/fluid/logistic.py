"""Logistic growth, and species that compete by it: the Lotka-Volterra model behind LGC.

Teymoori et al., "Even Lower Latency, Even Better Fairness: Logistic Growth Congestion Control in
Datacenters" (LCN 2016), Eqs. (1) to (6):

    x' = r·x·(1 − x)                     one species                               (2)
    xᵢ' = rᵢ·xᵢ·(1 − Σⱼ aᵢⱼ·xⱼ)          S species                                 (4)
    aᵢᵢ = (2S − 1)/S,  aᵢⱼ = (S − 1)/S   the matrix that LGC stands on             (5)

Populations are in units of the capacity, time in units of an update interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incast.measure.series import Array

__all__ = [
    "Stay",
    "community",
    "competition",
    "equilibrium",
    "growth",
    "jacobian_eigenvalues",
]


def growth(initial: float, rate: float, time: Array) -> Array:
    """x(t) of one species, Eq. (3)."""
    import numpy as np

    grown: Array = 1 / (1 + (1 / initial - 1) * np.exp(-rate * time))
    return grown


def community(species: int) -> Array:
    """The matrix A of Eq. (5)."""
    import numpy as np

    share = (species - 1) / species
    matrix: Array = np.full((species, species), share) + np.eye(species)
    return matrix


def equilibrium(matrix: Array) -> Array:
    """The equilibrium with all populations above zero: A·x = 1."""
    import numpy as np

    solved: Array = np.linalg.solve(matrix, np.ones(len(matrix)))
    return solved


def jacobian_eigenvalues(matrix: Array, rates: Array) -> Array:
    """Eigenvalues of Eq. (4) linearised about its equilibrium, −diag(rᵢ·xᵢ*)·A, the largest real
    part first. The equilibrium is stable if all real parts are below zero.
    """
    import numpy as np

    jacobian = -np.diag(rates * equilibrium(matrix)) @ matrix
    values: Array = np.linalg.eigvals(jacobian)
    return values[np.argsort(-values.real)]


@dataclass(frozen=True)
class Stay:
    """The time between the arrival and the departure of a species."""

    arrival: float
    departure: float = float("inf")


def competition(
    stays: Sequence[Stay], *, rate: float, initial: float, end: float, step: float = 0.5
) -> tuple[Array, Array]:
    """Times, and a row of populations for each species. A species arrives with population
    `initial`.

    The matrix is that of the species present (Eq. (5) with S counted anew at every arrival and
    departure), as LGC's flows estimate it; the population of an absent species is 0.
    """
    import numpy as np
    from scipy.integrate import solve_ivp

    moments = {0.0, end, *(stay.arrival for stay in stays), *(stay.departure for stay in stays)}
    bounds = sorted(moment for moment in moments if 0 <= moment <= end)
    present = np.zeros(len(stays))
    times, populations = [], []
    for begin, finish in pairwise(bounds):
        here = np.array([stay.arrival <= begin < stay.departure for stay in stays])
        present = np.where(here, np.where(present > 0, present, initial), 0.0)
        count = max(int(here.sum()), 1)
        matrix = np.full((len(stays), len(stays)), (count - 1) / count) + np.eye(len(stays))

        def slope(_: float, x: Array, matrix: Array = matrix) -> Array:
            changed: Array = rate * x * (1 - matrix @ x)
            return changed

        grid = np.append(np.arange(begin, finish, step), finish)
        solved = solve_ivp(slope, (begin, finish), present, t_eval=grid, rtol=1e-8, atol=1e-12)
        times.append(solved.t)
        populations.append(solved.y)
        present = solved.y[:, -1]
    return np.concatenate(times), np.concatenate(populations, axis=1)
