"""File formats of figures."""

from __future__ import annotations

from collections.abc import Sequence

from incast.errors import ResultsError
from incast.names import hint

__all__ = ["FORMATS", "check_formats"]

FORMATS = ("png", "svg", "pdf")


def check_formats(formats: Sequence[str]) -> None:
    """Checks that figures can be drawn in all of these formats.

    Raises:
        ResultsError: A format is unknown.
    """
    if isinstance(formats, str):
        what = f"`formats` is a text, `{formats}`, and not a list of names"
        raise ResultsError(what, hint=f'write e.g. formats=["{FORMATS[0]}"]')
    for name in formats:
        if name not in FORMATS:
            raise ResultsError(f"unknown format `{name}`", hint=hint(str(name), FORMATS))
