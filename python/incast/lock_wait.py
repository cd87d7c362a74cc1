"""Waiting for a folder that another process has locked."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from incast.errors import ResultsError
from incast.late_warnings import Warn

__all__ = ["LockWait"]

_TOLD_AFTER = 1.0
"""Seconds of waiting until a warning; incast holds its locks for milliseconds."""
_PATIENCE = 60.0
"""Seconds after which waiting ends: the holder is stuck, or is another program."""
_PATIENCE_AT_END = 5.0
"""Seconds of waiting once the program was asked to end, and may be killed soon."""


class LockWait:
    """The engine calls this several times a second while it waits for the lock of a folder. Warns
    once if another process holds the lock, and ends a long wait.

    Args:
        warn: Gives the warning.
        requests: Gives how many times the program has been asked to end, if that raises no
            exception.
    """

    def __init__(self, warn: Warn, requests: Callable[[], int] = lambda: 0) -> None:
        self._warn = warn
        self._requests = requests
        self._before = requests()
        self._is_told = self._is_over = False

    def __call__(self, folder: str, seconds: float) -> None:
        """Called while waiting; returns to go on waiting.

        Raises:
            ResultsError: The wait was too long, or the program was asked to end.
        """
        self._is_over |= seconds >= self._patience()
        if self._is_over:
            what = _locked_by(_holder(folder))
            raise ResultsError(what, file=folder, hint="end that, or name another place")
        if seconds >= _TOLD_AFTER and not self._is_told:
            self._is_told = True
            holder = _holder(folder)
            # A lock of this process is released soon: its runs take turns.
            if holder != os.getpid():
                self._warn(f"{folder}: {_locked_by(holder)}; waiting for it", 2)

    def _patience(self) -> float:
        requests = self._requests()
        if requests > self._before:
            return 0.0
        return _PATIENCE_AT_END if requests else _PATIENCE


def _locked_by(process: int | None) -> str:
    name = None
    with suppress(OSError, ValueError):
        name = Path(f"/proc/{process}/comm").read_text().strip()
    return "is locked by " + (f"process {process} ({name})" if name else "another process")


def _holder(folder: str) -> int | None:
    """The process that holds a folder's lock, if the system has a list of locks."""
    try:
        facts = Path(folder).stat()
        place = f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}:{facts.st_ino}"
        # A line: `1: FLOCK ADVISORY WRITE 4711 08:01:131073 0 EOF`.
        locks = map(str.split, Path("/proc/locks").read_text(encoding="ascii").splitlines())
        number = next((lock[4] for lock in locks if lock[1] == "FLOCK" and lock[5] == place), None)
        return None if number is None else int(number)
    except (OSError, ValueError):
        return None
