"""Trials for claims, beside the variations that figures have themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from incast.papers.claim import Values
from incast.papers.tried import Change, Distance, Trial, setting

from incast_papers.threecpo.algorithms import ALONE, BASELINE, PRINTED, REPAIRED, TUNED
from incast_papers.threecpo.figures import fig6_17, readings, sec6_1_4
from incast_papers.threecpo.networks import INITIATORS, OTHER_CHOICES, at_workload, point

__all__ = ["DISTANCES", "TRIALS"]

_CONTROL = {name: setting(control=keys) for name, keys in OTHER_CHOICES.items()}
_DEEPER = {"queues of 4,096 flits": setting(fabric={"input_depth": 4096, "output_depth": 4096})}
"""Changes of every scheme."""
_SOME = {name: _CONTROL[name] for name in ("no minority scaling", "initial watermark 1,000")}
"""Trials for a workload that takes long: those closest to the claim in shorter workloads."""
_WHOLE_TORS: Sequence[Mapping[str, Any]] = [
    {"members": list(range(first, first + 64))} for first in (0, 64)
]


def _trials(
    choices: Mapping[str, Change], claims: Sequence[str], labels: Sequence[str], seeds: int = 0
) -> list[Trial]:
    return [Trial(name, [change], claims, labels, seeds=seeds) for name, change in choices.items()]


_SCHEMES = (BASELINE, TUNED, PRINTED, REPAIRED)


def _of_workload(claim: str, workload: str) -> list[Trial]:
    """Trials of 3CPO with alternatives, and of every scheme on another fabric."""
    return [
        *_trials(_CONTROL, [claim], [at_workload(workload, PRINTED)], seeds=1),
        *_trials(_DEEPER, [claim], [at_workload(workload, each) for each in _SCHEMES], seeds=1),
    ]


_HALVES = [*(fig6_17.labelled(half, ALONE) for half in fig6_17.HALVES), *_SCHEMES]

TRIALS: Mapping[str, Sequence[Trial]] = {
    "sec6_1_4": _trials(
        {
            "memory takes 80 cycles": setting(fabric={"read_latency": 80}),
            "writes take 180 cycles, too": setting(fabric={"write_latency": 180}),
            "links of 5 cycles": setting(fabric={"link_delay": 5}),
        },
        ["G11"],
        [sec6_1_4.IDLE],
    ),
    "fig6_10": _trials(_CONTROL, ["G13"], [point(PRINTED, each) for each in INITIATORS], seeds=1),
    "fig6_13": _of_workload("G20", "all-reduce"),
    "fig6_14": [*_of_workload("G17", "reads"), *_of_workload("G19", "writes")],
    "fig6_15": _trials(_SOME, ["G21"], [at_workload("Random-Multicast", PRINTED)], seeds=1),
    "fig6_17": [
        *_trials(_CONTROL, ["G24", "G25"], [PRINTED], seeds=1),
        *_trials(
            {"halves of whole ToRs": setting(group=_WHOLE_TORS)}, ["G24", "G25"], _HALVES, seeds=1
        ),
    ],
    "readings": _trials(
        {name: _CONTROL[name] for name in ("Algorithm 6 decreases by the whole", "κ = 1")},
        ["G33"],
        readings.SCALED[:2],
    ),
}
"""Trials by figure."""


def _of_window(values: Values) -> float:
    """The relative difference of 3CPO's bandwidth from the window's."""
    return abs(1 - values[PRINTED] / values[TUNED])


def _off(claimed: Mapping[str, float]) -> Distance:
    """The largest factor between a value and its claimed value."""
    return lambda values: max(
        max(values[label] / each, each / values[label]) for label, each in claimed.items()
    )


_LATENCIES = {
    **{
        f"{half}, {scheme}": 1450.0 for half in fig6_17.HALVES for scheme in (ALONE, TUNED, PRINTED)
    },
    **{f"{half}, {BASELINE}": 75_000.0 for half in fig6_17.HALVES},
}

DISTANCES: Mapping[str, Distance] = {
    "G11": lambda values: max(abs(value - 950) for value in values.values()),
    "G13": lambda values: -min(values.values()),
    "G17": _off({BASELINE: 140_000, TUNED: 5_600, PRINTED: 1_800}),
    "G19": lambda values: max(values[TUNED], values[PRINTED]) / values[BASELINE],
    "G20": _of_window,
    "G21": lambda values: -values[PRINTED] / max(values[BASELINE], values[TUNED]),
    "G24": lambda values: -min(values[f"{half}, {PRINTED}"] for half in fig6_17.HALVES),
    "G25": _off(_LATENCIES),
    "G33": lambda values: values[readings.SCALED[0]] - values[readings.SCALED[1]],
}
"""For claims without a distance of their own, the distance of values from the claim."""
