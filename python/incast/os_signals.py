"""Handlers of signals for the length of a block.

They are for this process alone: in one that it forks, as an algorithm with a pool of processes
does, signals do what they did before the block.
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
    """What blocks that have not ended replaced."""

    handlers: ClassVar[list[tuple[int, Any, Handler]]] = []
    """Numbers of signals, each with its handler before, and the one in its place."""
    descriptor: int | None = None
    """The open file to which numbers of signals are written."""


@contextmanager
def handled(names: Sequence[str], replace: Callable[[Any], Handler | None]) -> Iterator[None]:
    """Replaces the handlers of signals until the block ends. Python lets only the main thread do
    so: in others, nothing changes.

    Args:
        names: Of signals; those that the system does not have are left out.
        replace: Given the handler of a signal, the one to put in its place; none to leave it.
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
    """Has the numbers of signals written to an open file when they come, not when their handlers
    run, until the block ends. For the main thread.
    """
    before = signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
    outer, _Open.descriptor = _Open.descriptor, descriptor
    try:
        yield
    finally:
        _Open.descriptor = outer
        signal.set_wakeup_fd(before)


def _leave_to_parent() -> None:
    """In a forked process: takes back what is for its parent."""
    if _Open.descriptor is not None:
        signal.set_wakeup_fd(-1)
        _Open.descriptor = None
    for number, handler, replacement in reversed(_Open.handlers):
        # Another one is the user's own.
        if signal.getsignal(number) is replacement:
            signal.signal(number, handler)
    _Open.handlers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
