"""Whether the default statistics of FCT are right, or say that they are not: p99 of slowdown of
web-search flows by the duration of their arrivals, against the longest one.

.venv/bin/python benches/steady_state.py                       # 16 hosts, 8 seeds: 10 CPU minutes
.venv/bin/python benches/steady_state.py --hosts 128 --longest-seeds 3 # 40 CPU minutes
.venv/bin/python benches/steady_state.py --seeds 3 --out DIR   # what is in DIR is not run again
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import incast
import numpy as np
from incast.measure.statistics import Interval
from incast.study.means import Row
from incast.study.steadiness import Steadiness

ALGORITHMS = ("hpcc", "dcqcn")
LOADS = (0.3, 0.5, 0.6, 0.8)
DURATIONS = ("2ms", "8ms", "32ms", "128ms")
IN_VAIN = 0.05
"""A note was in vain if p99 is no further than this from that of the longest arrivals."""
LONGEST, AGREES, NOTED, VAIN = "the longest", "agrees", "noted", "noted in vain"
"""Verdicts."""
P99, ALL = "slowdown.p99", "slowdown.p99 (all flows)"


NETWORKS = {
    16: {"kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts_per_leaf": 4},
    128: {"kind": "leaf-spine", "leaves": 8, "spines": 4, "hosts_per_leaf": 16},
}
"""By the number of hosts."""


def study(hosts: int, seeds: int, durations: Iterable[str]) -> dict[str, Any]:
    """All algorithms and loads, with arrivals of these durations."""
    arrivals = {"kind": "poisson", "sizes": "web-search", "load": 0.5, "duration": "2ms"}
    return {
        "name": "steady-state",
        "scenario": {
            "network": {"topology": NETWORKS[hosts]},
            "cc": {"algorithm": "hpcc"},
            "traffic": [arrivals],
            "measure": {
                "queues": {"ports": "none", "every": "10us"},
                "flows": {"which": "none"},
                "pauses": False,
            },
        },
        "measure": [P99, {"of": P99, "flows": "all"}, "load.drawn", "load.wire"],
        # Seed by seed, so that what has run when it is broken off has all cells.
        "vary": {
            "seed": list(range(1, seeds + 1)),
            "cc": list(ALGORITHMS),
            "traffic.0.load": list(LOADS),
            "traffic.0.duration": list(durations),
        },
    }


class Cell(NamedTuple):
    """Runs of one algorithm, load and duration."""

    algorithm: str
    load: float
    duration: str
    p99: Interval
    p99_all: Interval
    noted: int
    """Runs with a note: not steady, or p99 left out."""
    near: int
    """Runs whose load on the wire is near what the algorithm aims at."""
    runs: int


def cells(rows: Iterable[Row]) -> list[Cell]:
    """By algorithm, load and duration, in their order."""
    alike: dict[tuple[str, float, str], list[Row]] = {}
    for row in rows:
        values = row.values
        key = (values["cc"], values["traffic.0.load"], values["traffic.0.duration"])
        alike.setdefault(key, []).append(row)
    order = [ALGORITHMS, LOADS, DURATIONS]
    keys = sorted(
        alike, key=lambda key: [of.index(each) for of, each in zip(order, key, strict=True)]
    )
    return [_cell(key, alike[key]) for key in keys]


def _cell(key: tuple[str, float, str], rows: list[Row]) -> Cell:
    def values(column: str) -> list[float]:
        return [row.measured[column] for row in rows]

    noted = [
        Steadiness.of([row.measured]).is_unsteady or math.isnan(row.measured[P99]) for row in rows
    ]
    target = 0.95 if key[0] == "hpcc" else 1.0
    drawn = zip(values("load.wire"), values("load.drawn"), strict=True)
    near = sum(wire * key[1] / load >= 0.9 * target for wire, load in drawn)
    intervals = Interval.student(values(P99)), Interval.student(values(ALL))
    return Cell(*key, *intervals, sum(noted), near, len(rows))


def agrees(short: Interval, long: Interval) -> bool:
    """Whether the means differ by no more than both intervals allow; that of the short one alone
    where the other is of one or two seeds, which say nothing of how they spread.
    """
    halves = [each.high - each.mean for each in (short, long) if each.count > 2 or each is short]
    return abs(short.mean - long.mean) <= float(np.hypot(*halves))


def table(found: list[Cell]) -> str:
    """A row for each algorithm, load and duration."""
    last = [each for each in found if each.duration == DURATIONS[-1]]
    longest = {(each.algorithm, each.load): _told(each) for each in last}
    lines = [
        "| algorithm | load | arrivals | p99, all flows | p99 | error | runs noted | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in found:
        told, long = _told(each), longest[each.algorithm, each.load]
        error = told.mean / long.mean - 1
        near = f", {each.near} near capacity" if each.near else ""
        lines.append(
            f"| {each.algorithm} | {each.load:g} | {each.duration} | {_text(each.p99_all)} "
            f"| {_text(each.p99)} | {100 * error:+.0f} % | {each.noted} of {each.runs}{near} "
            f"| {_verdict(each, error, agrees(told, long))} |"
        )
    verdicts = [line.split(" | ")[-1].removesuffix(" |") for line in lines[2:]]
    short = [each for each in verdicts if each != LONGEST]
    plain = [each for each in short if each not in (NOTED, VAIN)]
    lines += [
        "",
        f"{len(plain)} answers without a note, of which {plain.count(AGREES)} agree with the "
        f"longest; {len(short) - len(plain)} notes, {short.count(VAIN)} in vain",
    ]
    return "\n".join(lines)


def _told(cell: Cell) -> Interval:
    """What stands for a cell: where p99 is left out in some run, that of all flows."""
    return cell.p99 if cell.p99.count == cell.runs else cell.p99_all


def _verdict(cell: Cell, error: float, within: bool) -> str:
    if cell.duration == DURATIONS[-1]:
        return LONGEST
    if cell.noted == cell.runs:
        return VAIN if abs(error) <= IN_VAIN else NOTED
    if within:
        return AGREES
    return "differs, noted in some" if cell.noted else "DIFFERS, NOT NOTED"


def _text(found: Interval) -> str:
    if not found.count:
        return "–"
    reach = "" if math.isnan(found.low) else f" ± {found.high - found.mean:.1f}"
    return f"{found.mean:.1f}{reach}"


def main() -> None:
    """Runs and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, choices=sorted(NETWORKS), default=16)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--longest-seeds", type=int, help="seeds of the longest arrivals")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--out", type=Path, default=Path("results/steady-state"))
    arguments = parser.parse_args()
    rows: list[Row] = []
    longest_seeds = arguments.longest_seeds or arguments.seeds
    for name, seeds, durations in [
        ("short", arguments.seeds, DURATIONS[:-1]),
        ("longest", longest_seeds, DURATIONS[-1:]),
    ]:
        asked = study(arguments.hosts, seeds, durations)
        rows += incast.sweep(asked, store=arguments.out / name, jobs=arguments.jobs).rows
    print(table(cells(rows)))


if __name__ == "__main__":
    main()
