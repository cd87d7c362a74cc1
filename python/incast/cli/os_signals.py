"""Signals that ask the program to end: all of them are treated as Ctrl-C is, so that what has
finished is kept when a cluster's time limit or a closed terminal ends a run.
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
"""What a command gives that was interrupted: the exit code that shells give after Ctrl-C."""

_NAMES = ("SIGTERM", "SIGHUP")
"""Beside SIGINT; the second is not everywhere."""


class _Received:
    """The last signal of these."""

    number: int = signal.SIGINT


class Repeated:
    """Signals that come again because Python lost the first one's exception: how many of them are
    still to be passed over by what counts signals, and by what answers them.
    """

    uncounted = 0
    unanswered = 0


@contextmanager
def caught() -> Iterator[None]:
    """Treats signals as Ctrl-C, but for those that are ignored, as by `nohup`."""
    _Received.number = signal.SIGINT
    with (
        handled(_NAMES, lambda handler: None if handler is signal.SIG_IGN else _interrupt),
        _repeated(),
    ):
        yield


_PAUSE = 0.02
"""Seconds until a signal comes again: the code that lost it has ended, or loses it once more."""


@contextmanager
def _repeated() -> Iterator[None]:
    """Has a signal come again whose KeyboardInterrupt was raised where Python only prints
    exceptions, and goes on: in a callback of a weak reference or a `__del__`, of which drawing a
    figure has thousands.
    """
    main = threading.main_thread()
    before: Callable[[Any], Any] = sys.unraisablehook
    is_open = True

    def hook(lost: Any) -> None:
        of_main = threading.current_thread() is main
        if of_main and issubclass(lost.exc_type, KeyboardInterrupt):
            # Here the exception would be lost as well.
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
    """The program's exit code: that of a command, or of the signal that interrupted it."""
    return 128 + _Received.number if code == INTERRUPTED else code


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _Received.number = number
    raise KeyboardInterrupt
