"""Results of a paper's figures: drawn charts, judged claims."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from incast.campaign import workers
from incast.campaign.campaign import CampaignResult
from incast.errors import ResultsError
from incast.experiment import cores
from incast.measure.run import Runs
from incast.papers.figure import Figure, Paper, Scale
from incast.papers.mistakes import own_code
from incast.papers.plans import Plan
from incast.papers.scoreboard import Row, Scoreboard, judged
from incast.results import load

if TYPE_CHECKING:
    from incast.present.charts import Chart, Curve
    from incast.present.charts.chart import Dash

__all__ = ["FigureResult", "PaperResult", "lettered", "styled"]


@dataclass(frozen=True)
class FigureResult:
    """A figure with its charts and its judged claims."""

    figure: Figure
    charts: Mapping[str, Chart]
    """Charts by the name of the panel's file."""
    rows: Sequence[Row]
    identities: Mapping[str, str]
    """Identities of the figure's runs, by label."""
    failures: Sequence[str]
    damaged: Sequence[str] = ()
    """Messages on results that cannot be read."""

    def of(self, figure: Figure) -> FigureResult:
        """The same result for the given figure, after it was computed from a copy in another
        process.
        """
        claims = zip(self.rows, figure.claims, strict=True)
        rows = [dataclasses.replace(row, claim=claim, figure=figure) for row, claim in claims]
        return dataclasses.replace(self, figure=figure, rows=rows)


class PaperResult:
    """Results of a paper's figures.

    Attributes:
        paper: The paper.
        scale: The size of the runs.
        jobs: The number of cores to use.
        figures: The results of its figures.
        scoreboard: The judged claims.
        failures: Messages of runs that failed.

    Args:
        plan: The plan of the figures.
        campaign: The results of the runs.
        jobs: The number of cores to use; by default, all cores.
    """

    def __init__(self, plan: Plan, campaign: CampaignResult[Path], jobs: int | None = None) -> None:
        self.paper: Paper = plan.paper
        self.scale: Scale = plan.scale
        self.jobs = jobs or cores()
        tasks = [_Task.of(figure, plan, campaign) for figure in plan.figures]
        found = workers.each(
            _Task.carry_out, tasks, self.jobs, "judged claims", memory=_Task.memory
        )
        self.figures = [each.of(figure) for figure, each in zip(plan.figures, found, strict=True)]
        damaged = {message for each in self.figures for message in each.damaged}
        self.failures = sorted({*map(str, campaign.failures.values()), *damaged})
        self.scoreboard = Scoreboard([row for each in self.figures for row in each.rows])


_BYTES_PER_BYTE = 25.0
"""Bytes of memory per byte of a figure's results on disk; 13 to 25 for the largest figures."""


@dataclass(frozen=True)
class _Task:
    """A figure whose charts are to be drawn, and whose claims are to be judged."""

    figure: Figure
    scale: Scale
    colours: Mapping[str, int]
    identities: Mapping[str, str]
    """Identities of the figure's runs, by label."""
    folders: Mapping[str, Path]
    """Results folders of the runs that succeeded, by label."""
    failures: Sequence[str]

    @staticmethod
    def of(figure: Figure, plan: Plan, campaign: CampaignResult[Path]) -> _Task:
        identities = {label: run.identity for label, run in plan.runs(figure).items()}
        failures = [
            f"{label}: {campaign.failures[identity]}"
            for label, identity in identities.items()
            if identity in campaign.failures
        ]
        folders = {
            label: campaign.kept[identity]
            for label, identity in identities.items()
            if identity in campaign.kept
        }
        return _Task(figure, plan.scale, plan.paper.colours, identities, folders, failures)

    def memory(self) -> float:
        """Estimated bytes of memory, from the size of the results on disk."""
        files = (file for folder in set(self.folders.values()) for file in folder.iterdir())
        try:
            return _BYTES_PER_BYTE * sum(file.stat().st_size for file in files)
        except OSError:
            # The error is reported when the files are read.
            return 0.0

    def carry_out(self) -> FigureResult:
        """Draws the figure's charts and judges its claims."""
        if self.failures:
            return self._failed(self.failures)
        try:
            runs = {label: load(folder) for label, folder in self.folders.items()}
            charts = _charts(self.figure, runs, self.colours)
            rows = judged(self.figure, runs, self.scale, [])
        except ResultsError as error:
            # A file was damaged since the run; other figures are not affected.
            return self._failed([str(error)], [str(error)])
        return FigureResult(self.figure, charts, rows, self.identities, [])

    def _failed(self, failures: Sequence[str], damaged: Sequence[str] = ()) -> FigureResult:
        rows = judged(self.figure, {}, self.scale, failures)
        return FigureResult(self.figure, {}, rows, self.identities, failures, damaged)


def _charts(figure: Figure, runs: Runs, colours: Mapping[str, int]) -> dict[str, Chart]:
    drawn = {}
    for panel, draw in figure.charts.items():
        with own_code(figure.package, f"chart {panel} of figure {figure.id}"):
            chart = draw(runs)
            curves = styled(_coloured(chart.curves, colours))
            drawn[panel] = dataclasses.replace(chart, title=chart.title.strip(), curves=curves)
    titles = lettered([chart.title for chart in drawn.values()])
    return {
        panel: dataclasses.replace(chart, title=title)
        for (panel, chart), title in zip(drawn.items(), titles, strict=True)
    }


def lettered(titles: Sequence[str]) -> list[str]:
    """Titles of a figure's panels, with letters unless the figure has its own."""
    if len(titles) == 1 or any(title.startswith("(") for title in titles):
        return list(titles)
    return [f"({letter}) {title}" for letter, title in zip(ascii_lowercase, titles, strict=False)]


def _coloured(curves: Sequence[Curve], colours: Mapping[str, int]) -> list[Curve]:
    """Curves with the colour that their label has in all figures of the paper."""
    return [
        dataclasses.replace(curve, colour=colours.get(curve.group or curve.label, curve.colour))
        for curve in curves
    ]


def styled(curves: list[Curve]) -> list[Curve]:
    """Curves with line styles beside colours. Each run has a style; if runs have several curves,
    each curve of a run has one. Unchanged if the figure sets styles itself, or has too many curves.
    """
    if any(curve.dash != "solid" or isinstance(curve.colour, float) for curve in curves):
        return curves
    groups: dict[str, list[str]] = {}
    for curve in curves:
        groups.setdefault(curve.group or curve.label, []).append(curve.label)
    several = max(map(len, groups.values()), default=0) > 1
    labels = list(groups)

    def place(curve: Curve) -> int:
        group = curve.group or curve.label
        return groups[group].index(curve.label) if several else labels.index(group)

    places = [place(curve) for curve in curves]
    if max(places, default=0) >= 2 * len(_STYLES):
        return curves
    return [
        dataclasses.replace(curve, dash=_STYLES[at % len(_STYLES)])
        for curve, at in zip(curves, places, strict=True)
    ]


_STYLES: Sequence[Dash] = ("solid", "dashed", "dotted", "dashdot")
