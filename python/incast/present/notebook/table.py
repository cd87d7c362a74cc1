"""A table in a notebook."""

from __future__ import annotations

from incast.present.notebook.box import box
from incast.present.preview import Rows, preview

__all__ = ["html"]


def html(table: Rows) -> str:
    """The first and the last rows, with the unit of each column below its name."""
    return box("table.html", preview=preview(table))
