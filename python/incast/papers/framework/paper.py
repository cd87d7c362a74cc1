"""A paper as plain data: figures with their scenarios, charts and claims.

A figure is a short file that builds one :class:`Figure`. It names scenarios by scale, charts,
and claims; nothing in it runs or draws anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from incast.measure.run import Runs
from incast.papers.framework.explanation import Text
from incast.present.units import ratio_text

if TYPE_CHECKING:
    from incast.measure.statistics import Average, Median
    from incast.present.charts import Chart

__all__ = ["Claim", "Figure", "Kind", "Measured", "Paper", "RunPlan", "Runs", "Scale", "Values"]

Values: TypeAlias = Mapping[str, float]
"""Measured values by label, or one under an empty name; of several seeds their mean or median."""

Measured: TypeAlias = Mapping[str, "float | Average | Median"]
"""Measured values by label, or one under an empty name; of several seeds with their spread."""

_Choice = TypeVar("_Choice")


class Scale(Enum):
    """Size of the runs."""

    QUICK = "quick"
    FULL = "full"

    def pick(self, *, quick: _Choice, full: _Choice) -> _Choice:
        """One of two, by scale.

        Args:
            quick: For short and small runs.
            full: For the paper's own size.
        """
        return quick if self is Scale.QUICK else full


@dataclass(frozen=True)
class RunPlan:
    """One run that a figure needs."""

    scenario: Mapping[str, Any]
    """A scenario for :class:`incast.Scenario`. Figures with equal scenarios share the run."""
    hops: float
    """Expected packet-hops, or flit-hops of a memory fabric: for progress and estimates, not for
    results.
    """


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
    """Whether it can be judged only at the paper's own size."""
    show: Callable[[float], str] = ratio_text
    """Format of one value."""
    reading: str = ""
    """Of a claim that stands beside the default's, in another reading: its name. The id is the
    default's with a suffix."""
    note: Text = ""
    """Remark for the reader in any case: a reading, a choice."""
    explanation: Text = ""
    """Our best explanation of a claim that does not hold."""
    replaced: Text = ""
    """If another measure or rule was tried first: which, its result, and why it was replaced."""

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

    def as_reading(self) -> Claim:
        """The same in a reading that is not the default."""
        return replace(self, kind=Kind.READING)


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper."""

    id: str
    """Name of its file, and on the command line."""
    title: str
    where: str
    """Place in the paper and in other versions of it."""
    runs: Callable[[Scale], Mapping[str, RunPlan]] = lambda scale: {}
    """Runs, by label."""
    charts: Mapping[str, Callable[[Runs], Chart]] = field(default_factory=dict)
    """Charts, by the name of the panel's file."""
    claims: Sequence[Claim] = ()
    setup: str = ""
    """The runs in words."""
    scaled: str = ""
    """The parts that `quick` cuts down, in words; empty if none."""


@dataclass(frozen=True)
class Paper:
    """A paper, figure by figure."""

    name: str
    title: str
    source: str
    """Authors, where, when."""
    figures: Sequence[Figure]
    readings: Sequence[str] = ()
    """Readings: choices that the paper leaves open, and ours."""
    colours: Mapping[str, int] = field(default_factory=dict)
    """A place in the palette for labels that return from figure to figure."""

    def __post_init__(self) -> None:
        ids = [figure.id for figure in self.figures]
        ids += [claim.id for claim in self.claims]
        twice = sorted({each for each in ids if ids.count(each) > 1})
        assert not twice, f"paper {self.name}: {', '.join(twice)} given twice"

    @property
    def claims(self) -> list[Claim]:
        """All claims in order of figures."""
        return [claim for figure in self.figures for claim in figure.claims]
