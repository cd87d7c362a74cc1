"""A paper, reproduced: its runs, its figures, its scoreboard."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incast.errors import PaperError, ResultsError
from incast.experiment import cores
from incast.papers.framework import listing
from incast.papers.framework.campaign import Campaign, Checked, Ended
from incast.papers.framework.paper import Figure, Paper, Runs, Scale
from incast.papers.framework.scoreboard import Row, Scoreboard, judged

if TYPE_CHECKING:
    from incast.present.charts import Chart

__all__ = ["Drawn", "Estimate", "Plan", "Reproduction", "plan"]

_HOPS_PER_SECOND = 8e6
"""Packet-hops per second of one core: what an estimate takes a run to make."""


@dataclass(frozen=True)
class Estimate:
    """What figures cost."""

    runs: int
    packet_hops: float

    @property
    def seconds(self) -> float:
        """On as many cores as there are."""
        return self.packet_hops / _HOPS_PER_SECOND / cores()


class Plan:
    """Figures of a paper at a scale, with their scenarios checked."""

    def __init__(self, paper: Paper, scale: Scale, figures: Sequence[Figure]) -> None:
        self.paper = paper
        self.scale = scale
        self.figures = figures
        checked: dict[str, dict[str, Checked]] = {}
        for figure in figures:
            planned = figure.runs(scale)
            checked[figure.id] = {label: Checked.of(each) for label, each in planned.items()}
        self._checked = checked

    def runs(self, figure: Figure) -> Mapping[str, Checked]:
        """The runs of a figure by label."""
        return self._checked[figure.id]

    def estimate(self, figures: Sequence[Figure] | None = None) -> Estimate:
        """What these figures cost; by default, all."""
        chosen = self.figures if figures is None else figures
        runs = {run.identity: run for figure in chosen for run in self.runs(figure).values()}
        return Estimate(len(runs), sum(run.packet_hops for run in runs.values()))

    def carry_out(self, campaign: Campaign) -> Ended:
        """Runs what is needed."""
        return campaign.run(run for runs in self._checked.values() for run in runs.values())


def plan(paper: Paper, scale: Scale, only: Sequence[str] = ()) -> Plan:
    """Checks what is to be run.

    Raises:
        PaperError: The paper has no such figure.
    """
    known = {figure.id: figure for figure in paper.figures}
    for name in only:
        if name not in known:
            what = f"paper {paper.name} has no figure `{name}`"
            raise PaperError(what, hint=f"it has {', '.join(known)}")
    figures = [figure for figure in paper.figures if not only or figure.id in only]
    return Plan(paper, scale, figures)


@dataclass(frozen=True)
class Drawn:
    """A figure with its charts, and its claims judged."""

    figure: Figure
    charts: Mapping[str, Chart]
    rows: Sequence[Row]
    identities: Mapping[str, str]
    """Of its runs, by label."""
    failures: Sequence[str]


class Reproduction:
    """What came of a paper.

    Attributes:
        paper: What was reproduced.
        scale: At which size.
        drawn: Its figures.
        scoreboard: Its claims.
        failures: Why runs failed, if some did.
    """

    def __init__(self, plan: Plan, ended: Ended) -> None:
        self.paper = plan.paper
        self.scale = plan.scale
        self.failures = sorted(set(ended.failures.values()))
        # One figure after the other: their runs do not fit into memory together.
        self.drawn = [_drawn(figure, plan, ended) for figure in plan.figures]
        self.scoreboard = Scoreboard([row for each in self.drawn for row in each.rows])

    def table(self) -> str:
        """The scoreboard as text, for a terminal."""
        return listing.scoreboard(self)

    def to_markdown(self) -> str:
        """The scoreboard as Markdown."""
        return listing.markdown(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the charts, for programs."""
        return {
            "paper": self.paper.name,
            "title": self.paper.title,
            "scale": self.scale.value,
            "claims": [row.to_dict() for row in self.scoreboard.rows],
            "runs": {each.figure.id: dict(each.identities) for each in self.drawn},
            "failures": self.failures,
        }

    def save(self, folder: str | Path) -> Path:
        """Writes the page, the scoreboard (JSON and Markdown) and the figures (SVG and PNG), and
        gives the page.

        Raises:
            ResultsError: The folder cannot be written.
        """
        from incast.papers.framework import page

        target = Path(folder)
        written = json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        try:
            (target / "figures").mkdir(parents=True, exist_ok=True)
            (target / "scoreboard.json").write_text(written + "\n", encoding="utf-8")
            (target / "scoreboard.md").write_text(self.to_markdown(), encoding="utf-8")
            for name, chart in self._named_charts():
                _save(chart, target / "figures", name)
            (target / "index.html").write_text(page.page(self), encoding="utf-8")
        except OSError as error:
            raise ResultsError.unwritable(target, error) from None
        return target / "index.html"

    def _named_charts(self) -> Iterator[tuple[str, Chart]]:
        for each in self.drawn:
            for panel, chart in each.charts.items():
                yield f"{each.figure.id}-{panel}", chart


def _drawn(figure: Figure, plan: Plan, ended: Ended) -> Drawn:
    checked = plan.runs(figure)
    identities = {label: run.identity for label, run in checked.items()}
    failures = [
        f"{label}: {ended.failures[identity]}"
        for label, identity in identities.items()
        if identity in ended.failures
    ]
    runs = {} if failures else {label: ended.results(each) for label, each in identities.items()}
    charts = {} if failures else _charts(figure, runs, plan.paper.colours)
    rows = judged(figure, runs, plan.scale, failures)
    return Drawn(figure, charts, rows, identities, failures)


def _charts(figure: Figure, runs: Runs, colours: Mapping[str, int]) -> dict[str, Chart]:
    return {panel: _coloured(draw(runs), colours) for panel, draw in figure.charts.items()}


def _coloured(chart: Chart, colours: Mapping[str, int]) -> Chart:
    """The same label has the same colour in every figure of a paper."""
    curves = [
        dataclasses.replace(curve, colour=colours.get(curve.group or curve.label, curve.colour))
        for curve in chart.curves
    ]
    return dataclasses.replace(chart, curves=curves)


def _save(chart: Chart, folder: Path, name: str) -> None:
    from incast.present import matplotlib

    figure = matplotlib.draw(chart)
    for ending in ("svg", "png"):
        matplotlib.save(figure, folder / f"{name}.{ending}")
