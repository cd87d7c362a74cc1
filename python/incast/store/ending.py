"""Ends a run early: results of what has finished are kept first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from incast import _core
from incast.os_signals import Handler, handled

__all__ = ["Ending", "until_kept"]


class Ending:
    """The number of requests to end a run, and the exception that its progress callback raised."""

    def __init__(self) -> None:
        self.requests = 0
        self.failure: Exception | None = None

    @property
    def wanted(self) -> bool:
        """Whether the run should end."""
        return self.requests > 0 or self.failure is not None

    def watch(
        self, progress: Callable[[dict[str, Any]], None] | None
    ) -> Callable[[dict[str, Any]], None]:
        """A callback for the run's progress. It ends the run if that was requested, or if
        `progress` fails.
        """

        def told(done: dict[str, Any]) -> None:
            try:
                if progress is not None and not self.wanted:
                    progress(done)
            except Exception as error:
                self.failure = error
            if self.wanted:
                # The engine ends the run at this exception, and gives the results so far.
                raise KeyboardInterrupt

        return told


@contextmanager
def until_kept() -> Iterator[Ending]:
    """Records Ctrl-C, and other signals that raise KeyboardInterrupt, until results are stored.
    Otherwise a signal between the end of the run and the end of storing would lose the results.
    Only the main thread gets signals.
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
                    # A user's handler may never return: its exception ends the handler, and
                    # requests the end.
                    raise

        return note

    with handled(("SIGINT", "SIGTERM", "SIGHUP"), noting):
        yield ending
