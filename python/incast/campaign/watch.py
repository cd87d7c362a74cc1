"""Who is told of a campaign's progress."""

from __future__ import annotations

__all__ = ["Watch"]


class Watch:
    """Gets the progress of a campaign, one call at a time; this one ignores it."""

    def begin(self, runs: int, hops: float) -> None:
        """The number of runs, and the hops of those that are not there yet."""

    def advance(self, hops: float, finished: int) -> None:
        """Hops done of those, and finished runs, those that were there among them."""
