"""Handlers of signals that are replaced inside a block.

They hold in this process only. A forked process, as of an algorithm with a pool of processes, has
the handlers from before the block.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, ClassVar

__all__ = ["Handler", "handled", "written_to"]

Handler = Callable[[int, FrameType | None], Any]


class _Open:
    """What the blocks under way have replaced."""

    handlers: ClassVar[list[tuple[int, Any, Handler]]] = []
    """Replaced handlers: number of the signal, handler before, handler in its place."""
    descriptor: int | None = None
    """The open file to which numbers of signals are written."""


@contextmanager
def handled(names: Sequence[str], replace: Callable[[Any], Handler | None]) -> Iterator[None]:
    """Replaces the handlers of signals until the block ends. Does nothing outside of the main
    thread, where Python does not allow it.

    Args:
        names: Names of signals; signals that the system does not have are skipped.
        replace: Takes the handler of a signal, and gives the new one; ``None`` keeps the old one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    begin = len(_Open.handlers)
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        handler = signal.getsignal(number)
        replacement = replace(handler)
        if replacement is not None:
            _Open.handlers.append((number, handler, replacement))
            signal.signal(number, replacement)
    try:
        yield
    finally:
        for number, handler, _ in _Open.handlers[begin:]:
            signal.signal(number, handler)
        del _Open.handlers[begin:]


@contextmanager
def written_to(descriptor: int) -> Iterator[None]:
    """Until the block ends, writes the number of each signal to an open file as soon as it comes,
    before its handler runs. Main thread only.
    """
    before = signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
    outer, _Open.descriptor = _Open.descriptor, descriptor
    try:
        yield
    finally:
        _Open.descriptor = outer
        signal.set_wakeup_fd(before)


def _leave_to_parent() -> None:
    """In a forked process: restores the parent's handlers from before the blocks."""
    if _Open.descriptor is not None:
        signal.set_wakeup_fd(-1)
        _Open.descriptor = None
    for number, handler, replacement in reversed(_Open.handlers):
        # The user may have set another handler since.
        if signal.getsignal(number) is replacement:
            signal.signal(number, handler)
    _Open.handlers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
