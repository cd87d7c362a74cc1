"""Who is told of a campaign's progress."""

from __future__ import annotations

__all__ = ["Watch"]


class Watch:
    """Gets the progress of a sweep, a comparison or a reproduction: a class of yours has these
    methods, which are called one at a time. This one ignores it.
    """

    def begin(self, runs: int, hops: float) -> None:
        """Called once, before the first run.

        Args:
            runs: The number of all runs.
            hops: Packet-hops, of fabrics flit-hops, of those whose results are not there yet.
        """

    def advance(self, hops: float, finished: int) -> None:
        """Called as runs go on.

        Args:
            hops: Of `hops` above, those that are done so far.
            finished: Runs that are finished, those whose results were there among them.
        """
