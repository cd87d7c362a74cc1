"""The table and charts as an HTML page, and in a notebook."""

from __future__ import annotations

from incast._core import __version__
from incast.collectives import held_up, listing
from incast.collectives.charts import CHARTS
from incast.collectives.rows import Bandwidths
from incast.present.html.document import document
from incast.present.html.parts import Listing
from incast.present.html.toml_markup import parts
from incast.present.notebook.box import box
from incast.present.notebook.images import drawn

__all__ = ["in_notebook", "page"]


def page(measured: Bandwidths) -> str:
    """The page of the tests as HTML."""
    title, *lines = listing.head(measured)
    charts = [make(measured) for make in CHARTS.values()]
    return document(
        "nccl_tests.html",
        package=__package__,
        title=title,
        charts=[(f"{measured.test.operation}-{chart.name}", chart) for chart in charts],
        version=__version__,
        lines=[*lines, *listing.averages(measured), *measured.notes()],
        failures=_failures(measured),
        shown=charts,
        rows=_rows(measured),
        held_up_heading=held_up.heading(measured),
        held_up=held_up.sentences(measured),
        scenario=parts(measured.scenario),
    )


def in_notebook(measured: Bandwidths) -> str:
    """The table and the chart of bus bandwidth, for a notebook."""
    title, *lines = listing.head(measured)
    return box(
        "sweep.html",
        title=title,
        lines=[*lines, *listing.averages(measured)],
        failures=[*_failures(measured), *measured.notes()],
        means=_rows(measured),
        charts=drawn([CHARTS["busbw"](measured)]),
    )


def _failures(measured: Bandwidths) -> list[str]:
    return [f"{label}: {failure}" for label, failure in measured.failures().items()]


def _rows(measured: Bandwidths) -> Listing:
    return Listing("", listing.header(measured), listing.cells(measured), text=0)
