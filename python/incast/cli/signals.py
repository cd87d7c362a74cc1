"""Signals that ask the program to end: all of them are treated as Ctrl-C is, so that what has
finished is kept when a cluster's time limit or a closed terminal ends a run.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["INTERRUPTED", "caught", "exit_code"]

INTERRUPTED = 128 + signal.SIGINT
"""What a command gives that was interrupted: the exit code that shells give after Ctrl-C."""

_NAMES = ("SIGTERM", "SIGHUP")
"""Beside SIGINT; the second is not everywhere."""


class _Received:
    """The last signal of these."""

    number: int = signal.SIGINT


@contextmanager
def caught() -> Iterator[None]:
    """Treats signals as Ctrl-C, but for those that are ignored, as by `nohup`. Python lets only the
    main thread do so.
    """
    _Received.number = signal.SIGINT
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    present = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in present}
    caught = {number: old for number, old in before.items() if old is not signal.SIG_IGN}
    for number in caught:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, old in caught.items():
            signal.signal(number, old)


def exit_code(code: int) -> int:
    """The program's exit code: that of a command, or of the signal that interrupted it."""
    return 128 + _Received.number if code == INTERRUPTED else code


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _Received.number = number
    raise KeyboardInterrupt
