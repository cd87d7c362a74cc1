"""The memory that runs share while they go on side by side."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from incast.machine import available_memory, without_rows

__all__ = ["SharedMemory", "memory_of"]

_CHECK_INTERVAL = 0.2
"""Seconds between two looks at whether to wait on."""


def memory_of(estimate: Mapping[str, Any]) -> float:
    """Bytes that a run takes, by :meth:`incast.Scenario.estimate`, beside the program itself, which
    is there once, and already.
    """
    needed: float = estimate["memory_bytes"] - estimate["memory_parts"].get("process", 0.0)
    return needed


class SharedMemory:
    """Holds a run, or a call in a worker, back until those under way leave it enough memory, by
    their estimates. One alone is never held back: whether it fits is for its own check.

    Attributes:
        available: Bytes for all of them; ``None`` for no limit.
    """

    def __init__(self, available: float | None) -> None:
        self.available = available
        self._taken: list[float] = []
        self._changed = threading.Condition()

    @staticmethod
    def of_machine() -> SharedMemory:
        """What this machine has available now."""
        return SharedMemory(available_memory())

    def needed(self, estimate: Mapping[str, Any]) -> float:
        """Bytes of a run, without rows of flows where one alone goes without them."""
        needed = memory_of(estimate)
        is_open = estimate.get("leaves_rows_open", False)
        if is_open and self.available is not None and needed > self.available:
            return memory_of(without_rows(estimate))
        return needed

    @contextmanager
    def taken(self, needed: float, stop: threading.Event | None = None) -> Iterator[None]:
        """So much memory, for the length of a block.

        Args:
            needed: Bytes.
            stop: Set when nothing shall be waited for any more.

        Raises:
            KeyboardInterrupt: It is set before the run has its memory.
        """
        with self._changed:
            while not self._changed.wait_for(lambda: self._fits(needed), _CHECK_INTERVAL):
                # One of those under way may never give its memory back.
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
