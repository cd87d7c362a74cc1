"""A figure that a notebook shows as it is, with or without ``%matplotlib inline``."""

from __future__ import annotations

import io
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from incast.present.matplotlib.style import STYLE

__all__ = ["NotebookFigure", "png"]

_DOTS_PER_PIXEL = 2
"""Dots of a figure for a pixel, for screens of high density."""
_PIXELS_PER_INCH = 135
"""A column of a paper is 3.4 inches wide: on a screen, larger than in print."""


class NotebookFigure(Figure):
    """A matplotlib figure. IPython itself shows figures of ``pyplot`` alone, and this one belongs
    to no window.
    """

    def _repr_mimebundle_(self, **_wanted: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """The figure as PNG, with its size on the screen."""
        drawn, width, height = png(self)
        size = {"width": width, "height": height}
        return {"image/png": drawn, "text/plain": repr(self)}, {"image/png": size}


def png(figure: Figure) -> tuple[bytes, int, int]:
    """A figure as PNG, and its width and height on a screen, in CSS pixels."""
    drawn = io.BytesIO()
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figure.savefig(drawn, format="png", dpi=_DOTS_PER_PIXEL * _PIXELS_PER_INCH)
    found = drawn.getvalue()
    width, height = (int.from_bytes(found[at : at + 4]) for at in (16, 20))
    return found, width // _DOTS_PER_PIXEL, height // _DOTS_PER_PIXEL
