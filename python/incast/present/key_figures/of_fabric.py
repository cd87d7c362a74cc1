"""Key figures of a memory fabric's run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from incast.present.key_figures.figure import (
    KeyFigure,
    Statistics,
    Summary,
    percentile_text,
)
from incast.present.units import (
    bytes_text,
    count_text,
    per_second_text,
    plural,
    seconds_text,
    time_text,
)
from incast.time_units import PICOSECOND

__all__ = ["caveats", "costs", "measured", "reach", "settings", "size", "statistics", "work"]

_COLUMNS = {
    "mean_cycles": "mean",
    "median_cycles": "median",
    "p99_cycles": "p99",
    "max_cycles": "max",
}
_PERMILLE = {"median_cycles": 500, "p99_cycles": 990}


def statistics(summary: Summary) -> Statistics:
    """Latency in cycles by operation."""
    rows = [*summary["latency_by_kind"].items(), ("all operations", summary["latency"])]
    return Statistics(
        "latency in cycles",
        "operation",
        ["count", *_COLUMNS.values()],
        [(name, _latency(figures)) for name, figures in rows],
    )


def _latency(figures: Mapping[str, Any]) -> list[str]:
    count = figures["operations"]
    texts = {key: f"{figures[key]:.0f}" for key in _COLUMNS}
    for key, permille in _PERMILLE.items():
        texts[key] = percentile_text(texts[key], permille, count)
    return [count_text(count), *texts.values()]


def measured(summary: Summary) -> list[KeyFigure]:
    """The measured key figures."""
    done = summary["operations"]
    count = count_text(done["completed"])
    share = "all complete" if not summary["partial"] else f"of {count_text(done['issued'])}"
    return [
        KeyFigure("operations", count, share),
        KeyFigure(
            "effective bandwidth",
            f"{summary['effective_bandwidth']:.3f}",
            "flits per cycle and endpoint",
        ),
        *_groups(summary["groups"]),
        *_collectives(summary["collectives"]),
    ]


def _groups(groups: list[dict[str, Any]]) -> list[KeyFigure]:
    """Bandwidth of each group, per member; empty if there is only one group."""
    if len(groups) < 2:
        return []
    return [
        KeyFigure(
            f"group {number}",
            f"{group['effective_bandwidth']:.3f}",
            f"of {plural(group['members'], 'member')}; latency mean "
            f"{group['latency']['mean_cycles']:.0f}, max {group['latency']['max_cycles']}",
        )
        for number, group in enumerate(groups)
    ]


def _collectives(rows: list[dict[str, Any]]) -> list[KeyFigure]:
    """Collectives in the columns of nccl-tests: size, time, algorithm bandwidth, bus bandwidth."""
    found = []
    for row in rows:
        size, members = bytes_text(row["size_bytes"]), plural(row["members"], "member")
        algorithm, bus = (row[f"{each}_gbytes_per_second"] for each in _BANDWIDTHS)
        found += [
            KeyFigure(
                row["collective"],
                time_text(row["time_us"] * 1e6),
                f"{size} over {members}; {count_text(row['cycles'])} cycles",
            ),
            KeyFigure("bus bandwidth", f"{bus:.1f} GB/s", f"algorithm bandwidth {algorithm:.1f}"),
        ]
    return found


_BANDWIDTHS = ("algorithm_bandwidth", "bus_bandwidth")


def costs(summary: Summary) -> list[KeyFigure]:
    """Key figures of the run itself: cycles, wall time, speed."""
    effort = summary["effort"]
    cycles = f"{count_text(summary['cycles'])} cycles"
    wall = seconds_text(effort["wall_seconds"])
    speed = per_second_text(effort["flit_hops_per_cpu_second"])
    simulated = time_text(summary["seconds"] / PICOSECOND)
    return [
        KeyFigure("simulated", simulated, f"{cycles}; {wall} of wall"),
        KeyFigure("flit-hops", count_text(summary["flit_hops"]), f"{speed} of CPU time"),
    ]


def settings(summary: Summary) -> str:
    """Scheme and seed."""
    return f"{summary['algorithm']}, seed {summary['seed']}"


def size(summary: Summary) -> str:
    """Size of the fabric in words."""
    endpoints = plural(summary["endpoints"], "endpoint")
    return f"{endpoints}, {plural(summary['switches'], 'switch')}"


def reach(summary: Summary) -> list[KeyFigure]:
    """Empty: the zero-load latency of a fabric depends on the operation."""
    return []


def caveats(summary: Summary) -> list[str]:
    """Caveats: an interrupted run, samples that were thinned."""
    notes = (_interruption(summary), _thinned(summary))
    return [note for note in notes if note is not None]


def _interruption(summary: Summary) -> str | None:
    if not summary["partial"]:
        return None
    when = f"{count_text(summary['cycles'])} cycles"
    return (
        f"Interrupted after {when}: statistics cover the operations that were complete, and favour "
        "short ones."
    )


def _thinned(summary: Summary) -> str | None:
    thinned = summary.get("thinned_series")
    if thinned is None:
        return None
    kept, asked = (count_text(thinned[key]) for key in ("kept_every_cycles", "every_cycles"))
    return (
        f"controls.parquet and queues.parquet have samples every {kept} cycles, not {asked}, to "
        "keep to measure.rows. Raise measure.rows, or sample fewer endpoints, or less often."
    )


def work(facts: Summary) -> str:
    """The number of operations of a scenario, and of their groups."""
    operations = plural(facts["expected_operations"], "operation")
    return f"{operations} in {plural(facts['groups'], 'group')}"
