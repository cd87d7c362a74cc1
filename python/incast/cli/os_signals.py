"""Signals that ask the program to end. All are treated like Ctrl-C, so that finished work is kept
when a cluster's time limit or a closed terminal ends the program.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from incast.os_signals import handled

__all__ = ["INTERRUPTED", "Repeated", "caught", "exit_code"]

INTERRUPTED = 128 + signal.SIGINT
"""The exit code of an interrupted command, which is the shells' code after Ctrl-C."""

_NAMES = ("SIGTERM", "SIGHUP")
"""Signals beside SIGINT; Windows has no SIGHUP."""


class _Received:
    """The last of these signals that came."""

    number: int = signal.SIGINT


class Repeated:
    """Signals sent again because Python lost the exception of the first one: how many the counter,
    and how many the answering thread, still has to ignore.
    """

    uncounted = 0
    unanswered = 0


@contextmanager
def caught() -> Iterator[None]:
    """Treats these signals like Ctrl-C, except those that are ignored, as under `nohup`."""
    _Received.number = signal.SIGINT
    with (
        handled(_NAMES, lambda handler: None if handler is signal.SIG_IGN else _interrupt),
        _repeated(),
    ):
        yield


_PAUSE = 0.02
"""Seconds until a signal is sent again. By then the code that lost it has ended; otherwise it is
lost and sent once more.
"""


@contextmanager
def _repeated() -> Iterator[None]:
    """Sends a signal again if its KeyboardInterrupt was lost. Python only prints exceptions raised
    in a `__del__` or in a callback of a weak reference, and goes on; drawing a figure has thousands
    of those.
    """
    main = threading.main_thread()
    before: Callable[[Any], Any] = sys.unraisablehook
    is_open = True

    def hook(lost: Any) -> None:
        of_main = threading.current_thread() is main
        if of_main and issubclass(lost.exc_type, KeyboardInterrupt):
            # An exception raised here would be lost, too.
            _thread.start_new_thread(again, (_Received.number,))
        else:
            before(lost)

    def again(number: int) -> None:
        time.sleep(_PAUSE)
        if is_open:
            Repeated.uncounted += 1
            Repeated.unanswered += 1
            if hasattr(signal, "pthread_kill"):
                signal.pthread_kill(main.ident or 0, number)
            else:
                _thread.interrupt_main(signal.Signals(number))

    sys.unraisablehook = hook
    try:
        yield
    finally:
        is_open = False
        sys.unraisablehook = before


def exit_code(code: int) -> int:
    """The program's exit code: the command's, or that of the signal that interrupted it."""
    return 128 + _Received.number if code == INTERRUPTED else code


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _Received.number = number
    raise KeyboardInterrupt
