"""Starts another Python process, with a module of incast as its program."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["command"]

_PROGRAM = """
import os, sys
standard = os.path.dirname(os.__file__)
own, *searched = sys.argv[{count} + 1:]
first = [standard, os.path.join(standard, "lib-dynload")]
sys.path[:] = [*first, own]
import incast
sys.path[:] = [*first, *searched]
if not {runs_code_of_users}:
    import signal
    signal.signal(signal.SIGINT, signal.SIG_IGN)
import incast.algorithm
from {module} import main
if {runs_code_of_users}:
    sys.path[:] = searched
main(*map(int, sys.argv[1:{count} + 1]))
"""
"""The program of the process. It imports incast and other modules from the same places as this
process. The standard library comes first, as this process may have imported it before it changed to
a folder with, for example, a ``token.py``.
"""
_OWN = str(Path(__file__).absolute().parents[2])
"""The folder in which this process found incast."""


def command(module: str, *arguments: int, runs_code_of_users: bool) -> list[str]:
    """The command line that calls ``main`` of a module with these arguments. If no user code runs,
    imports search the standard library first and the current folder last. Ctrl-C is then left to
    the program that started the process.
    """
    program = _PROGRAM.format(
        module=module, count=len(arguments), runs_code_of_users=runs_code_of_users
    )
    # Entries that are not text are left out, as imports ignore them.
    searched = [entry for entry in sys.path if isinstance(entry, str)]
    if not runs_code_of_users:
        searched.sort(key=lambda entry: entry == "")
    return [sys.executable, "-P", "-c", program, *map(str, arguments), _OWN, *searched]
