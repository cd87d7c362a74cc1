"""Balancers and controllers against each other: tail and mean FCT under seven kinds of traffic, as
ratios to NSCC with REPS, paired by seed.

.venv/bin/python benches/multipath.py                          # 5 seeds; some 20 minutes of CPU
.venv/bin/python benches/multipath.py --only incast --seeds 8  # one kind
.venv/bin/python benches/multipath.py --figure multipath.png   # what is in results is not run again
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import incast
from incast.measure.paired import PairedRatio
from matplotlib.figure import Figure

Json = dict[str, Any]

LOSSLESS: Json = {"network.flow_control": "pfc"}
REORDERED: Json = {
    **LOSSLESS,
    "network.recovery": {"kind": "selective", "loss_detection": {"kind": "explicit"}},
}
"""What is overtaken is not lost."""
TRIMMED: Json = {
    **REORDERED,
    "network.flow_control": "none",
    "network.drop": {"trimming": {}},
}

BASE = "nscc, reps"
CONTENDERS: dict[str, Json] = {
    **{
        f"{cc.partition(':')[0]}, {kind}": {"cc": cc, "network.balance": {"kind": kind}, **TRIMMED}
        for cc, kinds in {
            "nscc": ("reps", "bitmap", "oblivious", "flow"),
            "nscc+vai": ("reps",),
            "nscc+vai+sf": ("reps",),
            "nscc+credits": ("reps",),
            "rccc": ("reps", "oblivious"),
            "dctcp": ("reps",),
            "swift:fairness": ("oblivious",),
        }.items()
        for kind in kinds
    },
    "dctcp, plb": {"cc": "dctcp", "network.balance": {"kind": "plb", "congested": 0.02}, **TRIMMED},
    "swift, plb (PFC)": {
        "cc": "swift:fairness",
        "network.balance": {"kind": "plb", "delay": "10us"},
        **REORDERED,
    },
    "swift, flow (PFC)": {"cc": "swift:fairness", **LOSSLESS},
    "hpcc, flow (PFC)": {"cc": "hpcc", **LOSSLESS},
    "dcqcn, flow (PFC)": {"cc": "dcqcn", **LOSSLESS},
}
"""Each in the network that it is made for: senders that spray where switches trim, those of one
path under PFC. Algorithms have their defaults, Swift the target of networks of this size, PLB
thresholds that each algorithm's queues can reach.
"""

PERMUTATION = {"kind": "permutation", "sizes": "16MB", "shift": 8}
LINK = ["leaf 0", "spine 0"]
EVEN, ODD = (",".join(str(host) for host in range(first, 64, 2)) for first in (0, 1))
KINDS: dict[str, Json] = {
    "permutation": {"traffic": [PERMUTATION]},
    "incast": {
        "traffic": [{"kind": "incast", "receiver": 0, "senders": "8-39", "sizes": "1MB"}],
    },
    "all-to-all": {"traffic": [{"kind": "all-to-all", "sizes": "100KB", "jitter": "5us"}]},
    "web search": {
        "traffic": [{"kind": "poisson", "sizes": "web-search", "load": 0.6, "duration": "8ms"}],
    },
    "quarter link": {
        "traffic": [PERMUTATION],
        "fault": [{"kind": "degraded", "between": LINK, "from": "0s", "rate": "100Gbps"}],
    },
    "link down": {
        "traffic": [PERMUTATION],
        "fault": [{"kind": "down", "between": LINK, "from": "100us"}],
    },
    "two jobs": {
        "traffic": [
            {
                "kind": "all-to-all",
                "sources": job,
                "destinations": job,
                "sizes": size,
                "jitter": "5us",
            }
            for job, size in ((EVEN, "200KB"), (ODD, "400KB"))
        ],
    },
}


def measures(kind: str) -> dict[str, str]:
    """Tail and mean, and their columns: of FCT slowdown under web search; where all flows begin
    together, of FCT.
    """
    if kind == "web search":
        return {name: name for name in ("slowdown.p99", "slowdown.mean")}
    return {name: f"{name}_ps" for name in ("fct.max", "fct.mean")}


def study(kind: str, seeds: int) -> Json:
    """64 hosts in eight racks, eight spines, 400 Gb/s, packets of 4 KiB, 64 entropies."""
    topology = {"kind": "leaf-spine", "leaves": 8, "spines": 8, "hosts_per_leaf": 8}
    rates = {"host_rate": "400Gbps", "spine_rate": "400Gbps"}
    scenario = {
        "network": {"topology": {**topology, **rates}, "packets": {"mtu": "4096B"}},
        "cc": {"algorithm": "nscc"},
        "measure": {"queues": {"ports": "none"}, "flows": {"which": "none"}},
        **KINDS[kind],
    }
    return {
        "name": kind.replace(" ", "-"),
        "scenario": scenario,
        "measure": [*measures(kind), "timeouts", "packets.trimmed"],
        "points": list(CONTENDERS.values()),
        "vary": {"seed": list(range(1, seeds + 1))},
    }


def ratios(kind: str, sweep: incast.Sweep) -> dict[str, list[PairedRatio]]:
    """Tail and mean of each contender over those of :data:`BASE`, seed by seed."""
    found: dict[str, list[PairedRatio]] = {}
    labels = list(CONTENDERS)
    per_point = len(sweep.rows) // len(labels)
    values = {
        label: sweep.rows[index * per_point : (index + 1) * per_point]
        for index, label in enumerate(labels)
    }
    for label, rows in values.items():
        found[label] = [
            PairedRatio.of(
                [row.measured[name] for row in rows],
                [row.measured[name] for row in values[BASE]],
            )
            for name in measures(kind).values()
        ]
    return found


def text(ratio: PairedRatio) -> str:
    """`1.32 ±4 %`; without an interval, the ratio alone."""
    if ratio.ratio != ratio.ratio:
        return "–"
    if ratio.equal:
        return "1"
    reach = f" ±{100 * (ratio.high / ratio.ratio - 1):.0f} %" if ratio.has_interval else ""
    mark = "" if ratio.is_different else " ="
    return f"{ratio.ratio:.2f}{reach}{mark if ratio.has_interval else ''}"


def table(found: dict[str, dict[str, list[PairedRatio]]], which: int) -> str:
    """A row for each contender, a column for each kind of traffic."""
    kinds = list(found)
    lines = [f"| contender | {' | '.join(kinds)} |", "|---|" + "---|" * len(kinds)]
    for label in CONTENDERS:
        cells = " | ".join(text(found[kind][label][which]) for kind in kinds)
        lines.append(f"| {label} | {cells} |")
    return "\n".join(lines)


def figure(found: dict[str, dict[str, list[PairedRatio]]]) -> Figure:
    """A panel for each kind of traffic, a row for each contender: tail and mean with intervals."""
    labels = list(CONTENDERS)
    drawn = Figure(figsize=(2.0 * len(found) + 1.8, 4.6), layout="constrained")
    panels = drawn.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for panel, (kind, rows) in zip(panels, found.items(), strict=True):
        for which, (name, colour, marker) in enumerate(
            [("tail", "#0072b2", "o"), ("mean", "#d55e00", "D")]
        ):
            for row, label in enumerate(labels):
                ratio = rows[label][which]
                if ratio.ratio != ratio.ratio:
                    continue
                y = row + 0.15 * (1 if which else -1)
                if ratio.has_interval:
                    panel.plot([ratio.low, ratio.high], [y, y], color=colour, linewidth=1.2)
                panel.plot(ratio.ratio, y, marker, color=colour, markersize=3.5, label=name)
        panel.axvline(1, color="0.6", linewidth=0.8, zorder=0)
        panel.set_xscale("log")
        panel.set_xticks([0.5, 1, 2, 4, 8], ["½", "1", "2", "4", "8"])
        panel.minorticks_off()
        panel.set_title(kind, fontsize=9)
        panel.tick_params(labelsize=8)
    panels[0].set_yticks(range(len(labels)), labels)
    panels[0].invert_yaxis()
    handles, names = panels[0].get_legend_handles_labels()
    both = dict(zip(names, handles, strict=True))
    drawn.legend(both.values(), both.keys(), loc="outside lower right", ncols=2, fontsize=8)
    drawn.supxlabel(f"FCT over that of {BASE}, geometric mean of seeds with 95 % intervals", size=8)
    return drawn


def main() -> None:
    """Runs, prints both tables, and draws the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", choices=list(KINDS), action="append")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--out", type=Path, default=Path("results/multipath"))
    parser.add_argument("--figure", type=Path)
    arguments = parser.parse_args()
    found = {}
    for kind in arguments.only or KINDS:
        folder = arguments.out / kind.replace(" ", "-")
        sweep = incast.sweep(study(kind, arguments.seeds), store=folder, jobs=arguments.jobs)
        found[kind] = ratios(kind, sweep)
    for which, name in enumerate(("tail", "mean")):
        print(f"\n{name}:\n\n{table(found, which)}")
    if arguments.figure:
        figure(found).savefig(arguments.figure, dpi=150)


if __name__ == "__main__":
    main()
