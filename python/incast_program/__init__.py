"""The program `incast`, up to the command line. It is outside of the package `incast`, whose import
takes 20 to 40 ms with the modules of a command. During that time Ctrl-C ends the program with one
line and without a traceback. Raising an exception would not always end it: Python drops exceptions
in callbacks of weak references, and imports have many of them.

The time before is not covered: the start of Python itself (10 ms), and the start of
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
    """The entry point of the program: runs a command line, and exits with its code."""
    # If Ctrl-C is ignored, as in a background job, it stays ignored. SIGTERM and SIGHUP end Python
    # silently by default.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    # When imported, NumPy would start a thread per core for products of large matrices, which
    # incast does not compute.
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
