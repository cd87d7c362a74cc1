"""What an ACK costs in an algorithm of Python, beside two of the engine.

    .venv/bin/python benches/own_algorithms.py

CPU time of the whole run over its ACKs, the best of three.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import incast

ROOT = Path(__file__).parent.parent
FASTEST = """
from incast.algorithm import Algorithm, SendLimit

LIMIT = SendLimit(window_bytes=50_000)


class Fixed(Algorithm):
    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return LIMIT
"""
SCENARIO = {
    "network": {"topology": {"kind": "star", "hosts": 17}},
    "cc": {"algorithm": "none"},
    "traffic": [{"kind": "incast", "receiver": 0, "sizes": "20MB"}],
    "measure": {
        "queues": {"every": "100us"},
        "flows": {"which": "none", "every": "100us"},
    },
}


def measure(algorithm: str) -> tuple[float, int]:
    """CPU seconds, and ACKs."""
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        results = incast.run(SCENARIO, cc=algorithm, threads=1)
        seconds.append(time.process_time() - begin)
    return min(seconds), results.summary["packets"]["data"]


def main() -> None:
    """Prints a table in Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        fastest = Path(folder) / "fixed.py"
        fastest.write_text(FASTEST)
        cases = {
            "`dctcp`, in the engine": "dctcp",
            "a fixed window, the same `SendLimit` each time": str(fastest),
            "the file above": str(Path(incast.__file__).parent / "templates" / "algorithm.py"),
            "TCP with ECN, which also has `on_sent`": str(ROOT / "tests/algorithms/ecn_tcp.py"),
        }
        for title, algorithm in cases.items():
            seconds, acks = measure(algorithm)
            each, rate = seconds / acks * 1e6, acks / seconds / 1e6
            print(f"| {title} | {each:.2f} | {rate:.2f} million |")


if __name__ == "__main__":
    main()
