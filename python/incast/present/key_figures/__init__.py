"""Key figures of a run in words, from its summary, for terminals and reports.

Networks and fabrics have a module each, with the same functions; the functions here choose the
module.
"""

from __future__ import annotations

from types import ModuleType

from incast._core import __engine__
from incast.present.key_figures import of_fabric, of_network
from incast.present.key_figures.figure import (
    KeyFigure,
    Statistics,
    Summary,
    percentile_text,
    too_few_note,
)
from incast.present.key_figures.of_network import PARTY_COLUMNS, entry_name, party_cells
from incast.present.key_figures.parties import parties, with_algorithm
from incast.present.key_figures.slow_flows import has_slow_flows, have_causes

__all__ = [
    "PARTY_COLUMNS",
    "KeyFigure",
    "Statistics",
    "Summary",
    "caveats",
    "costs",
    "entry_name",
    "has_slow_flows",
    "have_causes",
    "measured",
    "names",
    "network",
    "parties",
    "party_cells",
    "percentile_text",
    "reach",
    "settings",
    "size",
    "statistics",
    "too_few_note",
    "with_algorithm",
    "work",
]


def _of(summary: Summary) -> ModuleType:
    return of_fabric if summary.get("kind") == "fabric" else of_network


def statistics(summary: Summary) -> Statistics:
    """FCT slowdown by flow size; a fabric's latency by operation."""
    found: Statistics = _of(summary).statistics(summary)
    return found


def measured(summary: Summary) -> list[KeyFigure]:
    """The measured key figures."""
    found: list[KeyFigure] = _of(summary).measured(summary)
    return found


def costs(summary: Summary) -> list[KeyFigure]:
    """Key figures of the run itself: simulated time, wall time, hops."""
    found: list[KeyFigure] = _of(summary).costs(summary)
    return found


def names(summary: Summary) -> list[KeyFigure]:
    """Identity and fingerprint."""
    return [
        KeyFigure("identity", str(summary["identity"])),
        KeyFigure("fingerprint", str(summary["fingerprint"])),
    ]


def settings(summary: Summary) -> str:
    """Algorithm, seed and other common settings, in one line."""
    return str(_of(summary).settings(summary))


def network(summary: Summary) -> str:
    """The network, or the fabric, in one line."""
    found = ", ".join(f"{name} {value}" for name, value, _ in reach(summary))
    return "; ".join(filter(None, (size(summary), found)))


def size(summary: Summary) -> str:
    """The size of the network or fabric in words."""
    return str(_of(summary).size(summary))


def work(facts: Summary) -> str:
    """The work of a scenario in one line: flows, or operations."""
    return str(_of(facts).work(facts))


def reach(summary: Summary) -> list[KeyFigure]:
    """Base RTT and BDP of a network. They differ between algorithms, whose headers differ."""
    found: list[KeyFigure] = _of(summary).reach(summary)
    return found


def caveats(summary: Summary) -> list[str]:
    """Caveats: another engine, unfinished flows, a trace that was cut."""
    found: list[str] = _of(summary).caveats(summary)
    return [*_other_engine(summary), *found]


def _other_engine(summary: Summary) -> list[str]:
    engine = summary["engine"]
    if engine == __engine__:
        return []
    named = f"engine {engine}" if engine else "an engine that is not known"
    return [
        f"Computed by {named}; this one is {__engine__}: a run of today may give other figures."
    ]
