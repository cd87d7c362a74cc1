"""Makes ``runs.csv``: the measures of 40 seeds under two algorithms, for the test of the paired
comparison. About 5 minutes of CPU:

    python tests/measure/pool/make.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import incast
import numpy as np
from incast.measure.series import percentile

ARRIVALS_PS = 25_000_000_000
STUDY = {
    "name": "pool",
    "scenario": {
        "network": {
            "topology": {"kind": "leaf-spine", "leaves": 8, "spines": 4, "hosts_per_leaf": 16}
        },
        "cc": {"algorithm": "hpcc"},
        "traffic": [
            {"kind": "poisson", "sizes": "web-search", "load": 0.3, "duration": "25ms"},
        ],
    },
    "vary": {"cc": ["hpcc", "dcqcn"], "seed": range(1, 41)},
    "measure": ["flows.finished"],
}


def slowdowns(run: incast.Results) -> np.ndarray:
    """FCT slowdown of the flows that start in the middle third of the time of arrivals."""
    starts = run.completed["start_ps"]
    middle = (starts >= ARRIVALS_PS / 3) & (starts < 2 * ARRIVALS_PS / 3)
    return run.completed["slowdown"][middle]


MEASURES = {
    "mean": lambda run: slowdowns(run).mean(),
    "p50": lambda run: percentile(slowdowns(run), 50),
    "p99": lambda run: percentile(slowdowns(run), 99),
    "p99.9": lambda run: percentile(slowdowns(run), 99.9),
}


def main() -> None:
    """Simulates the runs that are not yet in the store, one at a time, and writes the table."""
    store = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / "pool"
    sweep = incast.sweep(STUDY, measures=MEASURES, store=store, jobs=1)
    columns = [sweep["cc"], sweep["seed"], *(sweep[name] for name in MEASURES)]
    lines = [",".join(["cc", "seed", *MEASURES])]
    for cc, seed, *numbers in zip(*columns, strict=True):
        lines.append(",".join([cc, str(seed), *(f"{number:.6g}" for number in numbers)]))
    Path(__file__).with_name("runs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
