"""The outcome of a comparison with uet-htsim: numbers, and whether they are close enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import mean, stdev

__all__ = ["COUNTS", "TIMES", "ExactOutcome", "Quantity", "SeededOutcome"]

TIMES = ("mean_ps", "tail_ps")
COUNTS = ("trimmed", "retransmitted", "marked_acks", "acks")
_TIME_TOLERANCE = 0.02
"""Tolerance of a mean time outside of the range over recorded seeds, as a fraction of the recorded
mean.
"""
_COUNT_TOLERANCE = 0.05
_MANY = 1000
"""Larger counts are compared relatively, smaller counts by standard errors."""
_STANDARD_ERRORS = 3


@dataclass(frozen=True)
class ExactOutcome:
    """The outcome of the exact cases of one group and mode, compared flow by flow."""

    group: str
    mode: str
    cases: int
    same: int
    """The number of cases in which every flow ends at the recorded picosecond."""
    worst_ps: int
    """The largest difference: our time minus the recorded time."""
    acks: tuple[int, int] | None
    """The number of cases with the recorded number of ACKs, and the number of cases in which ACKs
    are compared.
    """

    @property
    def passed(self) -> bool:
        """Whether all cases equal the recordings."""
        acks = self.acks is None or self.acks[0] == self.acks[1]
        return self.same == self.cases and acks


@dataclass(frozen=True)
class Quantity:
    """A number over several seeds, recorded and ours."""

    name: str
    recorded: list[float]
    """The recorded value for each seed."""
    ours: list[float]

    @property
    def passed(self) -> bool:
        """Whether our numbers agree with the recorded ones. Our mean of a time must be in the
        recorded range, or close to the recorded mean. A large count must be close to the recorded
        mean; a small count may differ by as much as chance explains.
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
    """The outcome of an experiment over several seeds."""

    name: str
    quantities: list[Quantity] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether all quantities agree with the recordings."""
        return all(quantity.passed for quantity in self.quantities)


def _variance(values: Sequence[float]) -> float:
    return stdev(values) ** 2 if len(values) > 1 else 0.0
