"""What was tried for claims of a figure: choices, whose runs are its own but for one thing.

A choice changes scenarios and says whose runs it concerns. The figure then plans these runs, too,
and each of the claims that are named gets a variation that sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from incast.papers.framework.claim import Claim, Values
from incast.papers.framework.paper import Figure, RunPlan, Scale
from incast.papers.framework.seeds import MARK
from incast.papers.framework.variations import Variation

__all__ = ["Change", "Distance", "Trial", "arrivals", "setting", "tried", "with_trials"]

Distance = Callable[[Values], float]
Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Gives a scenario in which something is otherwise."""


@dataclass(frozen=True)
class Trial:
    """A choice, and which runs of a figure it changes, for which of its claims."""

    name: str
    """The choice in words."""
    changes: Sequence[Change]
    """What the trial changes in scenarios. It changes nothing if the figure has these runs already,
    under a reading of this name.
    """
    claims: Sequence[str]
    """Ids of claims."""
    labels: Sequence[str]
    """Labels of the runs that are made again, without seeds and readings."""
    reading: str = ""
    """The reading whose runs are made again, if not the default."""
    seeds: int = 0
    """How many seeds it has, if fewer than the row."""
    size: float = 1.0
    """Packet-hops of a run over those of the figure's."""

    def renamed(self, label: str) -> str | None:
        """The label of the run that is made of this one; none if none is."""
        base, mark, seed = label.rpartition(MARK) if MARK in label else (label, "", "")
        plain, bracket, reading = base.partition(" [")
        if plain not in self.labels or reading.rstrip("]") != self.reading:
            return None
        if seed and self.seeds and int(seed) > self.seeds:
            return None
        return f"{plain} [{self.name}]{bracket}{reading}{mark}{seed}"

    def made(self, planned: RunPlan) -> RunPlan:
        """A run under this choice."""
        scenario = planned.scenario
        for change in self.changes:
            scenario = change(scenario)
        name = f"{scenario['run']['name']}, {self.name}"
        named = {**scenario, "run": {**scenario["run"], "name": name}}
        return RunPlan(named, planned.hops * self.size)

    def variation(self) -> Variation:
        """What its claims see."""
        swaps = {label: f"{label} [{self.name}]" for label in self.labels}
        return Variation(self.name, swaps, seeds=self.seeds, exact=True)


def setting(**sections: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Change:
    """Keys of sections, at any depth, that have other values: `setting(cc={"gain": 1})`. Sections
    that come several times are replaced as a whole.
    """
    return lambda scenario: _merged(scenario, sections)


def arrivals(milliseconds: float) -> Change:
    """Arrivals end after this time, if they do not sooner."""

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
    """Figures of a paper, with what was tried for their claims.

    Args:
        figures: Of the paper.
        trials: By figure.
        distances: How far values are from a claim, by its id, for claims that do not say it
            themselves.
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
    """The figure with these choices as variations of its claims, after those that it has."""
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
