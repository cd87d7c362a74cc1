"""The report as data for its template, in sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from incast.measure.run import Run, Runs, is_fabric
from incast.present import causes, charts, key_figures, what_ran
from incast.present.charts import Chart
from incast.present.html import deadlock, ports
from incast.present.html.document import document
from incast.present.html.network_map import NetworkMap, network_map
from incast.present.html.parts import (
    Listing,
    cards,
    differences,
    parties,
    side_by_side,
    slowest,
    statistics,
    warnings,
)
from incast.present.html.toml_markup import Part, parts
from incast.present.key_figures import KeyFigure

__all__ = ["page"]


def page(
    sections: Mapping[str, Runs],
    title: str,
    baseline: str | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The whole report.

    Args:
        sections: For each section, by its heading, the runs by label. The heading of a single
            section may be empty.
        title: The title of the page.
        baseline: The label of the run with which the other runs of its section are compared.
        notes: Sentences before the key figures of each section.
    """
    shown = [
        _section(f"section-{index}", heading, runs, baseline, notes)
        for index, (heading, runs) in enumerate(sections.items())
    ]
    every = [run for runs in sections.values() for run in runs.values()]
    versions = {str(run.summary["incast"]) for run in every}
    return document(
        "report.html",
        title=title,
        sections=shown,
        charts=[
            (f"{section.file}-{chart.name}", chart) for section in shown for chart in section.charts
        ],
        version=", ".join(sorted(versions)),
        of_flows=not all(is_fabric(run) for run in every),
    )


@dataclass(frozen=True)
class _RunShown:
    """A run of a section."""

    label: str
    suffix: str
    """Suffix of headings: the label, if there are several runs."""
    run: str
    known_by: str
    paths: Sequence[KeyFigure]
    """Causes that held up collectives. With a single run they are among the section's cards
    instead.
    """
    slowest: Listing
    """The slowest flows. With a single run they are among the section's listings instead."""
    ports: Listing
    scenario: Sequence[Part]


@dataclass(frozen=True)
class _Deadlock:
    """Ports that wait for each other in a circle."""

    heading: str
    drawing: Markup | None
    """The drawing; ``None`` if there are too many ports."""
    ports: Listing


@dataclass(frozen=True)
class _Section:
    """A section of the report: runs laid over each other."""

    anchor: str
    heading: str
    file: str
    """The beginning of the names of files that are saved from the section."""
    lines: Sequence[str]
    """Lines that describe the networks and their traffic."""
    runs: Sequence[_RunShown]
    warnings: Sequence[str]
    deadlocks: Sequence[_Deadlock]
    cards: Sequence[KeyFigure]
    """Key figures of a single run."""
    listings: Sequence[Listing]
    side_by_side: Sequence[Listing]
    """Key figures of several runs, and ratios to a baseline."""
    charts: Sequence[Chart]
    map: NetworkMap | None
    """The network of a single run."""


def _section(
    anchor: str, heading: str, runs: Runs, baseline: str | None, notes: Sequence[str]
) -> _Section:
    alone = len(runs) == 1
    of_network = key_figures.network if alone else key_figures.size
    first = next(iter(runs.values()))
    held_up = causes.of_run(first) if alone else causes.NONE
    slow = slowest(held_up.slowest)
    return _Section(
        anchor,
        heading,
        file="-".join(filter(None, [heading, *_names(runs)])),
        lines=[
            *dict.fromkeys(of_network(run.summary) for run in runs.values()),
            *what_ran.of_runs(runs),
        ],
        runs=[_run(label, run, alone=alone) for label, run in runs.items()],
        warnings=[*notes, *warnings(runs)],
        deadlocks=list(_deadlocks(runs)),
        cards=cards(first, held_up) if alone else [],
        listings=[statistics(runs), *parties(runs), *([slow] if slow.rows else [])],
        side_by_side=[] if alone else _beside(runs, baseline),
        charts=_worth_showing(charts.every(runs)),
        map=network_map(first) if alone else None,
    )


def _names(runs: Runs) -> Iterable[str]:
    """The names of scenarios, followed by those of algorithms."""
    every = runs.values()
    return dict.fromkeys([*(run.name for run in every), *(run.algorithm for run in every)])


def _worth_showing(every: Iterable[Chart]) -> list[Chart]:
    """Charts with data, and charts that say how to record their data."""
    return [chart for chart in every if chart.worth_showing or (chart.empty and chart.missing)]


def _run(label: str, run: Run, *, alone: bool) -> _RunShown:
    facts = run.summary
    held_up = causes.NONE if alone else causes.of_run(run)
    return _RunShown(
        label,
        suffix="" if alone else f": {label}",
        run=key_figures.settings(facts),
        known_by=f"identity {run.identity}, fingerprint {run.fingerprint}",
        paths=held_up.paths,
        slowest=slowest(held_up.slowest),
        ports=Listing(
            "", ports.HEADER, [] if is_fabric(run) else ports.by_longest_queue(run.ports), text=1
        ),
        scenario=parts(run.scenario),
    )


def _deadlocks(runs: Runs) -> Iterable[_Deadlock]:
    for label, run in runs.items():
        circle = run.summary.get("stall", {}).get("circle")
        if circle:
            suffix = "" if len(runs) == 1 else f": {label}"
            listing = Listing("", deadlock.HEADER, deadlock.rows(circle), text=5)
            yield _Deadlock(f"Deadlock of PFC{suffix}", deadlock.drawing(circle), listing)


def _beside(runs: Runs, baseline: str | None) -> list[Listing]:
    against = [] if baseline is None or baseline not in runs else [differences(runs, baseline)]
    return [side_by_side(runs), *against]
