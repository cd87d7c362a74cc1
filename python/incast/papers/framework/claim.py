"""A claim of a paper: a row of its scoreboard, with words for what is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from incast.measure.run import Runs
from incast.papers.framework.explanation import Text
from incast.papers.framework.variations import Variation
from incast.present.units import ratio_text

if TYPE_CHECKING:
    from incast.measure.statistics import Average, Median

__all__ = ["Claim", "Kind", "Measured", "Values"]

Values: TypeAlias = Mapping[str, float]
"""Measured values by label, or one under an empty name; of several seeds their mean or median."""

Measured: TypeAlias = Mapping[str, "float | Average | Median"]
"""Measured values by label, or one under an empty name; of several seeds with their spread."""


class Kind(Enum):
    """Kind of a row: how a statement of the paper can be checked, or a row that is none."""

    NUMBER = "number"
    """A number in the text."""
    TREND = "trend"
    """A relation in the text."""
    FIGURE = "figure"
    """A trend that the text draws from a figure; the figure's values are not in the text."""
    THEORY = "theory"
    """Follows from a formula, or from the inputs of runs: it tests the program, not the paper."""
    READING = "reading"
    """A claim in a reading that is not the default; the default's row decides."""
    OURS = "ours"
    """An expectation of ours, beyond the paper."""

    @property
    def counts(self) -> bool:
        """Whether it is a measured statement of the paper, and part of the tally."""
        return self in (Kind.NUMBER, Kind.TREND, Kind.FIGURE)


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, its measurement, and its tolerance."""

    id: str
    says: str
    """The claim in our words."""
    claimed: str
    """The paper's own number or words."""
    measure: Callable[[Runs], Measured]
    holds: Callable[[Values], bool]
    tolerance: str
    """The tolerance in words, with its reason."""
    metric: str = ""
    """Name of the measured quantity, with the unit where the values have none."""
    kind: Kind = Kind.FIGURE
    where: str = ""
    """Place in the paper, if not that of the figure."""
    trend: Callable[[Values], bool] | None = None
    """For a claim with a number: the condition that at least its direction is right."""
    full_only: bool = False
    """Whether the claim can be judged only at the paper's own size."""
    show: Callable[[float], str] = ratio_text
    """Format of one value."""
    reading: str = ""
    """The name of the reading, if the claim stands beside the default's in another reading. The id
    is then the default's with a suffix.
    """
    note: Text = ""
    """Remark for the reader in any case: a reading, a choice."""
    explanation: Text = ""
    """Our best explanation of a claim that does not hold."""
    replaced: Text = ""
    """If another measure or rule was tried first: which, its result, and why it was replaced."""
    variations: Sequence[Variation] = ()
    """Other choices of readings under which the same measure and rule are shown."""
    distance: Callable[[Values], float] | None = None
    """How far measured values are from the claim, to tell which variation comes nearest; without
    it, only the verdicts tell.
    """

    @property
    def number(self) -> str:
        """Its number in the paper's list of claims, which the parts of a claim share: of `B12-hpcc`
        it is `B12`.
        """
        return self.id.partition("-")[0]

    @property
    def default(self) -> str:
        """The id of the claim that it stands beside; empty if there is none."""
        return self.id.rpartition("-")[0] if self.reading else ""
