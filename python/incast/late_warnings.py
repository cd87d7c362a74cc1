"""Warnings of a moment in which nothing may be lost."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Warn", "late_warnings"]

Warn = Callable[[str, int], None]
"""Gives a warning, with the number of callers up to the line that is to blame, the next being 1."""


@contextmanager
def late_warnings() -> Iterator[Warn]:
    """Gives warnings at once. Where they are errors, as under `python -W error`, the last one is
    raised only at the end of the block, when results are stored. An error of the block itself goes
    first.
    """
    raised: list[Exception] = []

    def warn(sentence: str, callers: int) -> None:
        try:
            warnings.warn(sentence, stacklevel=callers + 1)
        except Exception as error:
            # Also what a way of the user's own to show warnings raises.
            raised.append(error)

    yield warn
    if raised:
        raise raised[-1]
