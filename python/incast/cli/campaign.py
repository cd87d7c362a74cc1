"""One line on the terminal while many runs go on."""

from __future__ import annotations

import sys
import time

from incast.cli.progress import rewrite
from incast.papers import Watch
from incast.present.units import plural, seconds_text

__all__ = ["CampaignLine"]

_EVERY = 0.1
"""Seconds between two rewritings."""
_TELLING = 0.02
"""Smallest share of the work from which the time left is estimated."""


class CampaignLine(Watch):
    """Runs done and time left, on a terminal; the line is cleared at the end."""

    def __init__(self, *, quiet: bool) -> None:
        self._out = None if quiet or not sys.stderr.isatty() else sys.stderr
        self._runs = 0
        self._hops = 1.0
        self._begin = self._told = 0.0

    def __enter__(self) -> CampaignLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._out:
            rewrite(self._out, "")

    def begin(self, runs: int, hops: float) -> None:
        """The number of runs, and their packet-hops in all."""
        self._runs, self._hops = runs, max(hops, 1.0)
        self._begin = time.monotonic()

    def advance(self, hops: float, finished: int) -> None:
        """Packet-hops done in all, and finished runs."""
        now = time.monotonic()
        if self._out and (now - self._told >= _EVERY or finished == self._runs):
            self._told = now
            rewrite(self._out, self._line(hops / self._hops, finished, now))

    def _line(self, share: float, finished: int, now: float) -> str:
        parts = [f"{finished} of {plural(self._runs, 'run')}", f"{100 * share:.0f} %"]
        if share > _TELLING:
            left = (now - self._begin) * (1 - share) / share
            parts.append(f"{seconds_text(round(left))} left")
        return " · ".join(parts)
