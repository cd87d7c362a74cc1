"""Memory of long and large runs over time: measures, and draws `docs/images/memory.png`.

    ./dev memory                # every case; needs 8 GB, takes some minutes
    ./dev memory idle slow      # some of them

Each case is `incast run` in a process of its own, whose resident memory is read a hundred times a
second.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import incast
from incast.present.units import bytes_text, count_text, seconds_text, time_text

ROOT = Path(__file__).parent.parent
EVERY = 0.01
"""Seconds between two readings."""
TITLE_WIDTH = 60
"""Characters above a panel."""

STAR = {"topology": {"kind": "star", "hosts": 17}}


def idle() -> dict:
    """72 hours: 17 flows of 10 MB, one every 4.5 hours; everything sampled every microsecond."""
    flows = [
        {"source": number % 16, "destination": 16, "size": "10MB", "start": f"{16_200 * number}s"}
        for number in range(17)
    ]
    every = {"every": "1us"}
    return {
        "network": STAR,
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "flows", "flows": flows}],
        "measure": {"queues": every, "flows": every},
    }


def slow() -> dict:
    """72 hours: three flows of 12 GB over links of 1 Mbps into one, sampled every ms."""
    return {
        "network": {
            "topology": {"kind": "star", "hosts": 4, "rate": "1Mbps", "delay": "1us"},
            "buffer": {"size": "1MB"},
        },
        "run": {"stop": "259200s"},
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "incast", "receiver": 3, "sizes": "12GB"}],
        "measure": {"queues": {"every": "1ms"}, "flows": {"every": "1ms"}},
    }


def flows() -> dict:
    """10^7 flows of 1 KB at half load."""
    return {
        "network": STAR,
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "poisson", "sizes": "1KB", "load": 0.5, "count": 10**7}],
    }


def ports() -> dict:
    """10^6 samples of 10,000 ports: all of them, every ns for a millisecond."""
    return {
        "run": {"stop": "1ms"},
        "network": {
            "topology": {
                "kind": "leaf-spine",
                "leaves": 100,
                "spines": 34,
                "hosts_per_leaf": 32,
            }
        },
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "permutation", "sizes": "100KB", "jitter": "900us"}],
        "measure": {"queues": {"ports": "all", "every": "1ns"}, "flows": {"which": "none"}},
    }


CASES = {case.__name__: case for case in (idle, slow, flows, ports)}


def measure(name: str, folder: Path) -> dict:
    """Runs a case; gives its memory over time, and what it did."""
    scenario = incast.Scenario(CASES[name](), name=name)
    file, out = folder / f"{name}.toml", folder / name
    file.write_text(scenario.to_toml())
    command = [sys.executable, "-m", "incast", "run", file, "--out", out, "--force", "--quiet"]
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    times, resident = [], []
    while process.poll() is None:
        try:
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            break
        times.append(time.monotonic() - begin)
        resident.append(pages * 4096)
        time.sleep(EVERY)
    if process.wait() != 0:
        raise SystemExit(f"{name}: incast run failed")
    results = incast.load(out)
    return {
        "seconds": times,
        "bytes": resident,
        "estimated_bytes": scenario.estimate()["memory_bytes"],
        "wall_seconds": time.monotonic() - begin,
        "simulated_ps": results.summary["simulated_ps"],
        "flows": results.summary["flows"]["finished"],
        "series_rows": len(results.series),
        "thinned": results.summary.get("thinned_series"),
    }


def listing(name: str, found: dict) -> str:
    peak = max(found["bytes"])
    return (
        f"{name:6} {time_text(found['simulated_ps']):>8} simulated in "
        f"{seconds_text(found['wall_seconds'])}, {count_text(found['flows'])} flows, "
        f"{count_text(found['series_rows'])} rows: peak {bytes_text(peak)}, "
        f"estimated {bytes_text(found['estimated_bytes'])}"
    )


def draw(measured: dict[str, dict], file: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 2.6 * ((len(measured) + 1) // 2)), layout="constrained")
    panels = figure.subplots((len(measured) + 1) // 2, 2, squeeze=False).ravel()
    for panel in panels[len(measured) :]:
        panel.set_visible(False)
    for panel, (name, found) in zip(panels, measured.items(), strict=False):
        megabytes = [amount / 1e6 for amount in found["bytes"]]
        panel.plot(found["seconds"], megabytes, color="#0b62a4")
        panel.set_ylim(0, max(megabytes) * 1.15)
        panel.set_xlim(0, None)
        title = textwrap.fill(CASES[name].__doc__.rstrip("."), TITLE_WIDTH)
        panel.set_title(title, fontsize=7)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.3)
        panel.set_xlabel("wall time, run and report (s)", fontsize=7)
        panel.set_ylabel("resident memory (MB)", fontsize=7)
    figure.savefig(file, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "memory.png")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    arguments = parser.parse_args()
    cases = arguments.cases or list(CASES)
    if unknown := set(cases) - set(CASES):
        parser.error(f"no case {', '.join(unknown)}; there are {', '.join(CASES)}")
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in cases:
            measured[name] = measure(name, Path(folder))
            print(listing(name, measured[name]), flush=True)
    draw(measured, arguments.out)
    if arguments.json:
        arguments.json.write_text(json.dumps(measured))


if __name__ == "__main__":
    main()
