"""The outcome of a comparison with uet-htsim: numbers, and whether they are near enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import mean, stdev

__all__ = ["COUNTS", "TIMES", "ExactOutcome", "Quantity", "SeededOutcome"]

TIMES = ("mean_ps", "tail_ps")
COUNTS = ("trimmed", "retransmitted", "marked_acks", "acks")
_TIME_TOLERANCE = 0.02
"""The tolerance, as a part of the mean over the recorded seeds, where ours is not inside their
range.
"""
_COUNT_TOLERANCE = 0.05
_MANY = 1000
"""From so many on counts are compared relatively, else by standard errors."""
_STANDARD_ERRORS = 3


@dataclass(frozen=True)
class ExactOutcome:
    """Cases of one group and mode, flow by flow."""

    group: str
    mode: str
    cases: int
    same: int
    """Cases in which every flow ends at the recorded picosecond."""
    worst_ps: int
    """The largest difference, ours less the recorded."""
    acks: tuple[int, int] | None
    """How many cases have the recorded number of ACKs, and how many have one to compare with."""

    @property
    def passed(self) -> bool:
        """Whether all of it is the same."""
        acks = self.acks is None or self.acks[0] == self.acks[1]
        return self.same == self.cases and acks


@dataclass(frozen=True)
class Quantity:
    """A number over seeds, recorded and ours."""

    name: str
    recorded: list[float]
    """By seed."""
    ours: list[float]

    @property
    def passed(self) -> bool:
        """Whether times and counts are as recorded. A mean time of ours is inside the recorded
        range, or near its mean. A count is near the mean if it is large, else no further away than
        chance explains.
        """
        theirs, ours = mean(self.recorded), mean(self.ours)
        if self.name in TIMES:
            inside = min(self.recorded) <= ours <= max(self.recorded)
            return inside or abs(ours - theirs) <= _TIME_TOLERANCE * theirs
        if theirs >= _MANY:
            return abs(ours - theirs) <= _COUNT_TOLERANCE * theirs
        squares = [_variance(each) / len(each) for each in (self.recorded, self.ours)]
        return abs(ours - theirs) <= _STANDARD_ERRORS * sqrt(sum(squares))


@dataclass(frozen=True)
class SeededOutcome:
    """An experiment over seeds."""

    name: str
    quantities: list[Quantity] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether all quantities are as recorded."""
        return all(quantity.passed for quantity in self.quantities)


def _variance(values: Sequence[float]) -> float:
    return stdev(values) ** 2 if len(values) > 1 else 0.0
