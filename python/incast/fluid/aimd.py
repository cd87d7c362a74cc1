"""The effect of one multiplicative decrease on shares: arithmetic of examples, in any unit of rate.

Snyder and Lebeck, §III-B and §IV; Chiu and Jain (1989) for why it converges at all.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["decreased", "decreased_by_marks", "joined", "ratio"]


def joined(rates: Sequence[float], line_rate: float) -> list[float]:
    """A newcomer starts at line rate beside these flows."""
    return [*rates, line_rate]


def decreased(rates: Sequence[float], factor: float = 0.5) -> list[float]:
    """Every flow decreases once, as if once per RTT: shares do not change."""
    return [rate * factor for rate in rates]


def decreased_by_marks(
    rates: Sequence[float], marks_of_slowest: int = 1, factor: float = 0.5
) -> list[float]:
    """Every flow decreases once for each mark. Marks come in proportion to packets, so to rates."""
    slowest = min(rates)
    return [rate * factor ** round(marks_of_slowest * rate / slowest) for rate in rates]


def ratio(rates: Sequence[float]) -> float:
    """The fastest rate over the slowest."""
    return max(rates) / min(rates)
