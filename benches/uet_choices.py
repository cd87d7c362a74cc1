"""What each difference between Ultra Ethernet's specification and its simulator is worth: one
choice of profile `uet-htsim` at a time on top of the specification's, as ratios paired by seed.

.venv/bin/python benches/uet_choices.py                       # 10 seeds; a minute of CPU
.venv/bin/python benches/uet_choices.py --only incast --seeds 20  # one kind of traffic
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import incast
from incast.measure.paired import PairedRatio

Json = dict[str, Any]

CHOICES: dict[str, Json] = {
    "quick adapt acts on delays above 4 targets; else never": {"cc.qa_threshold": 4.0},
    "a packet's size without header; else with it": {"cc.packet": "payload"},
    "average delay: weight 0.0125 per ACK; else about one base RTT": {"cc.average_weight": 0.0125},
    "the same, and unmarked delays above the target as a quarter of the RTT": {
        "cc.average_weight": 0.0125,
        "cc.unmarked_delay": 0.25,
    },
    "ACKs without an RTT sample count; else they change nothing": {"cc.needs_sample": False},
    "a period ends when it is exceeded; else when it is reached": {"cc.period_end": "exceeded"},
    "timeouts alone lower the window; else every loss": {"cc.losses": "timeouts"},
    "room for the next packet; else for a full one": {"cc.allowance": "next-packet"},
    "received bytes are exact; else in units of 256 B": {"cc.received_unit": "1B"},
    "the BDP by floating point; else exact": {"cc.bdp": "floats"},
    "trimmed packets do not lower the base RTT; else they may": {"cc.base_rtt_from_trims": False},
    "all of NSCC's": {"cc.parameters": "uet-htsim"},
    "entropies in `xor` order; else shuffled": {"network.balance.order": "xor"},
    "penalties of entropies add up; else one skip forgives": {"network.balance.skips": "penalties"},
    "a timeout blames the first entropy; else that of the packet": {
        "network.balance.timeout_blames": "first"
    },
    "a coin says which packet is trimmed; else the one that arrives": {
        "network.drop.contention": "coin"
    },
    "headers always first; else a quarter of the bytes": {
        "network.drop.trimming.service": "strict"
    },
    "1 BDP of queue at the last hop; else 1.5": {"network.drop.last_hop_queue_limit": "1bdp"},
    "timeouts in a row are equal; else twice as long each": {"network.recovery.backoff": "none"},
    "a header of 64 B; else 48 B": {
        "network.packets.data_header": "64B",
        "network.packets.mtu": "4086B",
        "network.packets.timestamp": "0B",
    },
}
ALL: Json = {key: value for choice in CHOICES.values() for key, value in choice.items()}
SIMULATED = "all"
POINTS: dict[str, Json] = {
    "": {},
    **CHOICES,
    SIMULATED: {key: value for key, value in ALL.items() if key != "cc.base_rtt_from_trims"},
}
"""The first row is the specification. The simulator has trimmed packets lower the base RTT, too,
unless an option forbids it.
"""

CREDITS: dict[str, Json] = {
    "": {},
    "1.5 BDPs of credit at first; else 1": {"cc.speculative": 1.5},
    "idle turns go by demands; else by flows": {"cc.idle_turns": "of-demands"},
    "flows that have all go on getting credit; else not": {"cc.grants_after_end": True},
    SIMULATED: {"cc.parameters": "uet-htsim"},
}
"""Of RCCC."""

PERMUTATION = {"kind": "permutation", "sizes": "4MB", "shift": 8}
LINK = ["leaf 0", "spine 0"]
KINDS: dict[str, Json] = {
    "permutation": {"traffic": [PERMUTATION]},
    "incast": {
        "traffic": [{"kind": "incast", "receiver": 0, "senders": "8-39", "sizes": "500KB"}],
    },
    "quarter link": {
        "traffic": [PERMUTATION],
        "fault": [{"kind": "degraded", "between": LINK, "from": "0s", "rate": "100Gbps"}],
    },
    "link down": {
        "traffic": [PERMUTATION],
        "fault": [{"kind": "down", "between": LINK, "from": "20us"}],
    },
    "drops": {"traffic": [PERMUTATION]},
    "drops, SLEEK": {"traffic": [PERMUTATION]},
}
"""64 hosts; in the last two kinds queues of 1 BDP drop, and flows have four entropies."""
MEASURES = ("fct.max", "fct.mean")


def scenario(kind: str, algorithm: str) -> Json:
    """The specification's choices, with packets of 4 KiB, and the simulator's timeout, since the
    specification leaves it to the network.
    """
    topology = {"kind": "leaf-spine", "leaves": 8, "spines": 8, "hosts_per_leaf": 8}
    rates = {"host_rate": "400Gbps", "spine_rate": "400Gbps"}
    drop: Json = {"sharing": "per-port", "queue_limit": "1bdp"}
    drops = kind.startswith("drops")
    detection: Json = {"kind": "explicit"}
    if "SLEEK" in kind:
        detection = {"kind": "early-count", "probes": {}}
    return {
        "network": {
            "topology": {**topology, **rates},
            "flow_control": "none",
            "packets": {"mtu": "4096B"},
            "balance": {"kind": "mixed", "entropies": 4 if drops else 64},
            "drop": {**drop, "last_hop_queue_limit": "1.5bdp"}
            | ({} if drops else {"trimming": {}}),
            "recovery": {"loss_detection": detection, "timeout": "65us"},
        },
        "cc": {"algorithm": algorithm},
        "measure": {"queues": {"ports": "none"}, "flows": {"which": "none"}},
        **KINDS[kind],
    }


def in_network_of(kind: str, points: dict[str, Json]) -> dict[str, Json]:
    """The points, as far as such a network has their keys; others are left out."""
    if not kind.startswith("drops"):
        return points
    cut = {
        label: {key: value for key, value in point.items() if "trimming" not in key}
        for label, point in points.items()
    }
    return {label: point for label, point in cut.items() if point or not label}


def ratios(
    kind: str, algorithm: str, points: dict[str, Json], seeds: int, folder: Path
) -> dict[str, list[PairedRatio]]:
    """Last and mean FCT of each point over those of the first one, seed by seed."""
    name = f"{algorithm}-{kind}".replace(" ", "-")
    points = in_network_of(kind, points)
    every = range(1, seeds + 1)
    study = {
        "name": name,
        "scenario": scenario(kind, algorithm),
        "measure": [*MEASURES],
        "points": [{"seed": seed, **point} for point in points.values() for seed in every],
    }
    sweep = incast.sweep(study, store=folder / name)
    values = [[row.measured[f"{name}_ps"] for row in sweep.rows] for name in MEASURES]
    return {
        label: [
            PairedRatio.of(each[index * seeds : (index + 1) * seeds], each[:seeds])
            for each in values
        ]
        for index, label in enumerate(points)
    }


def text(ratio: PairedRatio) -> str:
    """`1.032 ±4`: the ratio, and its interval in per mille; in bold if 1 is outside."""
    if ratio.equal:
        return "1"
    reach = f"±{1000 * (ratio.high / ratio.ratio - 1):.0f} ‰" if ratio.has_interval else ""
    shown = f"{ratio.ratio:.3f} {reach}".strip()
    return f"**{shown}**" if ratio.is_different else shown


def table(found: dict[str, dict[str, list[PairedRatio]]], points: dict[str, Json]) -> str:
    """A row for each choice; last and mean FCT of each kind of traffic."""
    lines = [f"| the simulator's choice | {' | '.join(found)} |", "|---|" + "---|" * len(found)]
    for label in [*points][1:]:
        rows = (of_kind.get(label) for of_kind in found.values())
        cells = (" / ".join(map(text, row)) if row else "–" for row in rows)
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Runs, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", choices=list(KINDS), action="append")
    parser.add_argument("--out", type=Path, default=Path("results/uet-choices"))
    arguments = parser.parse_args()
    for algorithm, points in {"nscc": POINTS, "rccc": CREDITS}.items():
        found = {
            kind: ratios(kind, algorithm, points, arguments.seeds, arguments.out)
            for kind in arguments.only or KINDS
            # RCCC needs to hear of losses before the timeout.
            if algorithm == "nscc" or kind != "drops"
        }
        print(f"\n{algorithm}:\n\n{table(found, points)}", flush=True)


if __name__ == "__main__":
    main()
