"""Shows warnings as sentences, on a terminal or through another process."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

__all__ = ["show"]

_OWN = Path(__file__).parent


def show(tell: Callable[[str], None]) -> None:
    """From now on shows each warning once, however often its line runs. Warnings of incast are
    shown as their sentence, warnings of other code, such as an algorithm's, with their line.
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
    """Whether a warning is of a file outside of incast; some warnings have no file."""
    file = Path(filename)
    return file.is_file() and not file.is_relative_to(_OWN)
