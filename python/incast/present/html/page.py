"""The report's HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from incast.present import charts, key_figures, listings
from incast.present.charts import Chart
from incast.present.html import ports
from incast.present.html.encoding import encode
from incast.present.html.markup import element, paragraph, swatch, table
from incast.present.html.toml_markup import markup

if TYPE_CHECKING:
    from incast.results import Results

__all__ = ["chart_place", "document", "page"]

Runs = Mapping[str, "Results"]


def page(sections: Mapping[str, Runs], title: str) -> str:
    """A whole page.

    Args:
        sections: Runs by label, by the section's heading; a lone section needs none.
        title: What the page is called.
    """
    drawn = [
        (f"section-{index}", heading, runs, _worth_showing(charts.every(runs)))
        for index, (heading, runs) in enumerate(sections.items())
    ]
    body = [_contents(sections)] if len(sections) > 1 else []
    body += [_section(*section) for section in drawn]
    versions = {str(run.summary["incast"]) for runs in sections.values() for run in runs.values()}
    return document(
        title=title,
        body="\n".join(body),
        charts=[chart for _, _, _, group in drawn for chart in group],
        version=", ".join(sorted(versions)),
    )


def document(
    *, title: str, body: str, charts: Iterable[Chart], version: str, style: str = ""
) -> str:
    """A page that needs nothing else.

    Args:
        title: What it is called; plain text.
        body: HTML in sections, each with an id.
        charts: Charts in the order of their :func:`chart_place` in the body.
        version: Of incast.
        style: A style sheet beside the report's.
    """
    return Template(_asset("page.html")).substitute(
        title=html.escape(title),
        style=_asset("uPlot.min.css") + _asset("report.css") + style,
        body=body,
        version=html.escape(version),
        charts=encode(charts),
        script=_asset("uPlot.iife.min.js") + _asset("report.js"),
    )


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _worth_showing(every: Iterable[Chart]) -> list[Chart]:
    return [chart for chart in every if not chart.empty or chart.missing]


def _contents(sections: Mapping[str, Runs]) -> str:
    links = [
        f'<a href="#section-{index}">{html.escape(heading)}</a>'
        for index, heading in enumerate(sections)
    ]
    return element("nav", " ".join(links))


def _section(anchor: str, heading: str, runs: Runs, drawn: Sequence[Chart]) -> str:
    parts = [
        element("h2", html.escape(heading)) if heading else "",
        *_what_was_run(runs),
        *_warnings(runs),
        _cards(next(iter(runs.values()))) if len(runs) == 1 else "",
        f'<div class="tables">{_slowdowns(runs)}{_side_by_side(runs)}</div>',
        _figures(drawn),
        *(_ports(label, run, alone=len(runs) == 1) for label, run in runs.items()),
        *(_scenario(label, run, alone=len(runs) == 1) for label, run in runs.items()),
    ]
    return f'<section id="{anchor}">' + "\n".join(filter(None, parts)) + "</section>"


def _what_was_run(runs: Runs) -> list[str]:
    of_network = key_figures.network if len(runs) == 1 else key_figures.size
    lines = dict.fromkeys(of_network(run.summary) for run in runs.values())
    network = [paragraph(html.escape(line), "network") for line in lines]
    if len(runs) == 1:
        return [*network, *(paragraph(_description(run), "run") for run in runs.values())]
    listed = "".join(
        element("li", f"{swatch(place)}{element('b', html.escape(label))} {_description(run)}")
        for place, (label, run) in enumerate(runs.items())
    )
    return [*network, f'<ul class="runs">{listed}</ul>']


def _description(run: Results) -> str:
    facts = run.summary
    text = f"{run.algorithm}, profile {facts['profile']}, seed {facts['seed']}"
    known_by = f"identity {run.identity}, fingerprint {run.fingerprint}"
    return f'{html.escape(text)} <span class="hash">{html.escape(known_by)}</span>'


def _warnings(runs: Runs) -> list[str]:
    notes = listings.caveats({label: run.summary for label, run in runs.items()})
    return [
        paragraph(html.escape(note if len(runs) == 1 else f"{label}: {note}"), "warning")
        for label, found in notes.items()
        for note in found
    ]


def _cards(run: Results) -> str:
    figures = [*key_figures.figures(run.summary), *key_figures.costs(run.summary)]
    cards = [
        f'<div class="card"><dt>{html.escape(figure.name)}</dt><dd>{html.escape(figure.value)}'
        f"<small>{html.escape(figure.detail)}</small></dd></div>"
        for figure in figures
    ]
    return f'<dl class="cards">{"".join(cards)}</dl>'


def _side_by_side(runs: Runs) -> str:
    if len(runs) == 1:
        return ""
    rows = listings.figures_by_run({label: run.summary for label, run in runs.items()})
    return table("Key figures", ["", *runs], rows, text=1, swatches=range(len(runs)))


def _slowdowns(runs: Runs) -> str:
    header = ["flows", *key_figures.SLOWDOWN_COLUMNS.values()]
    if len(runs) == 1:
        run = next(iter(runs.values()))
        rows = [[size, *cells] for size, cells in key_figures.slowdown_rows(run.summary)]
        return table("FCT slowdown", ["flow size", *header], rows, text=1)
    rows = listings.slowdowns_by_size({label: run.summary for label, run in runs.items()})
    return table("FCT slowdown", ["flow size", "run", *header], rows, text=2)


def _figures(drawn: Sequence[Chart]) -> str:
    return f'<div class="charts">{"".join(chart_place(chart) for chart in drawn)}</div>'


def chart_place(chart: Chart) -> str:
    """A place for report.js to draw in; places and charts come in the same order."""
    note = paragraph(html.escape(chart.note), "note") if chart.note else ""
    inside = (
        paragraph(html.escape(chart.missing), "missing")
        if chart.empty
        else '<div class="plot"></div><div class="legend"></div>'
    )
    caption = f"<figcaption><h3>{html.escape(chart.title)}</h3>{note}</figcaption>"
    return f"<figure>{caption}{inside}</figure>"


def _ports(label: str, run: Results, *, alone: bool) -> str:
    rows = ports.busiest(run.ports)
    if not rows:
        return ""
    heading = "Busiest ports" if alone else f"Busiest ports: {label}"
    return _folded(heading, table("", ports.HEADER, rows, text=1))


def _scenario(label: str, run: Results, *, alone: bool) -> str:
    heading = "Scenario, with every default filled in"
    text = f'<pre class="toml">{markup(run.scenario)}</pre>'
    return _folded(heading if alone else f"{heading}: {label}", text)


def _folded(heading: str, inside: str) -> str:
    return f"<details><summary>{html.escape(heading)}</summary>{inside}</details>"
