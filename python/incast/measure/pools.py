"""Pools: runs that differ only in their seeds, taken together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from incast.errors import ResultsError
from incast.measure.run import Run

__all__ = ["Pools", "pools"]

Pools: TypeAlias = Mapping[str, Sequence[Run]]
"""Runs that differ only in their seeds, by the common part of their labels."""

AnyRun = TypeVar("AnyRun", bound=Run)

_SEED = re.compile(r"(?<=\n)seed = \d+$", re.MULTILINE)


def pools(runs: Mapping[str, AnyRun]) -> dict[str, list[AnyRun]]:
    """Groups of runs that differ only in their seeds, each seed once, in the order of their first
    runs. Runs of different engines are never in one group.

    The name of a group is the label of its first run, without ``seed 1`` at its end and without the
    beginning that all names share. If nothing is left, the group is named by its algorithm.
    """
    groups: dict[tuple[str, str], dict[str, AnyRun]] = {}
    for label, run in runs.items():
        key = _but_for_the_seed(label, run), str(run.summary.get("engine", ""))
        groups.setdefault(key, {})[label] = run
    scenarios = Counter(scenario for scenario, _ in groups)
    engines = [engine if scenarios[scenario] > 1 else None for scenario, engine in groups]
    names = _without_common_begin(
        [_name(group, engine) for group, engine in zip(groups.values(), engines, strict=True)]
    )
    found: dict[str, list[AnyRun]] = {}
    for name, group in zip(names, groups.values(), strict=True):
        # Groups with the same name would be drawn as one curve.
        found[next(iter(group)) if name in found else name] = _each_seed_once(group.values())
    return found


def _each_seed_once(runs: Iterable[AnyRun]) -> list[AnyRun]:
    """The runs with each seed once. If a seed was run several times, a whole run is preferred to
    one that was interrupted.
    """
    found: dict[int, AnyRun] = {}
    for run in runs:
        seed = run.summary["seed"]
        if seed not in found or (_is_partial(found[seed]) and not _is_partial(run)):
            found[seed] = run
    return list(found.values())


def _is_partial(run: Run) -> bool:
    return bool(run.summary.get("partial"))


def _but_for_the_seed(label: str, run: Run) -> str:
    """The key of a group: the scenario without its seed."""
    try:
        return _SEED.sub("", run.scenario, count=1)
    except ResultsError:
        # The folder was removed; tables already in memory can still be drawn.
        return f"\0{label}"


def _without_common_begin(names: Sequence[str]) -> list[str]:
    """Names without the comma-separated parts at their beginning that all of them share."""
    parts = [name.split(", ") for name in names]
    if len(parts) < 2:
        return list(names)
    while all(len(each) > 1 and each[0] == parts[0][0] for each in parts):
        parts = [each[1:] for each in parts]
    return [", ".join(each) for each in parts]


def _name(group: Mapping[str, Run], engine: str | None) -> str:
    """The name of a group, with the engine if another engine ran the same scenario."""
    label, run = next(iter(group.items()))
    if engine is not None:
        return f"{run.algorithm}, engine {engine or 'not known'}"
    if len(group) == 1:
        return label
    seed = f"seed {run.summary['seed']}"
    return label.removesuffix(seed).removesuffix(", ") or run.algorithm
