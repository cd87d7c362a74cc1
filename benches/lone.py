"""What share of packet-hops flows make that are alone, and so how much a run could skip, at most.

    .venv/bin/python benches/lone.py                  # all cases, under DCQCN and HPCC
    .venv/bin/python benches/lone.py ring-at-a-star --cc none

Shares are those of `Results.lone_share()`: with the company of ACKs, and without. If what lone
flows do took no time at all, a run would end 1 / (1 − share) times sooner.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import incast

RING = {"kind": "collective", "operation": "all-reduce", "algorithm": "ring"}
HALVING = RING | {"algorithm": "halving-doubling"}
CASES = {
    "ring-at-a-star": ({"kind": "star", "hosts": 16}, RING | {"data": "16MB"}),
    "ring-in-a-fat-tree": ("fat-tree", RING | {"data": "64MB"}),
    "halving-doubling": ("fat-tree", HALVING | {"data": "64MB"}),
}
"""By name: topology and traffic."""
FILES = {"clos-320-short": Path(__file__).parent / "clos-320-short.toml"}


def scenario(name: str, algorithm: str) -> incast.Scenario:
    """A case under an algorithm."""
    if name in FILES:
        return incast.Scenario(FILES[name], **{"cc.algorithm": algorithm})
    topology, traffic = CASES[name]
    network, cc = {"topology": topology}, {"algorithm": algorithm}
    return incast.Scenario({"network": network, "cc": cc, "traffic": [traffic]})


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="What share of packet-hops lone flows make.")
    parser.add_argument("cases", nargs="*", metavar="case", help=", ".join([*CASES, *FILES]))
    parser.add_argument("--cc", default="dcqcn,hpcc", help="algorithms, with commas")
    wanted = parser.parse_args()
    for name in wanted.cases or [*CASES, *FILES]:
        for algorithm in wanted.cc.split(","):
            results = incast.run(scenario(name, algorithm))
            every, of_data = (results.lone_share(with_acks=each) for each in (True, False))
            print(f"{name:20} {algorithm:10} {every:7.2%}, but for ACKs {of_data:7.2%}", flush=True)


if __name__ == "__main__":
    main()
