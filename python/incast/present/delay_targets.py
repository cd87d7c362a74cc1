"""Warnings about target delays in absolute time that are meant for another network."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from incast.errors import ResultsError
from incast.measure.run import Run, Runs
from incast.present.units import time_text

__all__ = ["foreign_targets", "multiple_of_base_rtt"]

_TARGETS = {"swift": "base_target", "timely": "low_threshold"}
"""For each algorithm, the parameter with the delay up to which it lets queues grow."""
_FOREIGN = 1.5
"""A target from this multiple of the base RTT on counts as meant for another network."""
_PICOSECONDS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
_SECTION = re.compile(r"^\[cc\]\n.*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
"""Finds the section `[cc]` without parsing the rest, which may list thousands of flows."""


def foreign_targets(runs: Runs) -> list[str]:
    """A sentence for each target delay that is far above the base RTT, with the runs that have it.
    Such runs keep long queues, and so compare badly.
    """
    labels: dict[tuple[str, float, float], list[str]] = {}
    for label, run in runs.items():
        for found in _targets(run):
            labels.setdefault(found, []).append(label)
    return [
        f"{', '.join(whose)}: `cc.{key}` allows a delay of {time_text(target)}, and the base RTT "
        f"is {time_text(base)}. Queues grow up to the difference, for these parameters are of "
        "another network. Set it, or take a set of parameters for this one (`incast show` with "
        "the name of the algorithm lists them)."
        for (key, target, base), whose in labels.items()
    ]


def multiple_of_base_rtt(run: Run) -> float:
    """The largest target delay that is meant for another network, in base RTTs; 0 if there is
    none.
    """
    return max((target / base for _, target, base in _targets(run)), default=0.0)


def _targets(run: Run) -> Iterator[tuple[str, float, float]]:
    """The parameter, its value and the base RTT in ps, if the value is far above the base RTT."""
    base = run.summary.get("base_rtt_ps")
    try:
        section = _SECTION.search(run.scenario)
    except ResultsError:
        # The folder of the results was removed.
        return
    if base is None or section is None:
        return
    cc = tomllib.loads(section[0])["cc"]
    algorithm = re.match(r"\w+", cc["algorithm"])
    key = _TARGETS.get(algorithm[0]) if algorithm else None
    written = re.fullmatch(r"([\d.]+)([mnpu]?s)", str(cc.get(key))) if key else None
    if key is None or written is None:
        return
    target = float(written[1]) * _PICOSECONDS[written[2]]
    if target >= _FOREIGN * base:
        yield key, target, base
