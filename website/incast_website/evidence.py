"""Evidence for an algorithm: recordings of ns-3, reproductions, frozen traces, checks."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.metadata import distribution

import incast
from incast import papers
from incast.papers import Scale
from incast.validate.recordings import recordings

from incast_website.repository import ROOT

__all__ = ["algorithm_of", "failed_checks", "of_algorithm", "of_checks"]

_GOLDEN = ROOT / "crates/incast-sim/tests/golden"


def of_algorithm(name: str) -> list[str]:
    """List items that name comparisons of an algorithm with other sources than itself."""
    found = []
    recorded = [each.name for each in recordings() if each.algorithm == name]
    if recorded:
        listed = ", ".join(f"`{each}`" for each in recorded)
        found.append(
            "- [Recordings of HPCC's ns-3 artifact](../validation.md), met to the nanosecond: "
            + listed
        )
    for paper, figures in _papers()[name].items():
        count = f"{figures} figure{'s' * (figures != 1)}"
        found.append(f"- [Reproduction `{paper}`](../reproductions/{paper}.md): {count}")
    traces = sum(_algorithm_of(file.stem) == name for file in _GOLDEN.glob("*.txt"))
    if traces:
        found.append(
            f"- {traces} traces frozen as text, with every step of rate and window, "
            "in `crates/incast-sim/tests/golden`"
        )
    found.append(
        "- Random events in `crates/incast-cc/tests/random_events.rs`, and "
        f"`incast check-algorithm {name}`"
    )
    return found


def of_checks(name: str) -> str:
    """The result of `incast check-algorithm` for an algorithm, in words."""
    row = _failed_checks().get(name)
    checks = "[`incast check-algorithm`](../own-algorithms.md#check-it)"
    if row is None:
        return f"{checks} finds nothing: it passes all checks."
    failed, reason = row
    return f"{checks} fails {failed}: {reason}."


@cache
def _papers() -> dict[str, Counter[str]]:
    """For each algorithm, the number of figures of each paper that run it."""
    found: dict[str, Counter[str]] = {name: Counter() for name in incast.algorithms()}
    for paper in sorted(entry.name for entry in distribution("incast-papers").entry_points):
        for figure in papers.paper(paper).figures:
            plans = figure.runs(Scale.QUICK).values()
            chosen = [plan.scenario.get("cc", {}).get("algorithm", "") for plan in plans]
            for name in {algorithm_of(each) for each in chosen if each}:
                found[name][paper] += 1
    return found


@cache
def _failed_checks() -> dict[str, tuple[str, str]]:
    """The table in docs/own-algorithms.md: which checks fail for an algorithm, and why."""
    return failed_checks((ROOT / "docs/own-algorithms.md").read_text(encoding="utf-8"))


def failed_checks(text: str) -> dict[str, tuple[str, str]]:
    """The table of failed checks in a page's text: for each algorithm, which checks fail, and
    why.
    """
    listed = text.split("| algorithm | fails | because |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `([\w+-]+)` \| (.+?) \| (.+?) \|$", listed, re.MULTILINE)
    return {name: (failed, reason) for name, failed, reason in rows}


def algorithm_of(chosen: str) -> str:
    """The algorithm in a choice such as `hpcc++`, `hpcc+vai+sf` or `swift:fairness`."""
    pattern = r"{}(?=$|:|\+\w)"
    fits = [
        name for name in incast.algorithms() if re.match(pattern.format(re.escape(name)), chosen)
    ]
    return max(fits, key=len, default=chosen)


def _algorithm_of(trace: str) -> str:
    """The algorithm of a frozen trace, `scenario.algorithm-variant`: the longest name that
    matches.
    """
    run = trace.partition(".")[2]
    fits = [name for name in incast.algorithms() if re.match(rf"{re.escape(name)}(?![a-z])", run)]
    return max(fits, key=len, default="")
