"""How a run is asked to end: results of what has finished are kept first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from incast import _core
from incast.os_signals import Handler, handled

__all__ = ["Ending", "until_kept"]


class Ending:
    """How often a run was asked to end, and what its progress callback raised."""

    def __init__(self) -> None:
        self.requests = 0
        self.failure: Exception | None = None

    @property
    def wanted(self) -> bool:
        """Whether an end was asked for."""
        return self.requests > 0 or self.failure is not None

    def watch(
        self, progress: Callable[[dict[str, Any]], None] | None
    ) -> Callable[[dict[str, Any]], None]:
        """The callback of a run, which ends it if that is wanted, or if `progress` fails."""

        def told(done: dict[str, Any]) -> None:
            try:
                if progress is not None and not self.wanted:
                    progress(done)
            except Exception as error:
                self.failure = error
            if self.wanted:
                # The engine ends at this exception, and gives what has finished.
                raise KeyboardInterrupt

        return told


@contextmanager
def until_kept() -> Iterator[Ending]:
    """Notes Ctrl-C, and other signals that raise KeyboardInterrupt, until results are kept: else
    one that comes between the end of a run and the end of its storing would lose it. Signals reach
    the main thread alone.
    """
    ending = Ending()

    def noting(handler: Any) -> Handler | None:
        if not callable(handler):
            return None

        def note(number: int, frame: FrameType | None) -> None:
            try:
                handler(number, frame)
            except KeyboardInterrupt:
                ending.requests += 1
                if _core.in_algorithm():
                    # It may never return: the exception ends it, and the run is asked to end.
                    raise

        return note

    with handled(("SIGINT", "SIGTERM", "SIGHUP"), noting):
        yield ending
