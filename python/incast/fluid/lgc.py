"""LGC as a fluid, with the delay of its feedback.

Teymoori et al. (LCN 2016), Eqs. (10) to (13), with time in units of the update interval τ, which is
the RTT, rates in units of K, and two corrections: the estimate of Eq. (11) is the derivative of an
average over one interval (so 1/τ, which is 1 here), and Eq. (13) is the derivative of the queue,
which is never negative.

    xᵢ' = r·xᵢ·(1 − xᵢ − lᵢ)                   (10)
    lᵢ' = c(t − τᵢ) − c(t − 2τᵢ)               (11)
    c = 1 if q > 0, else 0                     (12)
    q' = Σ xᵢ − k, or 0 if that is less and q = 0   (13)

A fluid has no packets. Packets that arrive at random are also marked before the link is full. If
they are Poisson arrivals, then by PASTA the share of marked packets is the probability that an
M/D/1 queue has at least two packets: p(ρ) = 1 − (1 − ρ)·e^ρ at utilisation ρ
(:func:`marked_share`). The equilibrium is at 1 − x = p(S·x/k) (:func:`poisson_equilibrium`). There
the model is linearised, and :func:`characteristic_roots` says whether it is stable.

:func:`simulate` also has three variants, each by itself: Eq. (13) as printed, with q = Σ xᵢ − k;
marks before the link is full; flows that update once in τ, by Eq. (9), each at its own phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from incast.measure.series import Array

__all__ = [
    "Course",
    "Equilibrium",
    "characteristic_roots",
    "equilibrium",
    "largest_stable_growth",
    "marked_share",
    "poisson_equilibrium",
    "simulate",
]


@dataclass(frozen=True)
class Equilibrium:
    """The equilibrium of S flows on a link of k times their capacity."""

    share: float
    """x*, the rate of each in units of K."""
    load: float
    """l*, the share of marks."""


def equilibrium(flows: int, ratio: float = 1.0) -> Equilibrium:
    """The equilibrium of the fluid: x* = k/S and l* = (S − k)/S; 1 and 0 if the link is never
    full.
    """
    share = min(ratio / flows, 1.0)
    return Equilibrium(share, 1.0 - share)


def marked_share(utilisation: float) -> float:
    """p(ρ): the share of Poisson arrivals that find a packet waiting, beside the packet in
    transmission. In M/D/1 it is 1 − P(0) − P(1), with P(0) = 1 − ρ and P(1) = (1 − ρ)(e^ρ − 1).
    """
    import math

    return 1.0 - (1.0 - utilisation) * math.exp(utilisation)


def poisson_equilibrium(flows: int, ratio: float = 1.0, background: float = 0.0) -> Equilibrium:
    """Equilibrium of flows with Poisson arrivals: 1 − x = p(ρ), where ρ is S·x/k plus the share of
    the link taken by background traffic that does not react to marks.
    """
    from scipy.optimize import brentq

    most = min(1.0, (1.0 - background) * ratio / flows)

    def excess(x: float) -> float:
        return 1.0 - x - marked_share(flows * x / ratio + background)

    if excess(most) > 0:
        return Equilibrium(most, 1.0 - most)
    share = float(brentq(excess, 0.0, most, xtol=1e-12))
    return Equilibrium(share, 1.0 - share)


@dataclass(frozen=True)
class Course:
    """The course of the fluid over time, in units of τ."""

    times: Array
    shares: Array
    """A row for each flow."""
    loads: Array
    """Loads as the flows estimate them, by flow and time."""
    queue: Array
    """The queue, in units of K·τ."""


def simulate(
    flows: int,
    *,
    growth: float,
    initial: float,
    end: float,
    ratio: float = 1.0,
    delays: Sequence[float] | None = None,
    starts: Sequence[float] | None = None,
    phases: Sequence[float] | None = None,
    queue: Literal["integral", "excess"] = "integral",
    marks: Literal["queue", "arrivals"] = "queue",
    steps: int = 100,
) -> Course:
    """Eqs. (10) to (13) from an empty queue, by Euler's method with this many steps in τ.

    Args:
        flows: The number of flows.
        growth: r.
        initial: The initial rate of each flow, which is also the lowest.
        end: The end time.
        ratio: k, the link's capacity in units of K.
        delays: τᵢ, by default 1 for all.
        starts: The start time of each flow; by default 0.
        phases: The time within τ at which each flow updates by Eq. (9). By default flows change
            continuously.
        queue: The integral of the excess over the capacity; or, as Eq. (13) is printed, the excess.
        marks: c = 1 while there is a queue, Eq. (12), or p(Σ xᵢ/k) of Poisson arrivals and 1 while
            there is a queue.
        steps: The number of steps in τ.
    """
    import numpy as np

    step = 1.0 / steps
    count = round(end * steps)
    lag = np.rint((np.ones(flows) if delays is None else np.asarray(delays)) * steps).astype(int)
    begin = np.rint((np.zeros(flows) if starts is None else np.asarray(starts)) * steps)
    due = None if phases is None else np.rint(np.asarray(phases) * steps).astype(int) % steps
    # The integral of c up to each step; estimates of loads are its differences.
    marked = np.zeros(count + 1)
    shares, loads = np.zeros((count + 1, flows)), np.zeros((count + 1, flows))
    waiting = np.zeros(count + 1)
    shares[0] = np.where(begin <= 0, initial, 0.0)
    # Feedback is delayed, so all marks that a block needs are known when the block begins.
    block = max(int(lag.min()), 1)
    for first in range(0, count, block):
        now = np.arange(first, min(first + block, count))
        after = now[:, None]
        near, far = np.maximum(after - lag, 0), np.maximum(after - 2 * lag, 0)
        loads[now] = (marked[near] - marked[far]) / (lag * step)
        parts = np.full((len(now), flows), step) if due is None else after % steps == due
        grown = (parts * growth).T.tolist(), loads[now].T.tolist(), (after + 1 >= begin).T.tolist()
        for flow, of_flow in enumerate(zip(*grown, strict=True)):
            shares[now + 1, flow] = _shares(shares[first, flow], initial, *of_flow)
        excess = (shares[now].sum(axis=1) - ratio).tolist()
        queued = _queued(float(waiting[first]), excess, step if queue == "integral" else None)
        waiting[now + 1] = queued
        share = _marked(excess, queued, ratio) if marks == "arrivals" else waiting[now + 1] > 0
        marked[now + 1] = np.cumsum([marked[first], *(step * np.asarray(share))])[1:]
    loads[count] = loads[count - 1]
    return Course(np.arange(count + 1) * step, shares.T, loads.T, waiting)


def _shares(
    share: float,
    initial: float,
    growths: Sequence[float],
    loads: Sequence[float],
    has_begun: Sequence[bool],
) -> list[float]:
    """The shares of a flow after each of several steps, Eq. (10)."""
    found = []
    x = float(share)
    for growth, load, begun in zip(growths, loads, has_begun, strict=True):
        x = max(x + growth * x * (1 - x - load), initial) if begun else 0.0
        found.append(x)
    return found


def _marked(excess: Sequence[float], queue: Sequence[float], ratio: float) -> list[float]:
    """The share of marks in each of several steps, if packets arrive at random."""
    shares = []
    for over, full in zip(excess, queue, strict=True):
        early = marked_share(1.0 + over / ratio) if over < 0 else 0.0
        shares.append(1.0 if full > 0 else early)
    return shares


def _queued(queue: float, excess: Sequence[float], step: float | None) -> list[float]:
    """The queue after each of several steps, Eq. (13). If `step` is ``None``, Eq. (13) as
    printed.
    """
    found = []
    for over in excess:
        queue = max(over if step is None else queue + step * over, 0.0)
        found.append(queue)
    return found


def characteristic_roots(flows: int, growth: float, ratio: float = 1.0) -> Array:
    """Roots λ with the largest real parts, of Eqs. (10) and (11) with Poisson marks, linearised
    about :func:`poisson_equilibrium`, in 1/τ. The equilibrium is stable if all real parts are below
    zero.

    Deviations that leave the sum of rates unchanged cause no feedback: λ = −r·x*, S − 1 times. For
    equal deviations of all rates, marks follow with an average delay of 1.5 τ:

        λ + r·x* + r·x*·(S/k)·p′(ρ)·(e^−λ − e^−2λ)/λ = 0,  p′(ρ) = ρ·e^ρ

    Its roots are found by Newton's method from a grid over −4 < Re λ < 2, |Im λ| < 12.
    """
    import numpy as np

    decay, gain = _linear(flows, growth, ratio)
    differences = [complex(-decay)] if flows > 1 else []

    def value(root: complex) -> tuple[complex, complex]:
        one, two = np.exp(-root), np.exp(-2 * root)
        window = (one - two) / root
        slope = (2 * two - one) / root - (one - two) / root**2
        return root + decay + gain * window, 1 + gain * slope

    found: list[complex] = []
    for real in np.arange(-3.9, 2.0, 0.4):
        for imaginary in np.arange(0.05, 12.0, 0.4):
            root = complex(real, imaginary)
            for _ in range(60):
                error, slope = value(root)
                root -= error / slope
                if not np.isfinite(root) or root == 0 or abs(root) > 50:
                    break
            else:
                error, _ = value(root)
                known = any(abs(root - other) < 1e-6 for other in found)
                if abs(error) < 1e-9 and root.imag >= -1e-9 and not known:
                    found.append(root)
    roots = np.array(differences + found)
    in_order: Array = roots[np.argsort(-roots.real)]
    return in_order


def largest_stable_growth(flows: int, ratio: float = 1.0) -> float:
    """The growth rate r at which :func:`characteristic_roots` first cross the imaginary axis."""
    from scipy.optimize import brentq

    def largest(growth: float) -> float:
        return float(characteristic_roots(flows, growth, ratio)[0].real)

    return float(brentq(largest, 0.02, 3.0, xtol=1e-4))


def _linear(flows: int, growth: float, ratio: float) -> tuple[float, float]:
    """r·x*, and the gain of the feedback of marks."""
    import math

    share = poisson_equilibrium(flows, ratio).share
    utilisation = flows * share / ratio
    slope = utilisation * math.exp(utilisation)
    return growth * share, growth * share * flows / ratio * slope
