"""The callbacks for the progress of a campaign."""

from __future__ import annotations

__all__ = ["Watch"]


class Watch:
    """Gets the progress of a sweep, a comparison or a reproduction. A class of your own overrides
    these methods, which are called one at a time. The methods here do nothing.
    """

    def begin(self, runs: int, hops: float) -> None:
        """Called once, before the first run.

        Args:
            runs: The number of all runs.
            hops: Packet-hops (flit-hops of fabrics) of the runs that have no results yet.
        """

    def advance(self, hops: float, finished: int) -> None:
        """Called as runs go on.

        Args:
            hops: The number of these hops that are done so far.
            finished: The number of finished runs, including those whose results already existed.
        """
