"""The effect of one multiplicative decrease on shares. Rates are in any unit.

Snyder and Lebeck, §III-B and §IV; Chiu and Jain (1989) show why it converges.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["decreased", "decreased_by_marks", "joined", "ratio"]


def joined(rates: Sequence[float], line_rate: float) -> list[float]:
    """The rates after a new flow has started at line rate."""
    return [*rates, line_rate]


def decreased(rates: Sequence[float], factor: float = 0.5) -> list[float]:
    """The rates after every flow has decreased once, as if once per RTT: shares do not change."""
    return [rate * factor for rate in rates]


def decreased_by_marks(
    rates: Sequence[float], marks_of_slowest: int = 1, factor: float = 0.5
) -> list[float]:
    """The rates after every flow has decreased once per mark. A flow's marks are in proportion to
    its packets, and so to its rate.
    """
    slowest = min(rates)
    return [rate * factor ** round(marks_of_slowest * rate / slowest) for rate in rates]


def ratio(rates: Sequence[float]) -> float:
    """The largest rate over the smallest."""
    return max(rates) / min(rates)
