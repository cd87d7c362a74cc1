"""Parts of a page on runs, as data for templates: listings, key figures, warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from incast.measure.run import Run, Runs
from incast.present import baseline, key_figures, listings
from incast.present.causes import Causes, Slowest
from incast.present.delay_targets import foreign_targets
from incast.present.key_figures import KeyFigure

__all__ = [
    "Listing",
    "cards",
    "differences",
    "parties",
    "side_by_side",
    "slowest",
    "statistics",
    "warnings",
]


@dataclass(frozen=True)
class Listing:
    """Rows of plain text."""

    caption: str
    """The caption; empty for none."""
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: int
    """The number of columns at the beginning that hold text; the others hold numbers."""
    swatches: int = 0
    """The number of columns, after those of text, whose headings have the colour of a run."""
    remarks: int = 0
    """The number of columns at the end that hold text."""

    remark: str = ""
    """A remark below the table."""

    @property
    def note(self) -> str:
        """Remarks on the cells; empty if they need none."""
        too_few = key_figures.too_few_note(row[self.text :] for row in self.rows)
        return " ".join(filter(None, (too_few, self.remark)))


def warnings(runs: Runs) -> list[str]:
    """Caveats that readers must know: unfinished flows, data that was cut. For several runs also
    target delays that are meant for another network.
    """
    if len(runs) == 1:
        (run,) = runs.values()
        return key_figures.caveats(run.summary)
    found = listings.notes_on_all({label: run.summary for label, run in runs.items()})
    return [*found, *foreign_targets(runs)]


def cards(run: Run, causes: Causes) -> list[KeyFigure]:
    """Key figures of a single run."""
    measured = key_figures.measured(run.summary)
    return [*measured, *causes.paths, *key_figures.costs(run.summary)]


def slowest(found: Slowest) -> Listing:
    """The slowest flows; without rows if no flow stands out."""
    return Listing(found.caption, found.header, found.rows, text=2, remark=found.remark)


def side_by_side(runs: Runs) -> Listing:
    """Key figures of several runs, with a column for each run."""
    rows = listings.key_figures_by_run({label: run.summary for label, run in runs.items()})
    return Listing("Key figures", ["", *runs], rows, text=1, swatches=len(runs))


def differences(runs: Runs, compared_with: str) -> Listing:
    """Ratios of key figures to those of one run."""
    summaries = {label: run.summary for label, run in runs.items()}
    header = baseline.header(summaries, compared_with)
    rows = baseline.rows(summaries, compared_with)
    caption = f"Key figures against {compared_with}"
    return Listing(caption, ["", *header[1:]], rows, text=1, remark=baseline.ONE_SEED)


def statistics(runs: Runs) -> Listing:
    """FCT slowdown by flow size; a fabric's latency by operation."""
    found = key_figures.statistics(next(iter(runs.values())).summary)
    caption = found.caption[0].upper() + found.caption[1:]
    if len(runs) == 1:
        rows = [[name, *cells] for name, cells in found.rows]
        return Listing(caption, [found.classes, *found.columns], rows, text=1)
    rows = listings.statistics_by_run({label: run.summary for label, run in runs.items()})
    return Listing(caption, [found.classes, "run", *found.columns], rows, text=2)


def parties(runs: Runs) -> list[Listing]:
    """Traffic entries, attackers, victims and tenants, if the scenario distinguishes them."""
    told = [run.summary for run in runs.values()]
    kinds = {"traffic": "Traffic", "roles": "attackers, victims", "tenants": "tenants"}
    named = ", ".join(name for kind, name in kinds.items() if any(kind in each for each in told))
    caption = f"{named[:1].upper()}{named[1:]}: goodput and FCT slowdown of messages"
    rows = listings.parties_by_run({label: run.summary for label, run in runs.items()})
    if not rows:
        return []
    if len(runs) == 1:
        rows = [[name, *cells] for name, _, *cells in rows]
        return [Listing(caption, ["", *listings.PARTY_HEADER], rows, text=1)]
    return [Listing(caption, ["", "run", *listings.PARTY_HEADER], rows, text=2)]
