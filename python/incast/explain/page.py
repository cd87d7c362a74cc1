"""Explanations of flows as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from incast._core import __version__
from incast.explain.answers import FlowAnswer
from incast.explain.charts import charts
from incast.explain.drawing import path_drawing
from incast.files import file_name
from incast.present import explanation
from incast.present.charts import Chart
from incast.present.html import write_document
from incast.present.html.document import document
from incast.present.html.network_map import NetworkMap
from incast.present.html.parts import Listing

__all__ = ["Section", "page", "write"]

_MOST_DRAWN = 10
"""The most flows whose network is drawn; a drawing of 2,048 hosts takes some 300 KB."""


@dataclass(frozen=True)
class Section:
    """A section of the page: one flow, or several flows together."""

    anchor: str
    heading: str
    answer: str
    sender: str
    listings: Sequence[Listing]
    charts: Sequence[Chart]
    map: NetworkMap | None = None
    """The network with the flow's path; ``None`` for several flows, and after the first ten."""


def write(found: Sequence[FlowAnswer], file: str | Path, *, title: str | None = None) -> Path:
    """Writes a page that explains flows, and gives the page's path.

    Args:
        found: The explanations of the flows.
        file: The file to write.
        title: The title of the page; by default, the numbers of the flows.

    Raises:
        ResultsError: The file cannot be written.
    """
    numbers = ", ".join(str(each.flow.flow_id) for each in found)
    title = title or f"Why {'flow' if len(found) == 1 else 'flows'} {numbers} took so long"
    return write_document(Path(file), lambda: page(title, [*_sections(found)]))


def page(title: str, sections: Sequence[Section]) -> str:
    """The page of explanations as HTML."""
    return document(
        "explained.html",
        package=__package__,
        title=title,
        charts=[
            (file_name(f"{section.anchor}-{chart.name}"), chart)
            for section in sections
            for chart in section.charts
        ],
        version=__version__,
        sections=sections,
    )


def _sections(found: Sequence[FlowAnswer]) -> Iterator[Section]:
    for number, each in enumerate(found):
        yield _section(each, path_drawing(each) if number < _MOST_DRAWN else None)


def _section(found: FlowAnswer, drawn: NetworkMap | None) -> Section:
    listings = [
        Listing("Parts of the FCT", *explanation.parts_table(found), text=2, remarks=1),
    ]
    if found.company:
        header, rows = explanation.company_table(found.company)
        listings.append(Listing("Other flows on its path", header, rows, text=1, remarks=1))
    return Section(
        f"flow-{found.flow.flow_id}",
        explanation.title(found),
        explanation.answer(found),
        explanation.sender(found),
        listings,
        charts(found),
        drawn,
    )
