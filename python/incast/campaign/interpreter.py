"""How another process of Python is started, with a module of incast as its program."""

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
"""Takes incast, and other modules, from where this process has them. Modules of the standard
library come first: this process may have imported them before it came to a folder with a
``token.py``.
"""
_OWN = str(Path(__file__).absolute().parents[2])
"""The folder in which this process found incast."""


def command(module: str, *arguments: int, runs_code_of_users: bool) -> list[str]:
    """The command that calls ``main`` of a module with these arguments. Where only incast's own
    code runs, what it imports is searched in the standard library first, and in the current folder
    last; and Ctrl-C is for the program that started it, wherever it is pressed.
    """
    program = _PROGRAM.format(
        module=module, count=len(arguments), runs_code_of_users=runs_code_of_users
    )
    # Like imports, without what is no text.
    searched = [entry for entry in sys.path if isinstance(entry, str)]
    if not runs_code_of_users:
        searched.sort(key=lambda entry: entry == "")
    return [sys.executable, "-P", "-c", program, *map(str, arguments), _OWN, *searched]
