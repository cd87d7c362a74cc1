"""Parties: groups of flows that a scenario distinguishes, by traffic entry, by attacker and victim,
or by tenant. Each party has messages, goodput and FCT slowdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from incast.present.key_figures.figure import Summary

__all__ = ["parties", "with_algorithm"]

_KINDS = {"traffic": "traffic", "roles": "role", "tenants": "tenant"}
"""Keys of parties in a summary, and the noun for each."""
_ROLES = {"attacker": "attackers", "victim": "victims"}
_Facts: TypeAlias = Mapping[str, Any]


def parties(runs: Mapping[str, Summary]) -> dict[str, dict[str, _Facts]]:
    """The parties of runs by name, and by the run's label. If parties of two kinds have the same
    name, the kind is added. If flows have different algorithms, the algorithm is added to names of
    traffic entries in which all runs agree.
    """
    found: dict[tuple[str, str], dict[str, _Facts]] = {}
    for kind in _KINDS:
        for label, run in runs.items():
            for facts in run.get(kind, ()):
                name = str(facts["name"])
                shown = _ROLES.get(name, name) if kind == "roles" else name
                found.setdefault((kind, shown), {})[label] = facts
    names = [name for _, name in found]
    return {
        _shown(f"{name} ({_KINDS[kind]})" if names.count(name) > 1 else name, each): each
        for (kind, name), each in found.items()
    }


def with_algorithm(party: _Facts) -> str:
    """The name of a party, with its algorithm if flows of other parties have another one."""
    return _shown(str(party["name"]), {"": party})


def _shown(name: str, by_run: Mapping[str, _Facts]) -> str:
    algorithms = {facts.get("algorithm") for facts in by_run.values()}
    (algorithm, *others) = algorithms
    return name if others or algorithm is None else f"{name}, {algorithm}"
