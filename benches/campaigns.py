"""What a run of a campaign costs beside the engine's own CPU time: checking, storing, measuring.

.venv/bin/python benches/campaigns.py          # both
.venv/bin/python benches/campaigns.py sweep    # 75 runs of 32 hosts, of some milliseconds each
.venv/bin/python benches/campaigns.py lgc      # all runs of the LGC paper, its claims judged
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import incast
from incast.papers import plan, reproduce
from incast.study.study import Study

EXAMPLE = Path(__file__).parents[1] / "examples" / "studies" / "load.toml"


def cpu_seconds() -> float:
    """Of this process, until now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def sweep() -> Callable[[Path], object]:
    """Checks the example's study, with less traffic in each run; gives what carries it out."""
    written = tomllib.loads(EXAMPLE.read_text())
    written["scenario"]["traffic"][0]["duration"] = "50us"
    study = Study(written)
    return lambda folder: incast.sweep(study, store=folder)


def lgc() -> Callable[[Path], object]:
    """Checks the runs of the LGC paper; gives what carries them out."""
    plan("lgc")
    return lambda folder: reproduce("lgc", store=folder)


CASES = {"sweep": sweep, "lgc": lgc}


def costs(check: Callable[[], Callable[[Path], object]]) -> tuple[int, dict[str, float]]:
    """How many runs there are, and seconds of CPU for all of them: twice, so that the second time
    all results are there.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin = cpu_seconds()
        carry_out = check()
        checked = cpu_seconds()
        carry_out(folder)
        ran = cpu_seconds()
        carry_out(folder)
        again = cpu_seconds()
        summaries = [json.loads(file.read_text()) for file in folder.glob("runs/*/summary.json")]
    engine = sum(each["cpu_seconds"] for each in summaries)
    return len(summaries), {
        "checked": checked - begin,
        "run, stored and measured": ran - checked,
        "of which the engine's own": engine,
        "overhead": ran - begin - engine,
        "read and measured again": again - ran,
    }


def main() -> None:
    """Prints the cost of a run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("case", nargs="?", choices=CASES, help="default: all")
    asked = parser.parse_args().case
    for name in [asked] if asked else CASES:
        count, found = costs(CASES[name])
        print(f"{name}, {count} runs, milliseconds of CPU for each:")
        for what, seconds in found.items():
            print(f"  {what:<26} {1e3 * seconds / count:5.1f}")


if __name__ == "__main__":
    main()
