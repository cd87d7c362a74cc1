"""Results of a paper's figures: charts drawn, claims judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from incast.campaign.campaign import CampaignResult
from incast.errors import ResultsError
from incast.measure.run import Runs
from incast.papers.framework.paper import Figure, Paper, Scale
from incast.papers.framework.plan import Plan
from incast.papers.framework.scoreboard import Row, Scoreboard, judged
from incast.results import load

if TYPE_CHECKING:
    from incast.present.charts import Chart, Curve
    from incast.present.charts.chart import Dash

__all__ = ["FigureResult", "PaperResult", "lettered", "styled"]


@dataclass(frozen=True)
class FigureResult:
    """A figure with its charts, and its claims judged."""

    figure: Figure
    charts: Mapping[str, Chart]
    """By the name of the panel's file."""
    rows: Sequence[Row]
    identities: Mapping[str, str]
    """Of its runs, by label."""
    failures: Sequence[str]
    damaged: Sequence[str] = ()
    """Messages of results that cannot be read."""


class PaperResult:
    """Results of a paper's figures.

    Attributes:
        paper: The paper.
        scale: At which size.
        figures: Its figures.
        scoreboard: Its claims.
        failures: Messages of runs that failed.
    """

    def __init__(self, plan: Plan, campaign: CampaignResult[Path]) -> None:
        self.paper: Paper = plan.paper
        self.scale: Scale = plan.scale
        # One figure after the other: their runs do not fit into memory together.
        self.figures = [_figure_result(figure, plan, campaign) for figure in plan.figures]
        damaged = {message for each in self.figures for message in each.damaged}
        self.failures = sorted({*map(str, campaign.failures.values()), *damaged})
        self.scoreboard = Scoreboard([row for each in self.figures for row in each.rows])


def _figure_result(figure: Figure, plan: Plan, campaign: CampaignResult[Path]) -> FigureResult:
    checked = plan.runs(figure)
    identities = {label: run.identity for label, run in checked.items()}
    failures = [
        f"{label}: {campaign.failures[identity]}"
        for label, identity in identities.items()
        if identity in campaign.failures
    ]
    damaged: list[str] = []
    if not failures:
        try:
            runs = {label: load(campaign.kept[each]) for label, each in identities.items()}
            charts = _charts(figure, runs, plan.paper.colours)
            rows = judged(figure, runs, plan.scale, failures)
        except ResultsError as error:
            # A file that was damaged since: other figures can do without it.
            failures = damaged = [str(error)]
        else:
            return FigureResult(figure, charts, rows, identities, failures)
    rows = judged(figure, {}, plan.scale, failures)
    return FigureResult(figure, {}, rows, identities, failures, damaged)


def _charts(figure: Figure, runs: Runs, colours: Mapping[str, int]) -> dict[str, Chart]:
    drawn = {panel: draw(runs) for panel, draw in figure.charts.items()}
    titles = lettered([chart.title for chart in drawn.values()])
    return {
        panel: dataclasses.replace(
            chart, title=title, curves=styled(_coloured(chart.curves, colours))
        )
        for (panel, chart), title in zip(drawn.items(), titles, strict=True)
    }


def lettered(titles: Sequence[str]) -> list[str]:
    """Titles of a figure's panels, each with its letter, unless the figure gives letters itself."""
    if len(titles) == 1 or any(title.startswith("(") for title in titles):
        return list(titles)
    return [f"({letter}) {title}" for letter, title in zip(ascii_lowercase, titles, strict=False)]


def _coloured(curves: Sequence[Curve], colours: Mapping[str, int]) -> list[Curve]:
    """Gives each label the colour that it has in all figures of the paper."""
    return [
        dataclasses.replace(curve, colour=colours.get(curve.group or curve.label, curve.colour))
        for curve in curves
    ]


def styled(curves: list[Curve]) -> list[Curve]:
    """Gives lines styles beside their colours: to each run its own, or where runs have several
    curves, to each of a run's; unless the figure gives styles itself, or curves are too many to be
    told apart by them.
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
