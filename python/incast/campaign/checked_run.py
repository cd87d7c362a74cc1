"""A run of a campaign, checked and not started."""

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
"""What estimates call packet-hops, by kind of run."""


@dataclass(frozen=True)
class CheckedRun:
    """A planned run whose scenario is valid."""

    scenario: Scenario
    hops: float
    """Expected packet-hops, or flit-hops of a memory fabric: for progress, order and estimates, not
    for results.
    """
    progress: Progress | None = None
    """Gets the progress of this run; while one such callback is at work, others wait."""

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
        """A run as long as the scenario's own estimate says."""
        hops = float(scenario.estimate()[_HOPS[scenario.kind]])
        return CheckedRun(scenario, hops, progress)


def seconds_on_one_core(hops: float, kind: Literal["network", "fabric"]) -> float:
    """How long a run takes, roughly, by what its scenario is of."""
    return hops / PACES[kind].slow


def unchanged(scenario: Scenario, identity: str) -> Scenario:
    """A scenario that was checked anew, if it is still the one with this identity.

    Raises:
        RunError: A file that it names is another one now. Nothing has been run.
    """
    if scenario.identity != identity:
        what = f"{scenario.name}: a file of the scenario changed after it was checked"
        raise RunError(what, hint="the same command checks it again, and runs it")
    return scenario


def ended_by_algorithm(scenario: Scenario) -> RunError:
    """What is told of a run that a KeyboardInterrupt ended, and not the user's."""
    return RunError(f"{scenario.name}: the algorithm ended the run, as Ctrl-C does")
