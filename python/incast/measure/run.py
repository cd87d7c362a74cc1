"""A run as metrics and charts see it: its summary and its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from incast.table import Table

__all__ = ["Run", "Runs"]


class Run(Protocol):
    """The results of one run, as far as they are read; :class:`incast.Run` is such a run."""

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
        """Completed flows, in order of completion."""

    @property
    def series(self) -> Table:
        """Measurements over time, one a row."""

    @property
    def ports(self) -> Table:
        """Counters of every port."""

    @property
    def packets(self) -> Table:
        """Events of packets, one a row, if the scenario asked for a trace."""

    @property
    def round_trips(self) -> Table:
        """Round trips of packets by bin, if the scenario asked for them."""

    @property
    def messages(self) -> Table:
        """Completed messages, in order of completion, if the scenario has an attack."""


Runs: TypeAlias = Mapping[str, Run]
"""Runs by label."""
