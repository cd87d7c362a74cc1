"""The dissertation's fabrics and workloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from incast.papers import seeds
from incast.papers.figure import RunPlan, Scale

from incast_papers.threecpo.algorithms import (
    AIMD,
    BASELINE,
    PRINTED,
    REPAIRED,
    STATIC_64,
    TUNED,
    WINDOWS,
    control,
    window,
)

__all__ = [
    "AT_ONCE",
    "DYNAMIC",
    "EVEN_TOKENS",
    "INITIATORS",
    "MATCHING_TOKENS",
    "OBSERVED",
    "OTHER_CHOICES",
    "SPREAD",
    "SPREAD_STARTS",
    "SYMMETRIC",
    "SYMMETRIC_SCHEMES",
    "VARIED",
    "all_reduce",
    "at_spread",
    "at_workload",
    "chosen",
    "dynamic_workloads",
    "example",
    "plan",
    "point",
    "shared",
    "spread_starts",
    "symmetric_workloads",
    "varied",
    "varied_and_spread",
    "varied_initiators",
    "with_seeds",
]

INITIATORS = tuple(WINDOWS)
VARIED = (BASELINE, TUNED, STATIC_64, AIMD, PRINTED, REPAIRED)
"""Schemes that are run with every number of initiators."""
SYMMETRIC = {"reads": "reads", "writes": "writes", "all-reduce": "transactions"}
"""Workloads of Figs. 6.13 and 6.14, with their kinds."""
DYNAMIC = {"Random-Multicast": "random-sets", "Multicast-Uni": "random-sets-and-unicast"}
"""Workloads of Figs. 6.15 and 6.16, with their kinds."""
SYMMETRIC_SCHEMES = (BASELINE, TUNED, PRINTED, REPAIRED)
EVEN_TOKENS = {"token_generation": "regular", "watermark_min": 1.0, "watermark_max": 10.0}
"""Tokens as in the worked examples, where WM_MAX is 10."""
MATCHING_TOKENS = {**EVEN_TOKENS, "watermark_initial": 10.0, "token_cap": 1e6}
"""Tokens as in the worked examples, and a bucket that never fills, so that all tokens taken can be
counted.
"""
OBSERVED = 3
"""The endpoint of the worked examples whose state is sampled."""
SPREAD = 20_000
"""Cycles over which starts are distributed uniformly, if they are spread."""
AT_ONCE, SPREAD_STARTS = "starts at once", f"starts over {SPREAD:,} cycles"
"""Names of the two ways of starting, in measured values."""


def plan(
    endpoints: int,
    scheme: Mapping[str, Any],
    work: list[dict[str, Any]],
    *,
    name: str,
    operations: float,
    seed: int = 1,
    **sections: Any,
) -> RunPlan:
    """A run of a fat tree.

    Args:
        endpoints: The number of endpoints of the fat tree.
        scheme: The `[control]` section.
        work: The `[[work]]` sections.
        name: The name of the run.
        operations: The approximate number of collective operations of all endpoints, for the
            estimate.
        seed: The seed of all random streams.
        sections: Further sections of the scenario; `fabric` adds keys to the fat tree.
    """
    fabric = {"endpoints": endpoints, **sections.pop("fabric", {})}
    scenario = {
        "run": {"name": name, "seed": seed},
        "fabric": fabric,
        "control": dict(scheme),
        "work": work,
        **sections,
    }
    # Each operation sends 10 flits over each member's link, and some over links between switches.
    return RunPlan(scenario, hops=operations * endpoints * 11.5)


def example(
    scheme: Mapping[str, Any], works: Sequence[Mapping[str, Any]], observed: int
) -> RunPlan:
    """A worked example: four endpoints at one switch, one of them sampled in each cycle."""
    scenario = {
        "run": {"name": "example"},
        "fabric": {"endpoints_per_tor": 4, "tors": 1, "cores": 0, "lanes": 1},
        "control": dict(scheme),
        "work": [dict(work) for work in works],
        "measure": {"every": 1, "endpoints": [observed]},
    }
    return RunPlan(scenario, hops=1000)


def all_reduce(
    scheme: Mapping[str, Any],
    initiators: int = 64,
    *,
    endpoints: int = 64,
    count: int = 128,
    spread: int = 0,
    seed: int = 1,
    **sections: Any,
) -> RunPlan:
    """An all-reduce: each initiator does `count` transactions, each a read reduction and then a
    multicast write.
    """
    work = {"kind": "transactions", "initiators": initiators, "count": count, "spread": spread}
    return plan(
        endpoints,
        scheme,
        [work],
        name=f"all-reduce-{endpoints}",
        operations=2 * count * initiators,
        seed=seed,
        **sections,
    )


def varied(scheme: str, initiators: int, **options: Any) -> RunPlan:
    """An all-reduce among 64 endpoints under a scheme of Figs. 6.2 and 6.10."""
    sections = {
        TUNED: lambda: window(WINDOWS[initiators]),
        STATIC_64: lambda: window(WINDOWS[64]),
    }
    chosen = sections[scheme]() if scheme in sections else control(scheme)
    return all_reduce(chosen, initiators, **options)


def point(scheme: str, initiators: int) -> str:
    """The label of runs of a scheme with this number of initiators."""
    return f"{scheme}, {initiators}"


def with_seeds(
    scale: Scale, label: str, make: Callable[..., RunPlan], *of_run: Any, **options: Any
) -> dict[str, RunPlan]:
    """The runs of a label with three seeds, or one in `quick`. `make` is called for each seed."""
    numbers = range(1, scale.pick(quick=1, full=3) + 1)
    return seeds.over(numbers, label, lambda seed: make(*of_run, seed=seed, **options))


def varied_initiators(scale: Scale) -> dict[str, RunPlan]:
    """The common runs of Figs. 6.2, 6.3, 6.10 and 6.11."""
    planned: dict[str, RunPlan] = {}
    for scheme in VARIED:
        for initiators in INITIATORS:
            planned |= with_seeds(scale, point(scheme, initiators), varied, scheme, initiators)
    return planned


_STARTS_SPREAD = ", starts spread"


def at_spread(scheme: str, initiators: int = 64) -> str:
    """The label of runs of a scheme with this number of initiators, and spread starts."""
    return f"{point(scheme, initiators)}{_STARTS_SPREAD}"


def spread_starts(scale: Scale) -> dict[str, RunPlan]:
    """Runs in which starts are uniform over :data:`SPREAD` cycles, with 64 initiators; with the
    tuned window and 3CPO also with fewer.
    """
    wanted = [(scheme, 64) for scheme in (BASELINE, REPAIRED)]
    wanted += [(scheme, n) for scheme in (TUNED, PRINTED) for n in INITIATORS]
    planned: dict[str, RunPlan] = {}
    for scheme, n in wanted:
        planned |= with_seeds(scale, at_spread(scheme, n), varied, scheme, n, spread=SPREAD)
    return planned


OTHER_CHOICES: Mapping[str, Mapping[str, Any]] = {
    "κ = 1": {"discount": 1.0},
    "remote operations never expire": {"hold": "forever"},
    "Algorithm 6 decreases by the whole": {"decrease": "whole"},
    "no minority scaling": {"minority_scaling": False},
    "initial watermark 300": {"watermark_initial": 300.0},
    "initial watermark 1,000": {"watermark_initial": 1000.0},
}
"""Alternatives to open choices of 3CPO's control."""


