"""The results of a run as metrics and charts read them: the summary and the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from incast.errors import ResultsError
from incast.table import Table

__all__ = ["Network", "Run", "Runs", "are_fabrics", "is_fabric"]


class Run(Protocol):
    """The read-only part of the results of one run; :class:`incast.Results` has it."""

    @property
    def name(self) -> str:
        """Name of the scenario."""

    @property
    def algorithm(self) -> str:
        """Name of the congestion control algorithm."""

    @property
    def identity(self) -> str:
        """Identity of the scenario, its seed and the engine."""

    @property
    def fingerprint(self) -> str:
        """A hash of all completion times and counters."""

    @property
    def summary(self) -> dict[str, Any]:
        """Key figures, as in ``summary.json``."""

    @property
    def scenario(self) -> str:
        """The scenario as TOML, with every default filled in."""

    @property
    def flows(self) -> Table:
        """Flows that started: completed ones in order of completion, then unfinished ones."""

    @property
    def completed(self) -> Table:
        """Completed flows, in order of completion."""

    @property
    def kept_completed(self) -> Table:
        """Measurements over time, one per row."""

    @property
    def series(self) -> Table:
        """Measurements over time, one a row."""

    @property
    def ports(self) -> Table:
        """Counters of every port."""

    @property
    def packets(self) -> Table:
        """Events of packets, one per row, if the scenario asked for a trace."""

    @property
    def senders(self) -> Table:
        """What held packets of traced flows back at their senders, if the scenario asked for
        causes.
        """

    @property
    def company(self) -> Table:
        """Other flows whose data the traced flows met at ports, if the scenario asked for
        causes.
        """

    @property
    def pause_causes(self) -> Table:
        """Why switches paused peers, if the scenario asked for causes."""

    @property
    def round_trips(self) -> Table:
        """A histogram of packets' round trips, if the scenario asked for round trips."""

    @property
    def entropies(self) -> Table:
        """Feedback on each entropy of each flow, if the scenario asked for entropies."""

    @property
    def messages(self) -> Table:
        """Completed messages, in order of completion, if the scenario has an attack."""

    @property
    def faults(self) -> Table:
        """Faults of links, one per row, if the scenario has any."""

    @property
    def collectives(self) -> Table:
        """Rounds of collectives, in order of completion, if the traffic has any."""

    @property
    def critical_path(self) -> Table:
        """The messages that held up the end of each collective, in order of time, if any."""

    @property
    def operations(self) -> Table:
        """A fabric's operations, by initiator, in order of issue."""

    @property
    def controls(self) -> Table:
        """Tokens, watermarks and unmatched flits of a fabric's endpoints over time."""

    @property
    def queues(self) -> Table:
        """Flits in a fabric's queues over time, by switch and virtual channel."""


class Network(Protocol):
    """The part of a run's results that describes its network."""

    @property
    def summary(self) -> dict[str, Any]:
        """Key figures, as in ``summary.json``."""

    @property
    def ports(self) -> Table:
        """Counters of every port."""

    @property
    def faults(self) -> Table:
        """Faults of links, one per row, if the scenario has any."""


Runs: TypeAlias = Mapping[str, Run]
"""Runs by label."""


def is_fabric(run: Run) -> bool:
    """Whether a run is of a memory fabric, not of a network."""
    return run.summary.get("kind") == "fabric"


def are_fabrics(runs: Runs) -> bool:
    """Whether the runs are of memory fabrics, and not of networks.

    Raises:
        ResultsError: Some are of fabrics, and some of networks.
    """
    kinds = {is_fabric(run) for run in runs.values()}
    if len(kinds) > 1:
        what = "a network's results and a memory fabric's have nothing in common to be drawn"
        raise ResultsError(what, hint="name results of one kind, or report with --separate")
    return kinds == {True}
