"""Signals that ask the program to end: all of them are treated as Ctrl-C is, so that what has
finished is kept when a cluster's time limit or a closed terminal ends a run.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from incast.os_signals import handled

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
    """Treats signals as Ctrl-C, but for those that are ignored, as by `nohup`."""
    _Received.number = signal.SIGINT
    with handled(_NAMES, lambda handler: None if handler is signal.SIG_IGN else _interrupt):
        yield


def exit_code(code: int) -> int:
    """The program's exit code: that of a command, or of the signal that interrupted it."""
    return 128 + _Received.number if code == INTERRUPTED else code


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _Received.number = number
    raise KeyboardInterrupt
