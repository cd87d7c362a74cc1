"""Parties: those whom a scenario tells apart, that is traffic entries, attackers and victims,
tenants. Each has messages, goodput, FCT slowdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from incast.present.key_figures.figure import Summary

__all__ = ["parties", "with_algorithm"]

_KINDS = {"traffic": "traffic", "roles": "role", "tenants": "tenant"}
"""Keys of a summary, and what one of those is called."""
_ROLES = {"attacker": "attackers", "victim": "victims"}
_Facts: TypeAlias = Mapping[str, Any]


def parties(runs: Mapping[str, Summary]) -> dict[str, dict[str, _Facts]]:
    """The parties of some runs by name, each by the label of the run; names that are those of
    parties of two kinds say which. Where flows have several algorithms, names of traffic entries
    say which they have, if all runs agree.
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
    """The name of a party, with the algorithm of its flows if other flows have another one."""
    return _shown(str(party["name"]), {"": party})


def _shown(name: str, by_run: Mapping[str, _Facts]) -> str:
    algorithms = {facts.get("algorithm") for facts in by_run.values()}
    (algorithm, *others) = algorithms
    return name if others or algorithm is None else f"{name}, {algorithm}"
