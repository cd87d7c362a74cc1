"""A deadline for a process in which no Python code may be able to run: a long call of an algorithm
into C, such as ``sum(range(10**12))``, holds the interpreter lock.

After SIGQUIT the process has three seconds. The signal comes from the campaign or, on Linux, from
the kernel when the campaign is killed.
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
"""Option of Linux's `prctl`: the signal that a process gets when the thread that started it
ends.
"""


@contextmanager
def hearing_later() -> Iterator[None]:
    """For a block that starts a process: SIGQUIT stays blocked in that process until it calls
    :func:`hear`.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGQUIT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(child: subprocess.Popen[bytes]) -> None:
    """Starts the deadline of another process."""
    child.send_signal(signal.SIGQUIT)


def hear(campaign: int) -> None:
    """Makes SIGQUIT start the deadline of this process.

    Args:
        campaign: The number of the process that started this one; its end also starts the deadline.
    """
    import ctypes

    libc = ctypes.CDLL(None)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    # A handler in Python would wait for the interpreter. The C function is called with the number
    # of the signal, 3. So after three seconds SIGALRM comes, and ends the process.
    libc.signal(int(signal.SIGQUIT), libc.alarm)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGQUIT, signal.SIGALRM})
    if sys.platform == "linux":
        libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGQUIT))
        if os.getppid() != campaign:
            # The campaign was killed before this process asked for the signal.
            os.kill(os.getpid(), signal.SIGQUIT)


def start_anew() -> None:
    """Starts the deadline of this process again, because its Python code can run."""
    signal.setitimer(signal.ITIMER_REAL, signal.SIGQUIT)


def lift() -> None:
    """Cancels the deadline of this process."""
    signal.setitimer(signal.ITIMER_REAL, 0)
