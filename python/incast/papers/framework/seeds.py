"""Runs with several seeds, under one label."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from incast.measure.run import Run, Runs
from incast.papers.framework.paper import RunPlan

__all__ = ["of", "over"]

_MARK = " #"
"""Between the label and the number of a seed."""


def over(numbers: Iterable[int], label: str, make: Callable[[int], RunPlan]) -> dict[str, RunPlan]:
    """A run with each of these seeds."""
    return {f"{label}{_MARK}{seed}": make(seed) for seed in numbers}


def of(runs: Runs, label: str) -> list[Run]:
    """The runs of a label, one for each seed."""
    chosen = [run for name, run in runs.items() if name.rpartition(_MARK)[0] == label]
    assert chosen, f"no run `{label}`"
    return chosen
