"""Published results of 8,192 hosts that spray, beside ours: whether the order is the same.

`ultraethernet/uet-htsim`, `htsim/sim/datacenter/results`, recorded on 30 July 2024, and NSCC again
on 2 August. The program is a year older than that of profile `uet-htsim`, so digits differ.

.venv/bin/python benches/published_multipath.py                     # 8 minutes of CPU, 1 GB
.venv/bin/python benches/published_multipath.py --only "slow spine" # experiments with this in it
.venv/bin/python benches/published_multipath.py --largest 4         # up to 4 MB: 3 minutes
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import incast

Json = dict[str, Any]

GBPS, PACKET, HEADER = 400, 4150, 64
PER_BYTE_PS = 8000 // GBPS
LEAVES, SPINES, HOSTS_PER_LEAF = 128, 64, 64
QUEUE, MARKS = 100, (25, 75)
"""Packets, as `-q 100 -ecn 25 75` has them, with the one in transmission."""
SLOW = 4
"""A link of the slow spine has this part of the rate, of the queue and of the thresholds."""
RTT_PS = 4 * (2_000_000 + (PACKET + HEADER) * PER_BYTE_PS)


@dataclass(frozen=True)
class Published:
    """One experiment with 8,192 hosts, and the last FCT in us."""

    shape: str
    megabytes: int
    entropies: int
    nscc: float
    nscc_later: float
    rccc: float
    oversubscription: int = 1
    slow: int = 1
    senders: int = 0
    """Of an incast; none: a permutation."""

    @property
    def name(self) -> str:
        """As rows of the table begin."""
        return f"{self.shape} | {self.megabytes} MB | {self.entropies}"


def rows(
    shape: str, megabytes: int, values: dict[int, tuple[float, float, float]], **more: int
) -> Iterator[Published]:
    """A row for each number of entropies."""
    for entropies, published in values.items():
        yield Published(shape, megabytes, entropies, *published, **more)


PUBLISHED = [
    *rows(
        "permutation",
        4,
        {
            32: (106.366, 136.367, 107.31),
            64: (102.027, 113.635, 103.772),
            128: (99.4849, 106.265, 101.354),
        },
    ),
    *rows(
        "slow spine",
        4,
        {
            32: (155.295, 141.833, 119.855),
            64: (130.333, 123.202, 114.738),
            128: (113.463, 112.675, 111.373),
        },
        slow=SLOW,
    ),
    *rows("4 : 1", 4, {64: (458.157, 410.758, 401.512)}, oversubscription=4),
    *rows("8 : 1", 4, {64: (770.787, 728.653, 824.15)}, oversubscription=8),
    *rows("permutation", 16, {64: (416.524, 488.144, 380.911)}),
    *rows("slow spine", 16, {64: (548.478, 529.239, 414.929)}, slow=SLOW),
    *rows("incast of 8", 16, {64: (2758.56, 2743.38, 2754.86)}, senders=8),
    *rows("incast of 128", 16, {64: (43752.8, 43796.0, 44091.0)}, senders=128),
]


def graph(case: Published, folder: Path) -> Path:
    """The network of an experiment as a file: some spines are missing, or the first one is slow."""
    spines = SPINES // case.oversubscription
    leaf_of = [host // HOSTS_PER_LEAF for host in range(LEAVES * HOSTS_PER_LEAF)]
    lines = [
        "hosts " + " ".join(f"h{host}" for host in range(len(leaf_of))),
        "switches "
        + " ".join([*(f"l{leaf}" for leaf in range(LEAVES)), *(f"s{n}" for n in range(spines))]),
        *(f"link h{host} l{leaf} {GBPS}Gbps 1us" for host, leaf in enumerate(leaf_of)),
        *(
            f"link l{leaf} s{spine} {GBPS // (1 if spine else case.slow)}Gbps 1us"
            for leaf in range(LEAVES)
            for spine in range(spines)
        ),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"spines-{spines}-{case.slow}.graph"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def thresholds(slow: int) -> Json:
    """Where marks begin and all are marked, in packets that wait, at links of this part."""
    low, high = (f"{edge * PACKET // slow - PACKET}B" for edge in MARKS)
    return {"link_rate": f"{GBPS // slow}Gbps", "k_min": low, "k_max": high, "p_max": 1.0}


def scenario(case: Published, cc: str, folder: Path) -> Json:
    """As profile `uet-htsim` has it, with queues and thresholds that shrink with a link's rate."""
    # Ports count whole packets that wait, the last one begun.
    waiting = f"{(QUEUE - 1.5) * PACKET * PER_BYTE_PS / RTT_PS:.6f}bdp"
    aware = {"order": "xor", "skips": "penalties", "timeout_blames": "first"}
    control: Json = {"algorithm": cc, "parameters": "uet-htsim"}
    if cc == "rccc" and case.oversubscription > 1:
        control["oversubscription"] = case.oversubscription
    marking: Json = {"per_rate": [thresholds(part) for part in sorted({1, case.slow})]}
    traffic: Json = {"kind": "permutation", "sizes": f"{case.megabytes}MB"}
    if case.senders:
        hosts = LEAVES * HOSTS_PER_LEAF // case.senders
        of = ",".join(str(sender * hosts + 1) for sender in range(case.senders))
        traffic = {"kind": "incast", "receiver": 0, "senders": of, "sizes": "16MiB"}
    return {
        "network": {
            "topology": {"file": str(graph(case, folder).resolve()), "format": "graph"},
            "flow_control": "none",
            "balance": {"kind": "mixed", "entropies": case.entropies, **aware},
            "packets": {
                "mtu": f"{PACKET - HEADER}B",
                **dict.fromkeys(("data_header", "ack", "minimum"), f"{HEADER}B"),
                "timestamp": "0B",
            },
            "drop": {
                "sharing": "per-port",
                "queue_limit": waiting,
                "last_hop_queue_limit": waiting,
                "contention": "coin",
                "trimming": {
                    "header": f"{HEADER}B",
                    "header_queue": f"{2 * QUEUE * PACKET}B",
                    "service": "strict",
                },
            },
            "ecn": marking if cc == "nscc" else {**marking, "last_hop": False},
            "base_rtt": "global",
            "largest_base_rtt": f"{RTT_PS}ps",
            "recovery": {
                "timeout": f"{15_000_000 + 6 * QUEUE * PACKET * PER_BYTE_PS}ps",
                "backoff": "none",
            },
        },
        "cc": control,
        "measure": {"queues": {"ports": "none"}, "flows": {"which": "none"}},
        "traffic": [traffic],
    }


