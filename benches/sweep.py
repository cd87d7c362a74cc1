"""What a run of a sweep costs beside the engine's own CPU time: checking, storing, measuring.

    .venv/bin/python benches/sweep.py

120 runs of 128 hosts, each of some milliseconds, as the example study has them.
"""

from __future__ import annotations

import json
import resource
import tempfile
import tomllib
from pathlib import Path

import incast
from incast.study.study import Study

EXAMPLE = Path(__file__).parents[1] / "examples" / "studies" / "load.toml"


def cpu_seconds() -> float:
    """Of this process, until now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Sweeps twice, and prints the cost of a run."""
    written = tomllib.loads(EXAMPLE.read_text())
    written["scenario"]["traffic"][0]["duration"] = "50us"
    with tempfile.TemporaryDirectory() as folder:
        begin = cpu_seconds()
        study = Study(written)
        checked = cpu_seconds()
        incast.sweep(study, store=folder)
        ran = cpu_seconds()
        incast.sweep(study, store=folder)
        again = cpu_seconds()
        files = Path(folder).glob("runs/*/summary.json")
        engine = sum(json.loads(file.read_text())["cpu_seconds"] for file in files)
    count = len(study.runs)
    costs = {
        "checked": checked - begin,
        "run, stored and measured": ran - checked,
        "of which the engine's own": engine,
        "overhead": ran - begin - engine,
        "read and measured again": again - ran,
    }
    print(f"{count} runs, milliseconds of CPU for each:")
    for name, seconds in costs.items():
        print(f"  {name:<26} {1e3 * seconds / count:5.1f}")


if __name__ == "__main__":
    main()
