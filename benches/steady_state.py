"""Whether the default statistics of FCT are right, or say that they are not: p99 of slowdown of
web-search flows by the duration of their arrivals, against the longest one.

.venv/bin/python benches/steady_state.py                     # 8 seeds; some 10 minutes of CPU
.venv/bin/python benches/steady_state.py --seeds 3 --out DIR # what is in DIR is not run again
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
P99, ALL = "slowdown.p99", "slowdown.p99 (all flows)"


def study(seeds: int) -> dict[str, Any]:
    """A network of 16 hosts: how long it takes does not depend on their number."""
    leaves = {"kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts_per_leaf": 4}
    arrivals = {"kind": "poisson", "sizes": "web-search", "load": 0.5, "duration": "2ms"}
    return {
        "name": "steady-state",
        "scenario": {
            "network": {"topology": leaves},
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
            "traffic.0.duration": list(DURATIONS),
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
    """In the order of the study."""
    alike: dict[tuple[str, float, str], list[Row]] = {}
    for row in rows:
        values = row.values
        key = (values["cc"], values["traffic.0.load"], values["traffic.0.duration"])
        alike.setdefault(key, []).append(row)
    return [_cell(key, found) for key, found in alike.items()]


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
    """Whether the means differ by no more than both intervals allow."""
    halves = [each.high - each.mean for each in (short, long)]
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
    return "\n".join(lines)


def _told(cell: Cell) -> Interval:
    """What stands for a cell: where p99 is left out in some run, that of all flows."""
    return cell.p99 if cell.p99.count == cell.runs else cell.p99_all


def _verdict(cell: Cell, error: float, within: bool) -> str:
    if cell.duration == DURATIONS[-1]:
        return "the longest"
    if cell.noted == cell.runs:
        return "noted in vain" if abs(error) <= IN_VAIN else "noted"
    if within:
        return "agrees"
    return "differs, noted in some" if cell.noted else "DIFFERS, NOT NOTED"


def _text(found: Interval) -> str:
    if not found.count:
        return "–"
    reach = "" if math.isnan(found.low) else f" ± {found.high - found.mean:.1f}"
    return f"{found.mean:.1f}{reach}"


def main() -> None:
    """Runs and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--out", type=Path, default=Path("results/steady-state"))
    arguments = parser.parse_args()
    sweep = incast.sweep(study(arguments.seeds), store=arguments.out, jobs=arguments.jobs)
    print(table(cells(sweep.rows)))


if __name__ == "__main__":
    main()
