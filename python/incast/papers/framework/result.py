"""Results of a paper's figures: charts drawn, claims judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incast.measure.run import Runs
from incast.papers.framework.campaign import CampaignResult
from incast.papers.framework.paper import Figure, Paper, Scale
from incast.papers.framework.plan import Plan
from incast.papers.framework.scoreboard import Row, Scoreboard, judged

if TYPE_CHECKING:
    from incast.present.charts import Chart

__all__ = ["FigureResult", "PaperResult"]


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


class PaperResult:
    """Results of a paper's figures.

    Attributes:
        paper: The paper.
        scale: At which size.
        figures: Its figures.
        scoreboard: Its claims.
        failures: Messages of runs that failed.
    """

    def __init__(self, plan: Plan, campaign: CampaignResult) -> None:
        self.paper: Paper = plan.paper
        self.scale: Scale = plan.scale
        self.failures = sorted(set(campaign.failures.values()))
        # One figure after the other: their runs do not fit into memory together.
        self.figures = [_figure_result(figure, plan, campaign) for figure in plan.figures]
        self.scoreboard = Scoreboard([row for each in self.figures for row in each.rows])


def _figure_result(figure: Figure, plan: Plan, campaign: CampaignResult) -> FigureResult:
    checked = plan.runs(figure)
    identities = {label: run.identity for label, run in checked.items()}
    failures = [
        f"{label}: {campaign.failures[identity]}"
        for label, identity in identities.items()
        if identity in campaign.failures
    ]
    runs = {} if failures else {label: campaign.results(each) for label, each in identities.items()}
    charts = {} if failures else _charts(figure, runs, plan.paper.colours)
    rows = judged(figure, runs, plan.scale, failures)
    return FigureResult(figure, charts, rows, identities, failures)


def _charts(figure: Figure, runs: Runs, colours: Mapping[str, int]) -> dict[str, Chart]:
    return {panel: _coloured(draw(runs), colours) for panel, draw in figure.charts.items()}


def _coloured(chart: Chart, colours: Mapping[str, int]) -> Chart:
    """Gives each label the colour that it has in all figures of the paper."""
    curves = [
        dataclasses.replace(curve, colour=colours.get(curve.group or curve.label, curve.colour))
        for curve in chart.curves
    ]
    return dataclasses.replace(chart, curves=curves)
