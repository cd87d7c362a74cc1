"""Where the time of many flows went, as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from incast._core import __version__
from incast.explain.breakdown import Breakdown
from incast.explain.page import Section
from incast.files import file_name
from incast.present.breakdown import charts, table
from incast.present.html import write_document
from incast.present.html.document import document
from incast.present.html.parts import Listing

__all__ = ["write"]


def write(found: Mapping[str, Breakdown], file: str | Path, *, title: str | None = None) -> Path:
    """Writes one page on where the time of many flows went, and gives its path.

    Args:
        found: By label.
        file: Where to.
        title: Of the page; by default, the names of the scenarios.

    Raises:
        ResultsError: The file cannot be written.
    """
    return write_document(Path(file), lambda: _page(found, title))


def _page(found: Mapping[str, Breakdown], title: str | None) -> str:
    drawn = charts(found)
    names = ", ".join(dict.fromkeys(each.name for each in found.values()))
    groups = [(label, group) for label, each in found.items() for group in each.groups()]
    section = Section(
        "breakdown",
        "Mean shares of each part in the FCT",
        "Flows are explained one by one, so a sample of them stands for all.",
        "",
        [Listing(f"{label}: {group.what}", *table(group), text=1) for label, group in groups],
        drawn,
    )
    return document(
        "explained.html",
        package=__package__,
        title=title or f"Where the time went: {names}",
        charts=[(file_name(chart.name), chart) for chart in drawn],
        version=__version__,
        sections=[section],
    )
