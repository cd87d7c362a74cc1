"""Runs on other machines: what a campaign needs of a cluster."""

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
        """Runs that are handed to it at a time: more than it can do at once."""

    def check(self) -> None:
        """Makes sure that its machines give the results of this one.

        Raises:
            ClusterError: They do not.
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
        """As :func:`incast.run`: the results are in the folder of this machine at the end."""
