"""The results of all checks as one HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from incast._core import __version__
from incast.conformance.line import Line
from incast.present.html.document import VERDICTS, document, sheet

__all__ = ["page"]


def page(algorithm: str, lines: Sequence[Line]) -> str:
    """The page of the checks as HTML."""
    return document(
        "conformance.html",
        package=__package__,
        title=f"Checks of {algorithm}",
        style=sheet(VERDICTS),
        charts=[(f"check-{algorithm}-{line.name}", line.chart) for line in lines if line.chart],
        version=__version__,
        lines=lines,
    )
