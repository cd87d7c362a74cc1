"""Trials for claims of a figure: choices whose runs differ from the figure's in one thing.

A trial changes the scenarios of some labels. The figure then also plans the changed runs, and each
named claim gets a variation that sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from incast.papers.claim import Claim, Values
from incast.papers.figure import Figure, RunPlan, Scale
from incast.papers.seeds import MARK
from incast.papers.variations import Variation

__all__ = ["Change", "Distance", "Trial", "arrivals", "setting", "tried", "with_trials"]

Distance = Callable[[Values], float]
Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Makes a changed copy of a scenario."""


@dataclass(frozen=True)
class Trial:
    """A choice: the runs of a figure that it changes, and the claims that it is for."""

    name: str
    """The choice in words."""
    changes: Sequence[Change]
    """Changes of scenarios. Empty if the figure already has these runs, under a reading of this
    name.
    """
    claims: Sequence[str]
    """The ids of the claims that the trial varies."""
    labels: Sequence[str]
    """Labels of the runs that are changed, without seeds and readings."""
    reading: str = ""
    """The reading whose runs are changed, if not the default."""
    seeds: int = 0
    """The number of seeds, if fewer than the row has."""
    size: float = 1.0
    """The ratio of a changed run's packet-hops to the original's."""

    def renamed(self, label: str) -> str | None:
        """The label of the changed run made from a run; ``None`` if the run is not changed."""
        base, mark, seed = label.rpartition(MARK) if MARK in label else (label, "", "")
        plain, bracket, reading = base.partition(" [")
        if plain not in self.labels or reading.rstrip("]") != self.reading:
            return None
        if seed and self.seeds and int(seed) > self.seeds:
            return None
        return f"{plain} [{self.name}]{bracket}{reading}{mark}{seed}"

    def made(self, planned: RunPlan) -> RunPlan:
        """The changed run."""
        scenario = planned.scenario
        for change in self.changes:
            scenario = change(scenario)
        run = scenario.get("run", {})
        name = ", ".join(filter(None, (run.get("name"), self.name)))
        return RunPlan({**scenario, "run": {**run, "name": name}}, planned.hops * self.size)

    def variation(self) -> Variation:
        """The variation through which claims see the changed runs."""
        swaps = {label: f"{label} [{self.name}]" for label in self.labels}
        return Variation(self.name, swaps, seeds=self.seeds, exact=True)


def setting(**sections: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Change:
    """A change of keys in sections, at any depth: `setting(cc={"gain": 1})`. Sections that occur
    several times are replaced as a whole.
    """
    return lambda scenario: _merged(scenario, sections)


def arrivals(milliseconds: float) -> Change:
    """A change after which arrivals end at this time, if they do not end earlier."""

    def shortened(entry: Mapping[str, Any]) -> Mapping[str, Any]:
        if "duration" not in entry:
            return entry
        own = float(str(entry["duration"]).removesuffix("ms"))
        return {**entry, "duration": f"{min(own, milliseconds):g}ms"}

    return lambda scenario: {
        **scenario,
        "traffic": [shortened(entry) for entry in scenario["traffic"]],
    }


def with_trials(
    figures: Sequence[Figure],
    trials: Mapping[str, Sequence[Trial]],
    distances: Mapping[str, Distance] = MappingProxyType({}),
) -> list[Figure]:
    """Figures of a paper, with the trials for their claims.

    Args:
        figures: The figures of the paper.
        trials: Trials by the id of the figure.
        distances: For claims without a distance of their own, by id: the distance of values from
            the claim.
    """
    ids = {claim.id for figure in figures for claim in figure.claims}
    assert trials.keys() <= {figure.id for figure in figures}, "trials of figures that there are"
    assert distances.keys() <= ids, "distances from claims that there are"
    found = []
    for figure in figures:
        claims = [_from(claim, distances.get(claim.id)) for claim in figure.claims]
        found.append(tried(replace(figure, claims=claims), *trials.get(figure.id, ())))
    return found


def _from(claim: Claim, distance: Distance | None) -> Claim:
    return claim if distance is None else replace(claim, distance=distance)


def tried(figure: Figure, *trials: Trial) -> Figure:
    """The figure with these trials as further variations of its claims."""
    if not trials:
        return figure

    def planned(scale: Scale) -> dict[str, RunPlan]:
        own = figure.runs(scale)
        more = {
            renamed: trial.made(plan)
            for trial in trials
            for label, plan in own.items()
            if trial.changes and (renamed := trial.renamed(label)) is not None
        }
        return {**own, **more}

    claims = [
        replace(
            claim,
            variations=[
                *claim.variations,
                *(trial.variation() for trial in trials if claim.id in trial.claims),
            ],
        )
        for claim in figure.claims
    ]
    return replace(figure, runs=planned, claims=claims)


def _merged(table: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **table,
        **{
            key: _merged(table.get(key, {}), value) if isinstance(value, Mapping) else value
            for key, value in others.items()
        },
    }
