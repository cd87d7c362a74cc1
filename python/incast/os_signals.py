"""Handlers of signals for the length of a block."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["Handler", "handled"]

Handler = Callable[[int, FrameType | None], Any]


@contextmanager
def handled(names: Sequence[str], replace: Callable[[Any], Handler | None]) -> Iterator[None]:
    """Replaces the handlers of signals until the block ends. Python lets only the main thread do
    so: in others, nothing changes.

    Args:
        names: Of signals; those that the system does not have are left out.
        replace: Given the handler of a signal, the one to put in its place; none to leave it.
    """
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
            handler = signal.getsignal(number)
            replacement = replace(handler)
            if replacement is not None:
                before[number] = handler
                signal.signal(number, replacement)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