def chosen(choice: str) -> str:
    """The beginning of the label of 3CPO with 64 initiators and an alternative."""
    return f"{point(PRINTED, 64)} [{choice}]"


def _other_choices(scale: Scale) -> dict[str, RunPlan]:
    """Runs of 64 initiators under 3CPO with alternatives, with coinciding and with spread
    starts.
    """
    planned: dict[str, RunPlan] = {}
    for choice, changes in OTHER_CHOICES.items():
        section = control(PRINTED, **changes)
        for end, spread in (("", 0), (_STARTS_SPREAD, SPREAD)):
            label = f"{chosen(choice)}{end}"
            planned |= with_seeds(scale, label, all_reduce, section, spread=spread)
    return planned


def varied_and_spread(scale: Scale) -> dict[str, RunPlan]:
    """The runs of Figs. 6.10 and 6.11."""
    return {**varied_initiators(scale), **spread_starts(scale), **_other_choices(scale)}


def at_workload(workload: str, scheme: str) -> str:
    """The label of the runs of a workload under a scheme."""
    return f"{workload}, {scheme}"


def symmetric_workloads(scale: Scale) -> dict[str, RunPlan]:
    """The runs of Figs. 6.13 and 6.14, in which all 128 endpoints do the same at the same time."""
    count = scale.pick(quick=32, full=128)
    planned: dict[str, RunPlan] = {}
    for workload, kind in SYMMETRIC.items():
        operations = 128 * count * (2 if kind == "transactions" else 1)
        for scheme in SYMMETRIC_SCHEMES:
            chosen = window(5) if scheme == TUNED else control(scheme)
            planned |= with_seeds(
                scale,
                at_workload(workload, scheme),
                plan,
                128,
                chosen,
                [{"kind": kind, "count": count}],
                name=kind,
                operations=operations,
            )
    return planned


def dynamic_workloads(scale: Scale) -> dict[str, RunPlan]:
    """The runs of Figs. 6.15 and 6.16; `quick` has 32 endpoints."""
    endpoints = scale.pick(quick=32, full=128)
    planned: dict[str, RunPlan] = {}
    for workload, kind in DYNAMIC.items():
        # Ten sets of 64 to 256 operations; half of the operations of Multicast-Uni are unicast.
        share = 1.0 if kind == "random-sets" else 0.57
        for scheme in SYMMETRIC_SCHEMES:
            chosen = window(3) if scheme == TUNED else control(scheme)
            planned |= with_seeds(
                scale,
                at_workload(workload, scheme),
                plan,
                endpoints,
                chosen,
                [{"kind": kind}],
                name=kind,
                operations=endpoints * 10 * 160 * share,
            )
    return planned


def shared(
    scheme: Mapping[str, Any],
    works: Sequence[str],
    *,
    count: int,
    seed: int = 1,
    apart: bool = False,
) -> RunPlan:
    """Two groups of 64 endpoints each: `all-reduce` in the first, `writes` in the second.

    Args:
        scheme: The `[control]` section.
        works: The work of the halves that are active.
        count: The number of transactions, or of writes, of each member.
        seed: The seed of all random streams.
        apart: Whether halves are whole ToRs, which share no link at a ToR; otherwise they are
            random.
    """
    kinds = {"all-reduce": ("transactions", 0), "writes": ("writes", 1)}
    work = [{"kind": kinds[each][0], "group": kinds[each][1], "count": count} for each in works]
    operations = count * 64 * (2 * ("all-reduce" in works) + ("writes" in works)) / 2
    groups: list[dict[str, Any]] = [{"random": 64}, {"random": 64, "disjoint": True}]
    if apart:
        groups = [{"members": list(range(first, first + 64))} for first in (0, 64)]
    return plan(128, scheme, work, name="shared", operations=operations, seed=seed, group=groups)
