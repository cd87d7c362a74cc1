"""The outline of a reproduction: the unchecked runs of figures at a scale.

It gives the number of runs and their time, at a small part of the cost of checking each scenario.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from incast.campaign.checked_run import seconds_on_one_core
from incast.errors import PaperError
from incast.experiment import cores
from incast.names import hint
from incast.papers.figure import Figure, Paper, RunPlan, Scale
from incast.papers.mistakes import own_code

__all__ = ["Estimate", "Outline", "outline"]


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of figures."""

    runs: int
    hops: float
    seconds: float
    """Estimated seconds on all cores."""


class Outline:
    """Figures of a paper at a scale, with their unchecked runs."""

    def __init__(self, paper: Paper, scale: Scale, figures: Sequence[Figure]) -> None:
        self.paper = paper
        self.scale = scale
        self.figures = figures
        self._planned = {figure.id: self._runs_of(figure) for figure in figures}

    def runs(self, figure: Figure) -> Mapping[str, RunPlan]:
        """The runs of a figure by label."""
        return self._planned[figure.id]

    def _runs_of(self, figure: Figure) -> Mapping[str, RunPlan]:
        with own_code(figure.package, f"code of the runs of figure {figure.id}"):
            planned = dict(figure.runs(self.scale))
            # Anything that is no run is found here, where its figure is known.
            _estimate(planned.values())
            return planned

    def estimate(self, figures: Sequence[Figure] | None = None) -> Estimate:
        """The cost of these figures, by default of all. Equal scenarios count once."""
        chosen = self.figures if figures is None else figures
        return _estimate(run for figure in chosen for run in self.runs(figure).values())


def _estimate(runs: Iterable[RunPlan]) -> Estimate:
    once = {run.written.text: run for run in runs}
    hops = sum(run.hops for run in once.values())
    seconds = sum(seconds_on_one_core(run.hops, run.kind) for run in once.values()) / cores()
    return Estimate(len(once), hops, seconds)


def outline(paper: Paper, scale: Scale, only: Sequence[str] = ()) -> Outline:
    """Makes the outline of figures of a paper, by default of all.

    Raises:
        PaperError: The paper has no such figure, or the code of its runs has a mistake.
    """
    known = {figure.id: figure for figure in paper.figures}
    for name in only:
        if name not in known:
            what = f"paper {paper.name} has no figure `{name}`"
            raise PaperError(what, hint=hint(name, known))
    figures = [figure for figure in paper.figures if not only or figure.id in only]
    return Outline(paper, scale, figures)
