"""The selection of a run's flows that a measure covers."""

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
    """A selection of a run's flows."""

    larger_than: float | None = None
    """The size in bytes that a flow must exceed."""
    up_to: float | None = None
    """The largest size of a flow, in bytes."""
    traffic: str = ""
    """The name or number of the flows' ``[[traffic]]`` entry; empty for all entries."""
    all_flows: bool = False
    """Whether flows that do not count in statistics of FCT are included."""

    def __str__(self) -> str:
        parts = [
            f"> {bytes_text(self.larger_than)}" if self.larger_than is not None else "",
            f"≤ {bytes_text(self.up_to)}" if self.up_to is not None else "",
            self.traffic,
            "all flows" if self.all_flows else "",
        ]
        return ", ".join(part for part in parts if part)


def entry_number(run: Run, traffic: str) -> int:
    """The number of the traffic entry with this name or number; -1 if there is none."""
    names = entries(run)
    if traffic in names:
        return names.index(traffic)
    return int(traffic) if traffic.isdecimal() else -1


def entries(run: Run) -> list[str]:
    """Names of a run's traffic entries."""
    # The table of flows is not used: an entry may have no completed flow, and its name may be a
    # number.
    return _entries_of(run.scenario)


@lru_cache(maxsize=8)
def _entries_of(scenario: str) -> list[str]:
    """The names of a scenario's traffic entries, cached as several measures ask for them."""
    return entry_names(tomllib.loads(scenario).get("traffic", []))


def entry_names(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of traffic entries in results: an entry's own name, or its kind. A number is added
    if another entry has the same name.
    """
    plain = [str(each.get("name", each["kind"])) for each in entries]
    return [
        f"{name} {number}" if plain.count(name) > 1 else name for number, name in enumerate(plain)
    ]
