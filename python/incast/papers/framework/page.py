"""A reproduction as one HTML page: every figure beside its claims."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

import incast
from incast.papers.framework.paper import Figure, Scale
from incast.papers.framework.scoreboard import Row, Verdict
from incast.present.html.markup import element, paragraph
from incast.present.html.page import chart_place, document

if TYPE_CHECKING:
    from incast.papers.framework.reproduction import Drawn, Reproduction

__all__ = ["page"]

_KINDS = {
    Verdict.HOLDS: "holds",
    Verdict.TREND: "trend",
    Verdict.FAILS: "fails",
    Verdict.NEEDS_FULL: "waits",
    Verdict.NOT_RUN: "fails",
}


def page(reproduction: Reproduction) -> str:
    """The whole page."""
    paper = reproduction.paper
    body = [
        paragraph(html.escape(paper.source), "network"),
        _scale(reproduction),
        _summary(reproduction),
        _readings(paper.readings),
        *(_section(drawn, reproduction.scale) for drawn in reproduction.drawn),
    ]
    return document(
        title=paper.title,
        style=resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8"),
        body="\n".join(filter(None, body)),
        charts=[chart for drawn in reproduction.drawn for chart in drawn.charts.values()],
        version=incast.__version__,
    )


def _scale(reproduction: Reproduction) -> str:
    if reproduction.scale is Scale.FULL:
        return ""
    return paragraph(
        "Quick: some runs are shorter and smaller than the paper's; each figure says which. Claims "
        "that need the paper's own size are not judged here: <code>incast reproduce "
        f"{html.escape(reproduction.paper.name)} --full</code> does.",
        "warning",
    )


def _summary(reproduction: Reproduction) -> str:
    rows = [
        f'<tr><td class="text"><a href="#{drawn.figure.id}">{html.escape(row.claim.id)}</a></td>'
        f'<td class="text">{_badge(row)}</td><td class="text wide">{html.escape(row.claim.says)}'
        f'</td><td class="text">{html.escape(row.claim.claimed)}</td>'
        f'<td class="text wide">{html.escape(row.measured)}</td></tr>'
        for drawn in reproduction.drawn
        for row in drawn.rows
    ]
    head = "".join(
        f'<th class="text">{name}</th>'
        for name in ("id", "verdict", "claim", "claimed", "measured")
    )
    inside = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    table = f'<table class="claims">{inside}</table>'
    return (
        element("h2", "Scoreboard")
        + paragraph(html.escape(reproduction.scoreboard.sentence), "network")
        + f'<div class="scroll">{table}</div>'
    )


def _readings(readings: Sequence[str]) -> str:
    if not readings:
        return ""
    items = "".join(element("li", html.escape(reading)) for reading in readings)
    return (
        "<details><summary>What the paper leaves open, and what was done here</summary>"
        f'<ul class="readings">{items}</ul></details>'
    )


def _cut(figure: Figure, scale: Scale) -> str:
    return f"Quick: {figure.scaled}." if figure.scaled and scale is Scale.QUICK else ""


def _section(drawn: Drawn, scale: Scale) -> str:
    figure = drawn.figure
    setup = " ".join(filter(None, (figure.setup, _cut(figure, scale))))
    parts = [
        element("h2", html.escape(figure.title)),
        paragraph(html.escape(figure.where), "network"),
        paragraph(html.escape(setup), "setup") if setup else "",
        *(paragraph(html.escape(failure), "warning") for failure in drawn.failures),
        '<div class="beside">',
        _charts(drawn),
        f'<div class="rows">{"".join(map(_row, drawn.rows))}</div>',
        "</div>",
    ]
    return f'<section id="{figure.id}">' + "\n".join(filter(None, parts)) + "</section>"


def _charts(drawn: Drawn) -> str:
    """Few enough stay in sight while their claims scroll by."""
    if not drawn.charts:
        return ""
    few = " few" if len(drawn.charts) <= 2 else ""
    places = "".join(map(chart_place, drawn.charts.values()))
    return f'<div class="charts{few}">{places}</div>'


def _row(row: Row) -> str:
    claim = row.claim
    facts = [
        ("claimed", claim.claimed),
        ("measured", row.measured),
        ("tolerance", claim.tolerance),
        ("where", claim.where),
        ("note", row.note),
    ]
    listed = "".join(
        f"<dt>{name}</dt><dd>{html.escape(value)}</dd>" for name, value in facts if value
    )
    heading = f"<h3>{_badge(row)} {html.escape(claim.id)}</h3>"
    return (
        f'<article class="claim {_KINDS[row.verdict]}">{heading}'
        f"{paragraph(html.escape(claim.says), 'says')}<dl>{listed}</dl></article>"
    )


def _badge(row: Row) -> str:
    return f'<span class="badge {_KINDS[row.verdict]}">{html.escape(row.verdict.value)}</span>'
