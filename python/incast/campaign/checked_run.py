"""A run of a campaign that is checked, but not started."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from incast.errors import RunError
from incast.experiment import Progress
from incast.pace import PACES
from incast.scenario import Scenario

__all__ = ["CheckedRun", "ended_by_algorithm", "seconds_on_one_core", "unchanged"]

_HOPS = {"network": "packet_hops", "fabric": "flit_hops"}
"""Names of packet-hops in estimates, by kind of scenario."""


@dataclass(frozen=True)
class CheckedRun:
    """A planned run whose scenario is valid."""

    scenario: Scenario
    hops: float
    """Expected packet-hops, or flit-hops of a memory fabric. They serve progress, order and
    estimates, and do not affect results.
    """
    progress: Progress | None = None
    """Callback for the progress of this run. Callbacks are called one at a time."""

    @cached_property
    def identity(self) -> str:
        """The identity of the scenario."""
        return self.scenario.identity

    @property
    def seconds(self) -> float:
        """Estimated CPU time on one core."""
        return seconds_on_one_core(self.hops, self.scenario.kind)

    @staticmethod
    def of(scenario: Scenario, progress: Progress | None = None) -> CheckedRun:
        """A run whose expected packet-hops are those of the scenario's own estimate."""
        hops = float(scenario.estimate()[_HOPS[scenario.kind]])
        return CheckedRun(scenario, hops, progress)


def seconds_on_one_core(hops: float, kind: Literal["network", "fabric"]) -> float:
    """A rough estimate of a run's CPU time, by the kind of its scenario."""
    return hops / PACES[kind].slow


def unchanged(scenario: Scenario, identity: str) -> Scenario:
    """Gives a scenario that was checked again, if its identity is still the same.

    Raises:
        RunError: A file that the scenario names has changed. Nothing has been run.
    """
    if scenario.identity != identity:
        what = f"{scenario.name}: a file of the scenario changed after it was checked"
        raise RunError(what, hint="the same command checks it again, and runs it")
    return scenario


def ended_by_algorithm(scenario: Scenario) -> RunError:
    """The failure of a run in which the algorithm, and not the user, raised KeyboardInterrupt."""
    return RunError(f"{scenario.name}: the algorithm ended the run, as Ctrl-C does")
