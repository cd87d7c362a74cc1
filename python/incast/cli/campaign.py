"""One line on the terminal while many runs go on."""

from __future__ import annotations

import sys
import time

from incast.campaign.watch import Watch
from incast.cli.progress import BETWEEN, LOG_EVERY, rewrite
from incast.present.units import plural, seconds_text

__all__ = ["CampaignLine"]

_EVERY = 0.1
"""Seconds between two updates of the terminal's line."""
_TELLING = 0.02
"""The smallest share of the work from which the remaining time is estimated."""


class CampaignLine(Watch):
    """Shows runs done and time left. On a terminal it is one line, cleared at the end; elsewhere a
    line a minute.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._out = None if quiet else sys.stderr
        self._is_terminal = sys.stderr.isatty()
        self._every = _EVERY if self._is_terminal else LOG_EVERY
        self._runs = 0
        self._hops = 1.0
        self._begin = self._told = time.monotonic()

    def __enter__(self) -> CampaignLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._out and self._is_terminal:
            rewrite(self._out, "")

    def begin(self, runs: int, hops: float) -> None:
        """Begins with the number of runs, and the packet-hops of those without results yet."""
        self._runs, self._hops = runs, max(hops, 1.0)
        self._begin = self._told = time.monotonic()

    def advance(self, hops: float, finished: int) -> None:
        """Shows the packet-hops done so far, and the number of finished runs."""
        now = time.monotonic()
        if self._out is None or now - self._told < self._every:
            return
        self._told = now
        line = self._line(hops / self._hops, finished, now)
        if self._is_terminal:
            rewrite(self._out, line)
        else:
            print(line, file=self._out, flush=True)

    def _line(self, share: float, finished: int, now: float) -> str:
        parts = [f"{finished} of {plural(self._runs, 'run')}", f"{100 * share:.0f} %"]
        if share > _TELLING:
            left = (now - self._begin) * (1 - share) / share
            parts.append(f"{seconds_text(round(left))} left")
        return BETWEEN.join(parts)
