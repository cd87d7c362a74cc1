"""Warnings as sentences, for a terminal, or for another process that tells them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

__all__ = ["show"]

_OWN = Path(__file__).parent


def show(tell: Callable[[str], None]) -> None:
    """Has each warning told once from now on, however often the line is at work that gives it:
    those of incast by their sentence, those of other code, as an algorithm's, with their line.
    """
    told: set[str] = set()

    def shown(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        *_: object,
        **__: object,
    ) -> None:
        sentence = str(message)
        if _is_of_others(filename):
            sentence = f"{filename}:{lineno}: {category.__name__}: {message}"
        if sentence not in told:
            told.add(sentence)
            tell(sentence)

    warnings.simplefilter("default")
    warnings.showwarning = shown


def _is_of_others(filename: str) -> bool:
    """Whether a warning is of another program's file; some are of none."""
    file = Path(filename)
    return file.is_file() and not file.is_relative_to(_OWN)
