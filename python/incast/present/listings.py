"""Listings: results as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from incast.present import baseline, key_figures
from incast.present.columns import aligned, columns
from incast.present.key_figures import PARTY_COLUMNS, KeyFigure, Summary
from incast.present.key_figures.steadiness import counting_rules
from incast.present.terminal import Ink, filled, paint

if TYPE_CHECKING:
    from incast.present.causes import Causes, Slowest

__all__ = [
    "PARTY_HEADER",
    "caveat",
    "caveats",
    "comparison",
    "key_figures_by_run",
    "not_run",
    "notes_on_all",
    "pairs",
    "parties_by_run",
    "refusals",
    "refused",
    "statistics_by_run",
    "summary",
]

PARTY_HEADER = ["messages", "goodput", *PARTY_COLUMNS.values()]
"""Columns of the listing of attackers, victims and tenants. Percentiles are of FCT slowdown."""


def summary(
    run: Summary, ran: Sequence[str] = (), causes: Causes | None = None, unread: str = ""
) -> str:
    """A description of the run, its key figures, and causes that held up its flows.

    Args:
        run: The summary of the run.
        ran: Lines that describe the network and the traffic.
        causes: Causes that held up flows and collectives.
        unread: Why causes could not be read; empty if they could.
    """
    found = key_figures.statistics(run)
    rows = [[name, *cells] for name, cells in found.rows]
    parts = [
        "\n".join([_title(run), *_what_ran(ran)]),
        columns([found.caption, *found.columns], rows),
        _parties(run),
        filled(key_figures.too_few_note([*rows, *_party_rows(run)])),
        pairs(
            [
                *_without_zeros(key_figures.measured(run)),
                *(causes.paths if causes else ()),
                *key_figures.costs(run),
                *key_figures.names(run),
            ]
        ),
        _slowest(causes.slowest) if causes else "",
        caveat(f"What held up flows is not known: {unread}") if unread else "",
        *map(caveat, key_figures.caveats(run)),
    ]
    return "\n\n".join(part for part in parts if part)


def comparison(
    runs: Mapping[str, Summary], compared_with: str | None = None, ran: Sequence[str] = ()
) -> str:
    """A description of several runs, and their key figures side by side; with a baseline, also the
    ratios to it.
    """
    first = next(iter(runs.values()))
    found = key_figures.statistics(first)
    alike = {run["name"] for run in runs.values()} == {first["name"]}
    heading = [first["name"], key_figures.size(first)] if alike else []
    parts = [
        "\n".join([*heading, *_what_ran(ran)]),
        columns([found.caption, "run", *found.columns], statistics_by_run(runs), text=2),
        _parties_of_all(runs),
        filled(key_figures.too_few_note([*statistics_by_run(runs), *parties_by_run(runs)])),
        _key_figures(runs),
        _differences(runs, compared_with) if compared_with is not None and len(runs) > 1 else "",
        *map(caveat, notes_on_all(runs)),
    ]
    return "\n\n".join(part for part in parts if part)


def statistics_by_run(runs: Mapping[str, Summary]) -> list[list[str]]:
    """Rows of a comparison: for each class, a row for each run. The class is named once."""
    by_run = {label: dict(key_figures.statistics(run).rows) for label, run in runs.items()}
    rows = []
    for name in _in_order(rows.keys() for rows in by_run.values()):
        found = [(label, cells[name]) for label, cells in by_run.items() if name in cells]
        for index, (label, cells) in enumerate(found):
            rows.append([name if index == 0 else "", label, *cells])
    return rows


def parties_by_run(runs: Mapping[str, Summary]) -> list[list[str]]:
    """Rows of a comparison: for each party, a row for each run. The party is named once."""
    rows = []
    for name, found in key_figures.parties(runs).items():
        for index, (label, party) in enumerate(found.items()):
            rows.append([name if index == 0 else "", label, *key_figures.party_cells(party)])
    return rows


def key_figures_by_run(runs: Mapping[str, Summary]) -> list[list[str]]:
    """Rows of a comparison: for each key figure, its value in each run."""
    values = {
        label: {
            figure.name: figure.value
            for part in (key_figures.measured, key_figures.costs, key_figures.reach)
            for figure in part(run)
        }
        for label, run in runs.items()
    }
    figures = _in_order(values[label].keys() for label in runs)
    return [[name, *(values[label].get(name, "–") for label in runs)] for name in figures]


def caveats(runs: Mapping[str, Summary]) -> dict[str, list[str]]:
    """Caveats by label, for runs that have any."""
    notes = {label: key_figures.caveats(run) for label, run in runs.items()}
    return {label: found for label, found in notes.items() if found}


def notes_on_all(runs: Mapping[str, Summary]) -> list[str]:
    """Notes on runs side by side: limits of the comparison, and the caveats of each run."""
    return [
        *counting_rules(runs),
        *(f"{label}: {note}" for label, notes in caveats(runs).items() for note in notes),
    ]


def _slowest(found: Slowest) -> str:
    if not found.rows:
        return ""
    rows = columns(found.header, found.rows, text=2)
    return f"{paint(found.caption, Ink.HEADING)}\n\n{rows}\n{filled(found.remark)}"


def _what_ran(lines: Sequence[str]) -> list[str]:
    return [filled(line, first="", indent="  ") for line in lines]


def _key_figures(runs: Mapping[str, Summary]) -> str:
    """Key figures side by side; those that are 0 in every run share a line."""
    rows = key_figures_by_run(runs)
    zeros = [name for name, *values in rows if set(values) == {"0"}]
    rest = [row for row in rows if row[0] not in zeros]
    listing = columns(["", *runs], rest if len(zeros) > 1 else rows)
    return f"{listing}\n{filled('in no run: ' + ', '.join(zeros))}" if len(zeros) > 1 else listing


def _differences(runs: Mapping[str, Summary], compared_with: str) -> str:
    listing = columns(baseline.header(runs, compared_with), baseline.rows(runs, compared_with))
    return f"{listing}\n{filled(baseline.ONE_SEED)}"


def _without_zeros(figures: Sequence[KeyFigure]) -> list[KeyFigure]:
    """Key figures, in which counts of 0 share a line."""
    zeros = [figure.name for figure in figures if figure.value == "0" and not figure.detail]
    rest = [figure for figure in figures if figure.name not in zeros]
    return [*rest, KeyFigure("none", ", ".join(zeros))] if len(zeros) > 1 else list(figures)


def not_run(labels: Sequence[str]) -> str:
    """A caveat that names the runs missing in a comparison."""
    # Labels of runs with seeds contain commas.
    between = "; " if any("," in label for label in labels) else ", "
    return caveat(f"Not run: {between.join(labels)}.")


def refused(reasons: Mapping[str, str]) -> str:
    """The impossible runs of a comparison, one per row, with reasons; empty if all are possible."""
    rows = [[label, reason] for label, reason in reasons.items()]
    return columns(["does not go together", "why"], rows, text=2) if rows else ""


def refusals(reasons: Mapping[str, str]) -> list[str]:
    """The refusals as sentences, for a page."""
    return [f"{label} does not go together: {reason}." for label, reason in reasons.items()]


def pairs(figures: Sequence[KeyFigure]) -> str:
    """Key figures, one per line: name, value, detail."""
    return aligned([[figure.name, figure.value, figure.detail] for figure in figures])


def _parties(run: Summary) -> str:
    rows = _party_rows(run)
    return columns(["", *PARTY_HEADER], rows) if rows else ""


def _party_rows(run: Summary) -> list[list[str]]:
    return [[name, *cells] for name, _, *cells in parties_by_run({"": run})]


def _parties_of_all(runs: Mapping[str, Summary]) -> str:
    rows = parties_by_run(runs)
    return columns(["", "run", *PARTY_HEADER], rows, text=2) if rows else ""


def _title(run: Summary) -> str:
    head = filled(f"{run['name']}: {key_figures.settings(run)}")
    return f"{paint(head, Ink.HEADING)}\n{filled(key_figures.network(run))}"


def caveat(note: str) -> str:
    """A note on misleading figures, in the colour of caveats."""
    return paint(filled(note), Ink.DOUBTFUL)


def _in_order(groups: Iterable[Iterable[str]]) -> list[str]:
    """All names once, in order of first appearance, with names such as `all flows` last."""
    names = dict.fromkeys(name for group in groups for name in group)
    return sorted(names, key=lambda name: name.startswith("all "))
