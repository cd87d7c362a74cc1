"""DCTCP as a fluid: N equal flows, and the saw-tooth that they make.

Alizadeh, Javanmard, Prabhakar: "Analysis of DCTCP: Stability, Convergence, and Fairness"
(SIGMETRICS 2011); the saw-tooth from the SIGCOMM 2010 paper. Windows and queues in packets, times
in seconds.

    W' = 1/R − W·α/(2R)·p(t − R*)
    α' = g/R·(p(t − R*) − α)
    q' = N·W/R − C, or 0 if that is less and q = 0
    p = 1 if q > K, else 0;  R = d + q/C,  R* = d + K/C
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incast.measure.series import Array

__all__ = ["Course", "Link", "SawTooth", "largest_gain", "saw_tooth", "simulate"]


@dataclass(frozen=True)
class Link:
    """A bottleneck link, and the round trip of paths through it."""

    packets_per_second: float
    """C."""
    base_rtt: float
    """d."""
    threshold: float
    """K."""

    @property
    def filled(self) -> float:
        """C·d + K: packets on the path when marking begins."""
        return self.packets_per_second * self.base_rtt + self.threshold


@dataclass(frozen=True)
class SawTooth:
    """The saw-tooth of N synchronised flows, if few packets are marked."""

    window: float
    """W*, at which marking begins."""
    alpha: float
    """α ≈ √(2/W*)."""
    amplitude: float
    """Amplitude of the queue, A ≈ ½·√(2N(C·d + K))."""
    queue_max: float
    """K + N."""


def saw_tooth(flows: int, link: Link) -> SawTooth:
    """The saw-tooth of synchronised flows."""
    window = link.filled / flows
    return SawTooth(
        window=window,
        alpha=math.sqrt(2 / window),
        amplitude=0.5 * math.sqrt(2 * flows * link.filled),
        queue_max=link.threshold + flows,
    )


def largest_gain(link: Link) -> float:
    """G < 1.386/√(2(C·d + K)): the average then spans at least one saw-tooth."""
    return 1.386 / math.sqrt(2 * link.filled)


@dataclass(frozen=True)
class Course:
    """The course of the fluid over time, in seconds and packets."""

    times: Array
    window: Array
    alpha: Array
    queue: Array


def simulate(
    flows: int, link: Link, *, gain: float = 1 / 16, end: float, step: float = 1e-6
) -> Course:
    """Integrates the model by Euler's method, from a window of one packet, α = 1 and an empty
    queue.
    """
    import numpy as np

    count = round(end / step)
    lag = round((link.base_rtt + link.threshold / link.packets_per_second) / step)
    window, alpha, queue = np.ones(count + 1), np.ones(count + 1), np.zeros(count + 1)
    for now in range(count):
        rtt = link.base_rtt + queue[now] / link.packets_per_second
        marks = 1.0 if now >= lag and queue[now - lag] > link.threshold else 0.0
        cut = window[now] * alpha[now] / 2 * marks
        window[now + 1] = max(window[now] + step * (1 - cut) / rtt, 1.0)
        alpha[now + 1] = alpha[now] + step * gain / rtt * (marks - alpha[now])
        fill = step * (flows * window[now] / rtt - link.packets_per_second)
        queue[now + 1] = max(queue[now] + fill, 0.0)
    return Course(np.arange(count + 1) * step, window, alpha, queue)
