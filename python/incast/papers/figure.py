"""A paper as data: figures with their scenarios, charts and claims.

A figure is a short file that makes one :class:`Figure`, with its scenarios at each scale, its
charts and its claims. The file itself runs and draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from incast.measure.run import Runs
from incast.papers.claim import Claim
from incast.scenario import ScenarioText, read

if TYPE_CHECKING:
    from incast.present.charts import Chart

__all__ = ["Figure", "Paper", "RunPlan", "Runs", "Scale"]

_Choice = TypeVar("_Choice")


class Scale(Enum):
    """Size of the runs."""

    QUICK = "quick"
    FULL = "full"

    def pick(self, *, quick: _Choice, full: _Choice) -> _Choice:
        """One of two values, by scale.

        Args:
            quick: The value for short and small runs.
            full: The value for the paper's own size.
        """
        return quick if self is Scale.QUICK else full


@dataclass(frozen=True)
class RunPlan:
    """One run that a figure needs."""

    scenario: Mapping[str, Any]
    """A scenario for :class:`incast.Scenario`. Figures with equal scenarios share the run."""
    hops: float
    """Expected packet-hops, or flit-hops of a memory fabric. They serve progress and estimates, and
    do not affect results.
    """

    @cached_property
    def written(self) -> ScenarioText:
        """The scenario as text, unchecked."""
        return read(self.scenario)

    @property
    def kind(self) -> Literal["network", "fabric"]:
        """Whether the scenario is of a network or of a memory fabric."""
        return "fabric" if "fabric" in self.scenario else "network"


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper."""

    id: str
    """The name of the figure's file, and of the figure on the command line."""
    title: str
    where: str
    """The place in the paper, and in other versions of it."""
    runs: Callable[[Scale], Mapping[str, RunPlan]] = lambda scale: {}
    """Runs, by label."""
    charts: Mapping[str, Callable[[Runs], Chart]] = field(default_factory=dict)
    """Charts by the name of the panel's file."""
    claims: Sequence[Claim] = ()
    setup: str = ""
    """A description of the runs."""
    scaled: str = ""
    """A description of what `quick` cuts down; empty if nothing."""
    package: str = ""
    """The top package of the paper's code. Exceptions of that code are told with their line."""


@dataclass(frozen=True)
class Paper:
    """A paper with its figures."""

    name: str
    title: str
    summary: str
    """One line on the paper."""
    source: str
    """The authors, place and year of the publication."""
    figures: Sequence[Figure]
    readings: Sequence[str] = ()
    """Readings: our decisions where the paper leaves something open."""
    colours: Mapping[str, int] = field(default_factory=dict)
    """Indices into the palette for labels that occur in several figures."""

    def __post_init__(self) -> None:
        ids = [figure.id for figure in self.figures]
        ids += [claim.id for claim in self.claims]
        twice = sorted({each for each in ids if ids.count(each) > 1})
        assert not twice, f"paper {self.name}: {', '.join(twice)} given twice"

    @property
    def claims(self) -> list[Claim]:
        """All claims in order of figures."""
        return [claim for figure in self.figures for claim in figure.claims]
