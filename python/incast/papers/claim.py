"""A claim of a paper, with its measurement: a row of the scoreboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from incast.measure.run import Runs
from incast.papers.explanation import Text
from incast.papers.variations import Variation
from incast.present.units import ratio_text

if TYPE_CHECKING:
    from incast.measure.statistics import Average, Median

__all__ = ["Claim", "Kind", "Measured", "Values"]

Values: TypeAlias = Mapping[str, float]
"""Measured values by label; a single value has an empty label. Over several seeds it is their mean
or median.
"""

Measured: TypeAlias = Mapping[str, "float | Average | Median"]
"""Measured values by label; a single value has an empty label. Over several seeds it includes their
spread.
"""


class Kind(Enum):
    """The kind of a row: how a statement of the paper is checked, or what else the row is."""

    NUMBER = "number"
    """A number in the paper's text."""
    TREND = "trend"
    """A relation in the paper's text."""
    FIGURE = "figure"
    """A trend that the text reads from a figure, without giving values."""
    THEORY = "theory"
    """A consequence of a formula, or of the inputs of runs. It tests the program, not the paper."""
    READING = "reading"
    """A claim under a reading that is not the default. Only the default's row counts."""
    OURS = "ours"
    """Our own expectation, beyond the paper."""

    @property
    def counts(self) -> bool:
        """Whether the row is a measured statement of the paper, and counts in the tally."""
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
    """The name of the measured quantity, with its unit if values have none."""
    kind: Kind = Kind.FIGURE
    where: str = ""
    """The place in the paper, if it differs from the figure's."""
    trend: Callable[[Values], bool] | None = None
    """For a claim with a number, the condition under which at least the trend holds."""
    full_only: bool = False
    """Whether the claim can be judged only at the paper's own size."""
    show: Callable[[float], str] = ratio_text
    """Format of one value."""
    reading: str = ""
    """The name of the reading, for a claim shown beside the default's row. Its id is the default's
    with a suffix.
    """
    note: Text = ""
    """A remark that is always shown: a reading, a choice."""
    explanation: Text = ""
    """The likely reason, shown if the claim does not hold."""
    replaced: Text = ""
    """If another measure or rule was used first: which one, its result, and why it was replaced."""
    variations: Sequence[Variation] = ()
    """Variations: the same measure and rule under other choices."""
    distance: Callable[[Values], float] | None = None
    """The distance of measured values from the claim, which tells which variation is nearest.
    Without it, only verdicts are compared.
    """

    @property
    def number(self) -> str:
        """The number of the claim in the paper's list, which all parts of the claim share: `B12`
        for `B12-hpcc`.
        """
        return self.id.partition("-")[0]

    @property
    def default(self) -> str:
        """The id of the default's claim beside which it is shown; empty if there is none."""
        return self.id.rpartition("-")[0] if self.reading else ""
