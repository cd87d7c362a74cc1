"""Which flows of a run a measure is of."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from incast.measure.run import Run
from incast.present.units import bytes_text

__all__ = ["Selection", "entries", "entry_names", "entry_number"]


@dataclass(frozen=True)
class Selection:
    """Some of a run's flows."""

    larger_than: float | None = None
    """In bytes."""
    up_to: float | None = None
    """In bytes."""
    traffic: str = ""
    """The name or the number of their ``[[traffic]]`` entry; all, if empty."""
    all_flows: bool = False
    """Whether those are among them that statistics of FCT do not count."""

    def __str__(self) -> str:
        parts = [
            f"> {bytes_text(self.larger_than)}" if self.larger_than is not None else "",
            f"≤ {bytes_text(self.up_to)}" if self.up_to is not None else "",
            self.traffic,
            "all flows" if self.all_flows else "",
        ]
        return ", ".join(part for part in parts if part)


def entry_number(run: Run, traffic: str) -> int:
    """The number of a traffic entry of this name or number; -1 if there is none."""
    names = entries(run)
    if traffic in names:
        return names.index(traffic)
    return int(traffic) if traffic.isdecimal() else -1


def entries(run: Run) -> list[str]:
    """Names of a run's traffic entries."""
    # Not the names in the table: an entry may have no completed flow, and a number for its name.
    return _entries_of(run.scenario)


@lru_cache(maxsize=8)
def _entries_of(scenario: str) -> list[str]:
    """Names of the traffic entries; several measures of a run ask for them."""
    return entry_names(tomllib.loads(scenario).get("traffic", []))


def entry_names(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """What results call each traffic entry: its own name, or its kind, with its number if another
    has that name.
    """
    plain = [str(each.get("name", each["kind"])) for each in entries]
    return [
        f"{name} {number}" if plain.count(name) > 1 else name for number, name in enumerate(plain)
    ]
