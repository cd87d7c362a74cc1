"""The program `incast`, from its first line on. It stands beside the package, whose import takes a
tenth of a second: Ctrl-C ends that import as it ends programs in other languages, without Python's
traceback.

What comes before, the start of Python itself (20 ms), is not ours; nor is the start of
`python -m incast`, for which Python imports the package first.
"""

from __future__ import annotations

import signal
from typing import NoReturn

__all__ = ["program"]


def program() -> NoReturn:
    """The program: a command line, and its exit code."""
    # Where Ctrl-C is ignored, as in a background job, it stays so. SIGTERM and SIGHUP end Python
    # without a word anyway.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from incast import cli

    cli.program()
