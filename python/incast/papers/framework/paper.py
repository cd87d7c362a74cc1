"""A paper as plain data: figures with their scenarios, charts and claims.

A figure is a short file that builds one :class:`Figure`. It names scenarios by scale, charts,
and claims; nothing in it runs or draws anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from incast.measure.run import Runs
from incast.papers.framework.claim import Claim
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

    @cached_property
    def written(self) -> ScenarioText:
        """The scenario as a text, which is not checked."""
        return read(self.scenario)

    @property
    def kind(self) -> Literal["network", "fabric"]:
        """What the scenario is of."""
        return "fabric" if "fabric" in self.scenario else "network"


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
