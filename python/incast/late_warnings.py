"""Warnings that must not interrupt the storing of results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Warn", "late_warnings"]

Warn = Callable[[str, int], None]
"""Gives a warning, and the number of callers up to the line that is blamed; 1 is the caller."""


@contextmanager
def late_warnings() -> Iterator[Warn]:
    """Gives warnings at once. If warnings are errors, as under `python -W error`, the last one is
    raised only at the end of the block, when results are stored. An error of the block itself takes
    precedence.
    """
    raised: list[Exception] = []

    def warn(sentence: str, callers: int) -> None:
        try:
            warnings.warn(sentence, stacklevel=callers + 1)
        except Exception as error:
            # A user's own `warnings.showwarning` may raise anything.
            raised.append(error)

    yield warn
    if raised:
        raise raised[-1]
