"""The plan of a reproduction: figures at a scale, their scenarios checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from incast.campaign.campaign import Campaign, CampaignResult
from incast.campaign.checked_run import CheckedRun
from incast.campaign.watch import Watch
from incast.errors import PaperError, ResultsError
from incast.experiment import cores
from incast.names import hint
from incast.papers.framework.paper import Figure, Paper, RunPlan, Scale
from incast.results import Results
from incast.scenario import Scenario

__all__ = ["Estimate", "Plan", "checked_run", "plan"]


@dataclass(frozen=True)
class Estimate:
    """Cost of figures."""

    runs: int
    hops: float
    seconds: float
    """On as many cores as there are."""


class Plan:
    """Figures of a paper at a scale, with their scenarios checked."""

    def __init__(self, paper: Paper, scale: Scale, figures: Sequence[Figure]) -> None:
        self.paper = paper
        self.scale = scale
        self.figures = figures
        checked: dict[str, dict[str, CheckedRun]] = {}
        for figure in figures:
            planned = figure.runs(scale)
            checked[figure.id] = {label: checked_run(each) for label, each in planned.items()}
        self._checked = checked

    def runs(self, figure: Figure) -> Mapping[str, CheckedRun]:
        """The runs of a figure by label."""
        return self._checked[figure.id]

    def estimate(self, figures: Sequence[Figure] | None = None) -> Estimate:
        """Cost of these figures; by default, of all."""
        chosen = self.figures if figures is None else figures
        runs = {run.identity: run for figure in chosen for run in self.runs(figure).values()}
        hops = sum(run.hops for run in runs.values())
        seconds = sum(run.seconds for run in runs.values()) / cores()
        return Estimate(len(runs), hops, seconds)

    def carry_out(
        self,
        store: Path,
        *,
        jobs: int | None = None,
        force: bool = False,
        watch: Watch | None = None,
    ) -> CampaignResult[Path]:
        """Runs all scenarios; their results folders are kept."""
        campaign = Campaign(_folder, store, jobs=jobs, force=force, watch=watch)
        return campaign.run(run for runs in self._checked.values() for run in runs.values())


def checked_run(plan: RunPlan) -> CheckedRun:
    """Checks a scenario, before any is run: a misspelt key must not cost an hour."""
    return CheckedRun(Scenario(plan.scenario), plan.hops)


def _folder(results: Results) -> Path:
    """What is kept of a run: all results together do not fit into memory."""
    if results.folder is None:
        raise ResultsError("is stored nowhere", file=results.name)
    return results.folder


def plan(paper: Paper, scale: Scale, only: Sequence[str] = ()) -> Plan:
    """Plans figures of a paper, by default all; checks their scenarios.

    Raises:
        PaperError: The paper has no such figure.
    """
    known = {figure.id: figure for figure in paper.figures}
    for name in only:
        if name not in known:
            what = f"paper {paper.name} has no figure `{name}`"
            raise PaperError(what, hint=hint(name, known))
    figures = [figure for figure in paper.figures if not only or figure.id in only]
    return Plan(paper, scale, figures)
