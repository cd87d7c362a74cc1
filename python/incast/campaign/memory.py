"""The memory that concurrent runs share."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from incast.machine import available_memory, without_rows

__all__ = ["SharedMemory", "memory_of"]

_CHECK_INTERVAL = 0.2
"""Seconds between two checks of whether to go on waiting."""


def memory_of(estimate: Mapping[str, Any]) -> float:
    """Bytes that a run takes, by :meth:`incast.Scenario.estimate`, without the program itself,
    which is already in memory.
    """
    needed: float = estimate["memory_bytes"] - estimate["memory_parts"].get("process", 0.0)
    return needed


class SharedMemory:
    """Delays a run, or a call in a worker, until the others leave it enough memory, by their
    estimates. A single run is never delayed, as it has been checked to fit.

    Attributes:
        available: Bytes for all runs together; ``None`` for no limit.
    """

    def __init__(self, available: float | None) -> None:
        self.available = available
        self._taken: list[float] = []
        self._changed = threading.Condition()

    @staticmethod
    def of_machine() -> SharedMemory:
        """The memory that is available on this machine now."""
        return SharedMemory(available_memory())

    def needed(self, estimate: Mapping[str, Any]) -> float:
        """Bytes that a run needs; without rows of flows, if they would not fit even if the run were
        alone.
        """
        needed = memory_of(estimate)
        is_open = estimate.get("leaves_rows_open", False)
        if is_open and self.available is not None and needed > self.available:
            return memory_of(without_rows(estimate))
        return needed

    @contextmanager
    def taken(self, needed: float, stop: threading.Event | None = None) -> Iterator[None]:
        """Takes memory for the length of a block; waits until it is available.

        Args:
            needed: The number of bytes.
            stop: When set, waiting ends.

        Raises:
            KeyboardInterrupt: ``stop`` was set before the memory was available.
        """
        with self._changed:
            while not self._changed.wait_for(lambda: self._fits(needed), _CHECK_INTERVAL):
                # A run under way may never release its memory.
                if stop is not None and stop.is_set():
                    raise KeyboardInterrupt
            self._taken.append(needed)
        try:
            yield
        finally:
            with self._changed:
                self._taken.remove(needed)
                self._changed.notify_all()

    def _fits(self, needed: float) -> bool:
        if self.available is None or not self._taken:
            return True
        return sum(self._taken) + needed <= self.available
