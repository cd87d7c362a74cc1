"""Section V-A: a new flow under Variable AI."""

from __future__ import annotations

import numpy as np
from incast.measure.metrics import mean_jain
from incast.measure.run import Run
from incast.measure.series import curves
from incast.papers import panels
from incast.papers.claim import Claim
from incast.papers.figure import RunPlan, Runs
from incast.papers.variations import Variation
from incast.present.units import seconds_text

from incast_papers.fairness.algorithms import ALGORITHMS, HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast_papers.fairness.metrics import SOONER, fairness
from incast_papers.fairness.networks import network
from incast_papers.fairness.words import WORDS

_SENDERS, _TOGETHER, _NEW_AT_US = 32, 8, 400
_OTHERS = ((16, 8), (32, 4), (32, 32), (64, 16))
"""Other numbers of flows, with the numbers of flows that start together."""
_EMPTY = {HPCC_VAI_SF: ((16, 8),)}
"""For each label, settings in which all dampeners have emptied before the new flow starts."""


def _others(label: str) -> list[tuple[int, int]]:
    return [other for other in _OTHERS if other not in _EMPTY.get(label, ())]


def _setting(senders: int, together: int) -> str:
    return f"{senders} flows, {together} every 20 µs"


def _new_flow(label: str, senders: int = _SENDERS, together: int = _TOGETHER) -> RunPlan:
    """A run in which flows that start within 160 µs fill their dampeners; later a new flow
    starts.
    """
    cc = ALGORITHMS[label]
    last = senders + 1
    flow = {"source": senders, "destination": last, "size": "3MB", "start": f"{_NEW_AT_US}us"}
    other = (senders, together) != (_SENDERS, _TOGETHER)
    name = f"new flow {label}{f', {_setting(senders, together)}' if other else ''}"
    scenario = {
        "run": {"name": name},
        "network": network(cc, {"kind": "star", "hosts": senders + 2}),
        "cc": cc,
        "traffic": [
            {
                "kind": "incast",
                "senders": f"0-{senders - 1}",
                "receiver": last,
                "sizes": "3MB",
                "stagger": {"group": together, "every": "20us"},
            },
            {"kind": "flows", "flows": [flow]},
        ],
        "measure": {
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "all", "every": "20us", "probes": True},
        },
    }
    return RunPlan(scenario, hops=(senders + 1) * 3000 * 4)


def _runs() -> dict[str, RunPlan]:
    planned = {}
    for pair in ((HPCC, HPCC_VAI_SF), (SWIFT, SWIFT_VAI_SF)):
        for label in pair:
            planned[label] = _new_flow(label)
            for other in _others(pair[-1]):
                planned[f"{label} [{_setting(*other)}]"] = _new_flow(label, *other)
    return planned


def dampeners(run: Run) -> list[float]:
    """The dampener of each old flow at the start of the new flow."""
    at = _NEW_AT_US * 1e6
    return [
        float(values[times <= at][-1])
        for times, values in curves(run.series, "cc_ai_dampener").values()
        if (times <= at).any() and np.isfinite(values[times <= at][-1])
    ]


def _still_fairer(number: str, default: str, both_parts: str) -> Claim:
    settings = [_setting(*other) for other in _others(both_parts)]

    def filled(run: Run) -> str:
        found = dampeners(run)
        return f"{np.median(found):.0f} ({min(found):.0f} to {max(found):.0f})"

    def varied(runs: Runs) -> str:
        return "; ".join(f"{name}: {filled(runs[f'{both_parts} [{name}]'])}" for name in settings)

    return WORDS.claim(
        number,
        variations=[
            Variation(name, {both_parts: f"{both_parts} [{name}]", default: f"{default} [{name}]"})
            for name in settings
        ],
        measure=fairness(default, both_parts, after_arrivals=True),
        holds=SOONER.holds(default, both_parts),
        trend=SOONER.trend(default, both_parts),
        show=seconds_text,
        values={
            "default": default,
            "both_parts": both_parts,
            "dampeners": lambda runs: filled(runs[both_parts]),
            "dampeners_of_variations": varied,
            "index_of_default": lambda runs: f"{mean_jain(runs[default]):.3f}",
            "index_of_both_parts": lambda runs: f"{mean_jain(runs[both_parts]):.3f}",
        },
    )


FIGURE = WORDS.figure(
    "sec5a",
    runs=lambda scale: _runs(),
    charts={
        "jain-hpcc": panels.jain("Jain's index, HPCC", HPCC, HPCC_VAI_SF),
        "jain-swift": panels.jain("Jain's index, Swift", SWIFT, SWIFT_VAI_SF),
    },
    claims=[
        _still_fairer("B24-hpcc", HPCC, HPCC_VAI_SF),
        _still_fairer("B24-swift", SWIFT, SWIFT_VAI_SF),
    ],
)
