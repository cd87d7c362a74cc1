"""A deadline for a process whose Python code may not get to run: one long call of an algorithm into
C, as ``sum(range(10**12))``, lets no other thread have the interpreter.

The process hears SIGQUIT, and then has three seconds. It hears it from the campaign, or, on Linux,
from the kernel when the campaign is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["hear", "hearing_later", "lift", "start", "start_anew"]

_PR_SET_PDEATHSIG = 1
"""An option of Linux: which signal a process gets when the thread that started it ends."""


@contextmanager
def hearing_later() -> Iterator[None]:
    """For a block that starts a process: that gets its deadline once it can :func:`hear` of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGQUIT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(child: subprocess.Popen[bytes]) -> None:
    """Sets the deadline of a process."""
    child.send_signal(signal.SIGQUIT)


def hear(campaign: int) -> None:
    """Lets this process hear of its deadline.

    Args:
        campaign: The process that started it, and whose end sets the deadline as well.
    """
    import ctypes

    libc = ctypes.CDLL(None)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    # A handler in Python would wait for the interpreter. This one of C's is called with the number
    # of the signal, 3: SIGALRM comes after so many seconds, and ends the process.
    libc.signal(int(signal.SIGQUIT), libc.alarm)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGQUIT, signal.SIGALRM})
    if sys.platform == "linux":
        libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGQUIT))
        if os.getppid() != campaign:
            # It was killed before.
            os.kill(os.getpid(), signal.SIGQUIT)


def start_anew() -> None:
    """Puts off the deadline of this process, whose Python code runs."""
    signal.setitimer(signal.ITIMER_REAL, signal.SIGQUIT)


def lift() -> None:
    """Takes back the deadline of this process."""
    signal.setitimer(signal.ITIMER_REAL, 0)
