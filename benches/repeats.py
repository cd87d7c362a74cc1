"""Whether what happens in a network repeats, to the picosecond, and with which period.

    .venv/bin/python benches/repeats.py                  # all cases, all algorithms
    .venv/bin/python benches/repeats.py elephant two-to-one --cc hpcc,swift --size 40MB

A network whose state recurs does again what it did: the trace of all packets repeats. So a trace
that does not repeat proves that no state recurred; one that does is what skipping could skip. The
trace has every event of every packet, with the time since the event before, where it was, what it
was, how far it is in its flow and what waits there. Looked at is the part before any flow has sent
its last byte, of collectives before the last step begins; what repeats is its longest end that
consists of three or more equal periods.

Where no end repeats, less is compared: without the bytes that wait, then without the times. What
still repeats then says what prevents it.

    .venv/bin/python benches/repeats.py --steps          # rings with persistent QPs

A longer look at collectives compares the steps of a ring, whose QPs keep their paths. Each rank has
the time from the start of a step to that of a later one. If the state of the network recurs between
the two steps, that time is the same for all ranks.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import NamedTuple

import incast
import numpy as np
from numpy.typing import NDArray

Settings = dict[str, object]

ALGORITHMS = (
    "none,hpcc,hpcc+vai+sf,hpcc++,fncc,powertcp,swift,swift+vai+sf,dcqcn,rocc,dctcp,lgc,timely,"
    "theta-powertcp,s-perc"
)

STAR: Settings = {"kind": "star", "hosts": 16}
LEAVES: Settings = {"kind": "leaf-spine", "leaves": 4, "spines": 4, "hosts_per_leaf": 4}


def flows(senders: Iterable[int], receiver: int, size: str) -> list[Settings]:
    """One flow of each sender."""
    listed = [{"source": one, "destination": receiver, "size": size} for one in senders]
    return [{"kind": "flows", "flows": listed}]


def cases(size: str) -> dict[str, tuple[object, list[Settings]]]:
    """By name: topology and traffic."""
    ring: Settings = {"kind": "all-reduce", "data": size}
    tree: Settings = {"kind": "collective", "operation": "all-reduce", "algorithm": "tree"}
    return {
        "elephant": ("fat-tree", flows([0], 127, size)),
        "two-to-one": ("star", flows(range(2), 16, size)),
        "sixteen-to-one": ("star", flows(range(16), 16, size)),
        "permutation": (LEAVES, [{"kind": "permutation", "sizes": size}]),
        "ring": (STAR, [ring]),
        "tree": (STAR, [tree | {"data": size}]),
        "ring-in-leaves": (LEAVES, [ring]),
    }


class Repetition(NamedTuple):
    """The end of a trace that repeats."""

    events: int
    """Events of a period."""
    period_ps: int
    times: float
    """How often the period comes."""
    share: float
    """Of the time that is looked at."""


def progress(trace: incast.Table) -> NDArray[np.int64]:
    """By event: the sequence number since the last such event of the same flow at the same port."""
    keys = [trace[name] for name in ("flow_id", "kind", "event", "port", "node")]
    codes = [np.unique(key, return_inverse=True)[1] for key in keys]
    order = np.lexsort((np.arange(len(codes[0])), *codes))
    sequence = np.asarray(trace["sequence"], dtype=np.int64)[order]
    same = np.ones(len(order), dtype=bool)
    for code in codes:
        same[1:] &= code[order][1:] == code[order][:-1]
    same[:1] = False
    since = np.empty(len(order), dtype=np.int64)
    since[order] = np.where(same, sequence - np.roll(sequence, 1), sequence)
    return since


def letters(columns: Iterable[NDArray[np.generic]]) -> list[int]:
    """A number for each row, the same for equal rows."""
    number = None
    for column in columns:
        code = np.unique(column, return_inverse=True)[1].astype(np.int64)
        number = code if number is None else number * (code.max() + 1) + code
        number = np.unique(number, return_inverse=True)[1].astype(np.int64)
    return [] if number is None else number.tolist()


def longest_repetition(text: list[int]) -> tuple[int, int] | None:
    """The longest end of a text that is three or more equal periods: (its length, the period)."""
    backwards, borders, best = text[::-1], [0], None
    border = 0
    for length in range(2, len(text) + 1):
        letter = backwards[length - 1]
        while border and backwards[border] != letter:
            border = borders[border - 1]
        border += backwards[border] == letter
        borders.append(border)
        if length >= 3 * (length - border):
            best = (length, length - border)
    return best


def repetition(times: NDArray[np.int64], text: list[int]) -> Repetition | None:
    """What repeats at the end of a trace."""
    found = longest_repetition(text)
    if found is None:
        return None
    length, period = found
    last = len(times) - 1
    spans = int(times[last] - times[last - period])
    share = (times[last] - times[last - length + 1]) / max(1, times[last] - times[0])
    return Repetition(period, spans, length / period, float(share))


def observe(name: str, algorithm: str, size: str, *, exact: bool) -> str:
    """One row of the table."""
    topology, traffic = cases(size)[name]
    network: Settings = {"topology": topology}
    if exact:
        network["model"] = {"int_format": "exact"}
    measure = {"packets": {"limit": 4_000_000}}
    settings = {"network": network, "cc": {"algorithm": algorithm}, "measure": measure}
    results = incast.run(incast.Scenario(settings | {"traffic": traffic}))
    trace = results.packets
    times = np.asarray(trace["time_ps"], dtype=np.int64)
    if name in ("ring", "tree", "ring-in-leaves"):
        until = int(np.searchsorted(times, np.max(results["start_ps"])))
    else:
        ends = np.asarray(trace["sequence"]) + np.asarray(trace["payload_bytes"])
        done = (np.asarray(trace["kind"]) == "data") & (ends >= np.min(results["size_bytes"]))
        until = int(np.argmax(done))
    # What happens at one moment has no order in time: by node and port.
    columns = {"since": np.diff(times, prepend=times[:1]), "progress": progress(trace)}
    for column in ("node", "port", "event", "kind", "wire_bytes", "marked", "queue_bytes"):
        columns[column] = np.asarray(trace[column])
    columns = {column: values[:until] for column, values in columns.items()}
    times = times[:until]
    for without, told in (
        ((), "everything"),
        (("queue_bytes",), "all but queues"),
        (("queue_bytes", "since"), "the order alone"),
    ):
        text = letters(values for column, values in columns.items() if column not in without)
        if found := repetition(times, text):
            return (
                f"{told:15}  {found.period_ps / 1e6:9.4f} µs  {found.events:7,} events  "
                f"{found.times:8.1f} times  {found.share:6.1%} of {times[-1] / 1e9:.3f} ms"
            )
    return f"nothing          {len(times):,} events in {times[-1] / 1e9:.3f} ms"


RINGS: dict[str, Settings] = {
    "star": {"kind": "star", "hosts": 64},
    "leaf-spine": {"kind": "leaf-spine", "leaves": 8, "spines": 8, "hosts_per_leaf": 8},
    "fat-tree": {"kind": "fat-tree", "k": 8},
}


def recurring_steps(topology: Settings, algorithm: str, size: str) -> tuple[int, float]:
    """How many steps later most steps of a ring all-reduce recur, and the share of steps that do:
    those that all ranks begin the same time after the earlier step. Up to half of all steps.
    """
    network = {"topology": topology, "link_rate": "400Gbps", "packets": {"mtu": "4096B"}}
    settings = {"network": network, "nic": {"qps": "persistent"}, "cc": {"algorithm": algorithm}}
    traffic = [{"kind": "all-reduce", "data": size}]
    results = incast.run(incast.Scenario(settings | {"traffic": traffic}))
    sources, starts = np.asarray(results["source"]), np.asarray(results["start_ps"])
    # The starts of each rank's steps, by rank and step.
    of_ranks = np.array([np.sort(starts[sources == rank]) for rank in np.unique(sources)])

    def share(lag: int) -> float:
        ahead = of_ranks[:, lag:] - of_ranks[:, :-lag]
        return float(np.mean(np.ptp(ahead, axis=0) == 0))

    lags = range(1, of_ranks.shape[1] // 2 + 1)
    return max(((lag, share(lag)) for lag in lags), key=lambda found: found[1])


def print_steps(algorithms: str, size: str) -> None:
    """One row for each ring and algorithm."""
    for name, topology in RINGS.items():
        for algorithm in algorithms.split(","):
            lag, share = recurring_steps(topology, algorithm, size)
            found = f"{share:6.1%} of steps, {lag} later" if share else "no step recurs"
            print(f"{name:15} {algorithm:15} {found}", flush=True)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Whether what happens in a network repeats.")
    parser.add_argument("cases", nargs="*", metavar="case", help=", ".join(cases("1MB")))
    parser.add_argument("--cc", default=ALGORITHMS, help="algorithms, with commas")
    parser.add_argument("--size", default="3.2MB", help="of each flow, or of a collective's data")
    parser.add_argument("--exact-int", action="store_true", help="INT fields that are not rounded")
    parser.add_argument("--steps", action="store_true", help="steps of rings, not packets")
    wanted = parser.parse_args()
    if wanted.steps:
        if wanted.cases or wanted.exact_int:
            parser.error("--steps has rings of its own, with INT as it is in hardware")
        print_steps(wanted.cc, wanted.size)
        return
    for name in wanted.cases or cases(wanted.size):
        for algorithm in wanted.cc.split(","):
            try:
                told = observe(name, algorithm, wanted.size, exact=wanted.exact_int)
            except incast.Error as error:
                told = f"error: {error}"
            print(f"{name:15} {algorithm:15} {told}", flush=True)


if __name__ == "__main__":
    main()
