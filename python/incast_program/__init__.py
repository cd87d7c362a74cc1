"""The program `incast`, from its first line on. It stands beside the package, whose import takes 20
to 40 ms with what a command needs: Ctrl-C ends that at once, in one line and without Python's
traceback. An exception would not always end it: Python loses those that are raised in a callback of
a weak reference, of which imports have many.

What comes before, the start of Python itself (10 ms), is not ours; nor is the start of
`python -m incast`, for which Python imports the package first.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

__all__ = ["program"]

_INTERRUPTED = 128 + signal.SIGINT
"""The exit code that shells give after Ctrl-C."""


def program() -> NoReturn:
    """The program: a command line, and its exit code."""
    # Where Ctrl-C is ignored, as in a background job, it stays so. SIGTERM and SIGHUP end Python
    # without a word anyway.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    # NumPy starts a thread for each core when it is imported, for products of large matrices, of
    # which a report has none.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from incast import cli

    cli.load(sys.argv[1:])
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.program()


def _end(*_signal: object) -> NoReturn:
    try:
        os.write(2, b"interrupted: nothing has begun\n")
    finally:
        os._exit(_INTERRUPTED)
