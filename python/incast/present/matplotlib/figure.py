"""A figure that notebooks show, with or without ``%matplotlib inline``."""

from __future__ import annotations

import io
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from incast.present.matplotlib.style import STYLE

__all__ = ["NotebookFigure", "png"]

_DOTS_PER_PIXEL = 2
"""Dots of the image per CSS pixel, for high-density screens."""
_PIXELS_PER_INCH = 135
"""CSS pixels per inch of the figure. A column of 3.4 inches is larger on the screen than in
print.
"""


class NotebookFigure(Figure):
    """A matplotlib figure that belongs to no window. By itself IPython shows only figures of
    ``pyplot``.
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
