"""Runs that differ in their seeds alone, taken together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from incast.errors import ResultsError
from incast.measure.run import Run

__all__ = ["Pools", "pools"]

Pools: TypeAlias = Mapping[str, Sequence[Run]]
"""Runs that differ in their seeds alone, by what their labels have in common."""

AnyRun = TypeVar("AnyRun", bound=Run)

_SEED = re.compile(r"(?<=\n)seed = \d+$", re.MULTILINE)


def pools(runs: Mapping[str, AnyRun]) -> dict[str, list[AnyRun]]:
    """Runs in groups that differ in their seeds alone, each seed once, in order of their first
    runs. Runs that different engines computed are never in one group.

    A group is called as its first run, without ``seed 1`` at the end of its label and what all of
    them begin with; if nothing is left, as its algorithm.
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
        # Two pools of one name would be one curve.
        found[next(iter(group)) if name in found else name] = _each_seed_once(group.values())
    return found


def _each_seed_once(runs: Iterable[AnyRun]) -> list[AnyRun]:
    """A seed counts once, however often it was run; a whole run goes before one that was
    interrupted.
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
    """What runs of one group have in common: the scenario."""
    try:
        return _SEED.sub("", run.scenario, count=1)
    except ResultsError:
        # The folder is gone: tables in memory can be drawn.
        return f"\0{label}"


def _without_common_begin(names: Sequence[str]) -> list[str]:
    """Names without the parts, between commas, that all of them begin with."""
    parts = [name.split(", ") for name in names]
    if len(parts) < 2:
        return list(names)
    while all(len(each) > 1 and each[0] == parts[0][0] for each in parts):
        parts = [each[1:] for each in parts]
    return [", ".join(each) for each in parts]


def _name(group: Mapping[str, Run], engine: str | None) -> str:
    """The name of a group, with its engine if others have the same scenario."""
    label, run = next(iter(group.items()))
    if engine is not None:
        return f"{run.algorithm}, engine {engine or 'not known'}"
    if len(group) == 1:
        return label
    seed = f"seed {run.summary['seed']}"
    return label.removesuffix(seed).removesuffix(", ") or run.algorithm
