"""The breakdown of many flows' FCTs as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from incast.explain.breakdown import Breakdown
from incast.explain.page import Section, page
from incast.present.breakdown import groups, table
from incast.present.charts.breakdown import charts
from incast.present.html import write_document
from incast.present.html.parts import Listing

__all__ = ["write"]


def write(found: Mapping[str, Breakdown], file: str | Path, *, title: str | None = None) -> Path:
    """Writes a page on the breakdown of many flows' FCTs, and gives the page's path.

    Args:
        found: The breakdowns by label.
        file: The file to write.
        title: The title of the page; by default, the name of the scenario, or the labels of several
            runs.

    Raises:
        ResultsError: The file cannot be written.
    """
    names = [each.name for each in found.values()] if len(found) == 1 else found
    title = title or f"Where the time went: {', '.join(names)}"
    return write_document(Path(file), lambda: page(title, [_section(found)]))


def _section(found: Mapping[str, Breakdown]) -> Section:
    every = groups(found)
    text = 1 if len(found) == 1 else 2
    return Section(
        "breakdown",
        "Mean shares of each part in the FCT",
        "",
        "",
        [Listing(name.capitalize(), *table(group), text=text) for name, group in every.items()],
        charts(every),
    )
