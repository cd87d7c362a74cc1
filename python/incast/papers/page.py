"""A reproduction as an HTML page: every figure with its claims."""

from __future__ import annotations

from functools import partial

from incast._core import __version__
from incast.papers.figure import Figure, Scale
from incast.papers.result import PaperResult
from incast.papers.scoreboard import Row, Tried, Verdict, merged
from incast.present.html.document import VERDICTS, document, sheet

__all__ = ["page"]

_KINDS = {
    Verdict.HOLDS: "holds",
    Verdict.TREND: "trend",
    Verdict.FAILS: "fails",
    Verdict.NEEDS_FULL: "waits",
    Verdict.NOT_RUN: "fails",
}
"""Classes of the style sheet, by verdict."""


def page(result: PaperResult) -> str:
    """The page of a reproduction as HTML."""
    return document(
        "paper.html",
        package=__package__,
        title=result.paper.title,
        style=sheet(VERDICTS),
        charts=[
            (f"{result.paper.name}-{each.figure.id}-{panel}", chart)
            for each in result.figures
            for panel, chart in each.charts.items()
        ],
        version=__version__,
        paper=result.paper,
        quick=result.scale is Scale.QUICK,
        sentence=result.scoreboard.sentence,
        sections=result.scoreboard.sections,
        figures=result.figures,
        notes=merged,
        beside=result.scoreboard.beside,
        kind=_kind,
        facts=_facts,
        setup=partial(_setup, scale=result.scale),
        place=_place,
    )


def _kind(judged: Row | Tried) -> str:
    return _KINDS[judged.verdict]


def _setup(figure: Figure, scale: Scale) -> str:
    cut = f"Quick: {figure.scaled}." if figure.scaled and scale is Scale.QUICK else ""
    return " ".join(filter(None, (figure.setup, cut)))


def _place(figure: Figure) -> str:
    """The place of a figure in the paper, short enough for a link: `Fig. 5`."""
    first = figure.where.partition(";")[0].removeprefix("Dissertation, ")
    return first.partition(",")[0]


def _facts(row: Row) -> list[tuple[str, str]]:
    return [
        ("claimed", row.claim.claimed),
        ("metric", row.claim.metric),
        ("measured", row.measured),
        ("tolerance", row.claim.tolerance),
        ("where", row.claim.where),
    ]
