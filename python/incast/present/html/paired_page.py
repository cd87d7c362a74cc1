"""A comparison over seeds as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from incast.measure.run import Runs, are_fabrics
from incast.present import charts, paired, paired_listings
from incast.present.charts import Chart
from incast.present.html import write_document
from incast.present.html.document import document
from incast.present.html.parts import Listing
from incast.present.paired_listings import Compared

__all__ = ["listings", "pooled_charts", "write"]


def write(
    compared: Compared, file: Path, *, title: str | None = None, notes: Sequence[str] = ()
) -> Path:
    """Writes the page, with these notes before its figures.

    Raises:
        ResultsError: The file cannot be written.
    """
    return write_document(file, lambda: _page(compared, title, notes))


def listings(compared: Compared) -> list[Listing]:
    """Means, and ratios to the baseline."""
    header = paired_listings.ratio_header(compared)
    means = Listing(
        f"Key figures, {paired_listings.means_caption(compared.by_seed)}",
        ["", *compared.by_seed],
        paired_listings.mean_rows(compared.by_seed),
        text=1,
        swatches=len(compared.by_seed),
    )
    against = Listing(
        f"Key figures against {compared.baseline}, paired by seed",
        ["", *header[1:]],
        paired_listings.ratio_rows(compared),
        text=2,
        remarks=2,
    )
    return [means, against] if against.rows else [means]


def pooled_charts(compared: Compared) -> list[Chart]:
    """Charts that pool the flows of all seeds."""
    runs = _all_runs(compared)
    if are_fabrics(runs):
        return []
    found = [each.chart(runs) for each in charts.CHARTS if each.is_pooled]
    return [chart for chart in found if chart.worth_showing or chart.missing]


def _all_runs(compared: Compared) -> Runs:
    return {
        f"{label}, seed {seed}": run
        for label, runs in compared.by_seed.items()
        for seed, run in runs.items()
    }


def _page(compared: Compared, title: str | None, notes: Sequence[str]) -> str:
    first = paired_listings.first_runs(compared.by_seed)
    pooled, of_first = pooled_charts(compared), _of_first(first)
    name, *lines = paired_listings.heading(compared.by_seed)
    seeds = {run.summary["seed"] for run in first.values()}
    versions = {str(run.summary["incast"]) for run in first.values()}
    file = "-".join([name, *compared.by_seed])
    return document(
        "paired.html",
        title=title or name,
        charts=[
            *((f"{file}-{chart.name}", chart) for chart in pooled),
            *((f"{file}-first-{chart.name}", chart) for chart in of_first),
        ],
        version=", ".join(sorted(versions)),
        of_flows=not are_fabrics(first),
        lines=lines,
        notes=[*notes, *paired_listings.notes(compared.by_seed)],
        listings=listings(compared),
        meaning=paired.note(compared.difference),
        pooled=pooled,
        first=", ".join(f"seed {seed}" for seed in sorted(seeds)),
        of_first=of_first,
    )


def _of_first(runs: Runs) -> Sequence[Chart]:
    """The other charts, of the first seed."""
    pooled = {each.name for each in charts.CHARTS if each.is_pooled}
    every = [chart for chart in charts.every(runs) if chart.name not in pooled]
    return [chart for chart in every if chart.worth_showing or (chart.empty and chart.missing)]
