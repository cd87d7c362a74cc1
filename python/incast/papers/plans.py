"""The plan of a reproduction: figures at a scale, with checked scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from incast.campaign.campaign import Campaign, CampaignResult
from incast.campaign.checked_run import CheckedRun
from incast.campaign.watch import Watch
from incast.errors import ResultsError
from incast.papers.figure import Figure, RunPlan
from incast.papers.mistakes import own_code
from incast.papers.outlines import Estimate, Outline
from incast.results import Results
from incast.scenario import Scenario

__all__ = ["Plan", "checked_run"]


class Plan:
    """Figures of a paper at a scale. A scenario is checked once, even if several figures use it."""

    def __init__(self, outline: Outline) -> None:
        self.paper = outline.paper
        self.scale = outline.scale
        self.figures = outline.figures
        self._outline = outline
        self._checked: dict[str, dict[str, CheckedRun]] = {}
        known: dict[tuple[str, float], CheckedRun] = {}
        for figure in outline.figures:
            runs = self._checked[figure.id] = {}
            for label, each in outline.runs(figure).items():
                key = (each.written.text, each.hops)
                if key not in known:
                    with own_code(figure.package, f"run {label} of figure {figure.id}"):
                        known[key] = checked_run(each)
                runs[label] = known[key]

    def runs(self, figure: Figure) -> Mapping[str, CheckedRun]:
        """The runs of a figure by label."""
        return self._checked[figure.id]

    def estimate(self, figures: Sequence[Figure] | None = None) -> Estimate:
        """The cost of these figures; by default, of all."""
        return self._outline.estimate(figures)

    def carry_out(
        self,
        store: Path,
        *,
        jobs: int | None = None,
        force: bool = False,
        watch: Watch | None = None,
    ) -> CampaignResult[Path]:
        """Runs all scenarios, and keeps their results folders."""
        campaign = Campaign(_folder, store, jobs=jobs, force=force, watch=watch)
        return campaign.run(run for runs in self._checked.values() for run in runs.values())


def checked_run(plan: RunPlan) -> CheckedRun:
    """Checks a scenario before any is run, so that a misspelt key is found at once."""
    return CheckedRun(Scenario(plan.written), plan.hops)


def _folder(results: Results) -> Path:
    """The results folder, as the results of all runs do not fit into memory."""
    if results.folder is None:
        raise ResultsError("is stored nowhere", file=results.name)
    return results.folder
