"""A comparison over seeds in a notebook."""

from __future__ import annotations

from incast.errors import ResultsError
from incast.present import paired, paired_listings
from incast.present.html.paired_page import listings, pooled_charts
from incast.present.notebook.box import box
from incast.present.notebook.images import Drawn, drawn
from incast.present.paired_listings import Compared

__all__ = ["html"]

_CHARTS = ("slowdown-p50", "slowdown-p99")


def html(compared: Compared) -> str:
    """Means and ratios, and the median and tail of FCT slowdown over flow size."""
    name, *lines = paired_listings.heading(compared.by_seed)
    images, unreadable = _images(compared)
    return box(
        "runs.html",
        title=name,
        lines=[*lines, paired.note(compared.difference)],
        warnings=[*paired_listings.notes(compared.by_seed), *unreadable],
        listings=listings(compared),
        cards=[],
        charts=images,
    )


def _images(compared: Compared) -> tuple[list[Drawn], list[str]]:
    """The charts, or the reason why tables cannot be read."""
    try:
        found = [each for each in pooled_charts(compared) if each.name in _CHARTS]
        return drawn(each for each in found if not each.empty), []
    except ResultsError as error:
        return [], [str(error)]
