"""The interface of a cluster, on whose machines a campaign can run."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from incast.experiment import Memory, Progress
from incast.results import Results
from incast.scenario import Scenario

__all__ = ["Cluster"]


class Cluster(Protocol):
    """Machines that run scenarios, and bring their results back."""

    @property
    def places(self) -> int:
        """The number of runs submitted at a time, which is more than the cluster runs at once."""

    def check(self) -> None:
        """Checks that the cluster's machines give the same results as this machine.

        Raises:
            ClusterError: A machine gives other results.
        """

    def run(
        self,
        scenario: Scenario,
        *,
        folder: Path,
        force: bool,
        memory: Memory,
        progress: Progress,
    ) -> Results:
        """As :func:`incast.run`. At the end, the results are in the folder on this machine."""
