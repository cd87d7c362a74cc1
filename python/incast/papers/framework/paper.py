"""What a paper shows and claims, as plain data: figures with their scenarios, charts and claims.

A figure is a short file that builds one :class:`Figure`. It says what is run at which scale, what
is drawn, and what the paper claims; nothing in it runs or draws anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from incast.measure.run import Runs
from incast.papers.framework.explanation import Text
from incast.present.units import ratio_text

if TYPE_CHECKING:
    from incast.present.charts import Chart

__all__ = ["Claim", "Figure", "Kind", "Paper", "RunPlan", "Runs", "Scale", "Values"]

Values: TypeAlias = Mapping[str, float]
"""What was measured: a number for each run that matters, or one under an empty name."""

_Choice = TypeVar("_Choice")


class Scale(Enum):
    """How large the runs are."""

    QUICK = "quick"
    FULL = "full"

    def pick(self, *, quick: _Choice, full: _Choice) -> _Choice:
        """One of two, by scale."""
        return quick if self is Scale.QUICK else full


@dataclass(frozen=True)
class RunPlan:
    """One run that a figure needs."""

    scenario: Mapping[str, Any]
    """As for :class:`incast.Scenario`. Figures that give equal ones share the run."""
    packet_hops: float
    """About how many there will be: for progress and estimates, not for results."""


class Kind(Enum):
    """What a paper says, and so what can be checked."""

    NUMBER = "number"
    """A number in the text."""
    TREND = "trend"
    """A relation in the text."""
    FIGURE = "figure"
    """A trend that the text draws from a figure; the figure's values are not in the text."""
    THEORY = "theory"
    """Follows from a formula."""


@dataclass(frozen=True)
class Claim:
    """What a paper claims, how it is measured, and how close is close enough."""

    id: str
    says: str
    """The claim in our words."""
    claimed: str
    """What the paper gives for it."""
    measure: Callable[[Runs], Values]
    holds: Callable[[Values], bool]
    tolerance: str
    """How close is close enough, and why."""
    kind: Kind = Kind.FIGURE
    where: str = ""
    """Where it stands, if not where the figure does."""
    trend: Callable[[Values], bool] | None = None
    """Of a claim with a number: whether at least its direction is right."""
    full_only: bool = False
    """Whether it can be judged only at the paper's own size."""
    show: Callable[[float], str] = ratio_text
    """How one of the values is written."""
    note: Text = ""
    """What the reader must know in any case: a reading, a choice."""
    explanation: Text = ""
    """Our best explanation if it does not hold."""


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper."""

    id: str
    """As the command line has it."""
    title: str
    where: str
    """Where it stands in the paper and in other versions of it."""
    runs: Callable[[Scale], Mapping[str, RunPlan]] = lambda scale: {}
    """What is run, by label."""
    charts: Mapping[str, Callable[[Runs], Chart]] = field(default_factory=dict)
    """What is drawn, by the name of the panel's file."""
    claims: Sequence[Claim] = ()
    setup: str = ""
    """What is run, in words."""
    scaled: str = ""
    """What `quick` cuts down; empty if nothing."""


@dataclass(frozen=True)
class Paper:
    """A paper, figure by figure."""

    name: str
    title: str
    source: str
    """Authors, where, when."""
    figures: Sequence[Figure]
    readings: Sequence[str] = ()
    """What the paper leaves open, and what we do."""
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
