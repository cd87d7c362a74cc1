"""How another process of Python is started, with a module of incast as its program."""

from __future__ import annotations

import sys

__all__ = ["command"]

_PROGRAM = """
import os, sys
standard = os.path.dirname(os.__file__)
searched = sys.argv[{count} + 1:]
sys.path[:] = [standard, os.path.join(standard, "lib-dynload"), *searched]
import incast.algorithm
from {module} import main
sys.path[:] = searched
main(*map(int, sys.argv[1:{count} + 1]))
"""
"""Looks for modules where this process does, but first in the standard library for those that
incast imports: this process may have them from before it came to a folder with a ``token.py``.
"""


def command(module: str, *arguments: int) -> list[str]:
    """The command that calls ``main`` of a module with these arguments."""
    program = _PROGRAM.format(module=module, count=len(arguments))
    # Like imports, without what is no text.
    searched = [entry for entry in sys.path if isinstance(entry, str)]
    return [sys.executable, "-P", "-c", program, *map(str, arguments), *searched]