def last_fct_us(scenario: Json) -> float:
    """Of one run."""
    summary = incast.run(incast.Scenario(scenario)).summary
    last = float(summary["fct_ps"]["max"]) / 1e6
    sent_again, seconds = summary["packets"]["retransmitted"], summary["cpu_seconds"]
    print(f"  {last:.1f} us, {sent_again} packets sent again, {seconds:.0f} s of CPU", flush=True)
    return last


def table(only: str, largest: int, folder: Path) -> list[str]:
    """Runs the experiments; a row for each."""
    lines = [
        "| experiment | size | paths | NSCC: July | August | ours | RCCC: July | ours "
        "| RCCC / NSCC: July | August | ours |",
        "|---|---:|---:|" + "---:|" * 8,
    ]
    for case in PUBLISHED:
        if only not in case.name or case.megabytes > largest:
            continue
        print(case.name, flush=True)
        nscc, rccc = (last_fct_us(scenario(case, cc, folder)) for cc in ("nscc", "rccc"))
        times = [case.nscc, case.nscc_later, nscc, case.rccc, rccc]
        ratios = [case.rccc / case.nscc, case.rccc / case.nscc_later, rccc / nscc]
        cells = [*(f"{each:.1f}" for each in times), *(f"{each:.2f}" for each in ratios)]
        lines.append(f"| {case.name} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Runs, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--largest", type=int, default=16, help="largest flows, in MB")
    parser.add_argument("--out", type=Path, default=Path("results/published-multipath"))
    arguments = parser.parse_args()
    print("\n".join(table(arguments.only, arguments.largest, arguments.out)))


if __name__ == "__main__":
    main()
