"""The report as data for its template, section by section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from incast.measure.run import Run, Runs, is_fabric
from incast.present import charts, key_figures, listings
from incast.present.charts import Chart
from incast.present.html import deadlock, ports
from incast.present.html.document import document
from incast.present.html.toml_markup import Part, parts
from incast.present.key_figures import KeyFigure

__all__ = ["page"]


def page(sections: Mapping[str, Runs], title: str) -> str:
    """A whole page.

    Args:
        sections: Runs by label, by the section's heading; a lone section needs none.
        title: Of the page.
    """
    shown = [
        _section(f"section-{index}", heading, runs)
        for index, (heading, runs) in enumerate(sections.items())
    ]
    every = [run for runs in sections.values() for run in runs.values()]
    versions = {str(run.summary["incast"]) for run in every}
    return document(
        "report.html",
        title=title,
        sections=shown,
        charts=[chart for section in shown for chart in section.charts],
        version=", ".join(sorted(versions)),
        of_flows=not all(is_fabric(run) for run in every),
    )


@dataclass(frozen=True)
class _Listing:
    """Rows of plain text."""

    caption: str
    """Empty: none."""
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: int
    """Number of columns of text; the others hold numbers."""
    swatches: int = 0
    """Number of columns, after those of text, with the colours of runs."""

    @property
    def note(self) -> str:
        """A remark on its cells, if they need one."""
        return key_figures.too_few_note(row[self.text :] for row in self.rows)


@dataclass(frozen=True)
class _RunShown:
    """A run of a section."""

    label: str
    suffix: str
    """Suffix of headings: the label, where there are several runs."""
    run: str
    known_by: str
    ports: _Listing
    scenario: Sequence[Part]


@dataclass(frozen=True)
class _Deadlock:
    """Ports that wait for each other."""

    heading: str
    drawing: Markup | None
    """None if there are too many for one."""
    ports: _Listing


@dataclass(frozen=True)
class _Section:
    """A section of the report: runs laid over each other."""

    anchor: str
    heading: str
    networks: Sequence[str]
    runs: Sequence[_RunShown]
    warnings: Sequence[str]
    deadlocks: Sequence[_Deadlock]
    cards: Sequence[KeyFigure]
    """Key figures of a lone run."""
    listings: Sequence[_Listing]
    charts: Sequence[Chart]


def _section(anchor: str, heading: str, runs: Runs) -> _Section:
    alone = len(runs) == 1
    of_network = key_figures.network if alone else key_figures.size
    return _Section(
        anchor,
        heading,
        networks=list(dict.fromkeys(of_network(run.summary) for run in runs.values())),
        runs=[_run(label, run, alone=alone) for label, run in runs.items()],
        warnings=_warnings(runs),
        deadlocks=list(_deadlocks(runs)),
        cards=_cards(next(iter(runs.values()))) if alone else [],
        listings=[
            _statistics(runs),
            *_parties(runs),
            *([] if alone else [_side_by_side(runs)]),
        ],
        charts=_worth_showing(charts.every(runs)),
    )


def _worth_showing(every: Iterable[Chart]) -> list[Chart]:
    return [chart for chart in every if not chart.empty or chart.missing]


def _run(label: str, run: Run, *, alone: bool) -> _RunShown:
    facts = run.summary
    return _RunShown(
        label,
        suffix="" if alone else f": {label}",
        run=key_figures.settings(facts),
        known_by=f"identity {run.identity}, fingerprint {run.fingerprint}",
        ports=_Listing(
            "", ports.HEADER, [] if is_fabric(run) else ports.busiest(run.ports), text=1
        ),
        scenario=parts(run.scenario),
    )


def _warnings(runs: Runs) -> list[str]:
    notes = listings.caveats({label: run.summary for label, run in runs.items()})
    return [
        note if len(runs) == 1 else f"{label}: {note}"
        for label, found in notes.items()
        for note in found
    ]


def _deadlocks(runs: Runs) -> Iterable[_Deadlock]:
    for label, run in runs.items():
        circle = run.summary.get("stall", {}).get("circle")
        if circle:
            suffix = "" if len(runs) == 1 else f": {label}"
            listing = _Listing("", deadlock.HEADER, deadlock.rows(circle), text=5)
            yield _Deadlock(f"Deadlock of PFC{suffix}", deadlock.drawing(circle), listing)


def _cards(run: Run) -> list[KeyFigure]:
    return [*key_figures.measured(run.summary), *key_figures.costs(run.summary)]


def _side_by_side(runs: Runs) -> _Listing:
    rows = listings.key_figures_by_run({label: run.summary for label, run in runs.items()})
    return _Listing("Key figures", ["", *runs], rows, text=1, swatches=len(runs))


def _statistics(runs: Runs) -> _Listing:
    found = key_figures.statistics(next(iter(runs.values())).summary)
    caption = found.caption[0].upper() + found.caption[1:]
    if len(runs) == 1:
        rows = [[name, *cells] for name, cells in found.rows]
        return _Listing(caption, [found.classes, *found.columns], rows, text=1)
    rows = listings.statistics_by_run({label: run.summary for label, run in runs.items()})
    return _Listing(caption, [found.classes, "run", *found.columns], rows, text=2)


def _parties(runs: Runs) -> list[_Listing]:
    """Traffic entries, attackers, victims and tenants, if the runs tell them apart."""
    told = [run.summary for run in runs.values()]
    kinds = {"traffic": "Traffic", "roles": "attackers, victims", "tenants": "tenants"}
    named = ", ".join(name for kind, name in kinds.items() if any(kind in each for each in told))
    caption = f"{named[:1].upper()}{named[1:]}: goodput and FCT slowdown of messages"
    rows = listings.parties_by_run({label: run.summary for label, run in runs.items()})
    if not rows:
        return []
    if len(runs) == 1:
        rows = [[name, *cells] for name, _, *cells in rows]
        return [_Listing(caption, ["", *listings.PARTY_HEADER], rows, text=1)]
    return [_Listing(caption, ["", "run", *listings.PARTY_HEADER], rows, text=2)]
