"""Trials for claims on attacks, beside the variations that figures have themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from incast.papers.tried import Distance, Trial, setting

from incast_papers.isolation.algorithms import (
    CONNECTX,
    DCQCN,
    HPCC,
    PERC_1RC,
    SWIFT,
    Enforcement,
    algorithm,
)
from incast_papers.isolation.figures import fig3_9, table3_2
from incast_papers.isolation.testbed import QPS, Marking

__all__ = ["DISTANCES", "TRIALS"]

_REACTIVE = (DCQCN, HPCC, SWIFT)
_SIXTEENFOLD: Mapping[str, Mapping[str, str]] = {
    "dcqcn": {
        "additive_increase": "320Mbps",
        "hyper_increase": "3200Mbps",
        "min_rate": "1600Mbps",
    },
    "hpcc": {"additive_increase": "800Mbps", "min_rate": "1600Mbps"},
    "swift": {"additive_increase": "800Mbps"},
}
"""By algorithm, rates for 1.6 Tb/s: sixteen times those for 100 Gb/s."""


def _in_proportion(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
    return setting(cc=_SIXTEENFOLD[scenario["cc"]["algorithm"]])(scenario)


def _step(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
    network = {**scenario["network"], "ecn": dict(Marking.STEP.options)}
    return {**scenario, "network": network}


def _attacker_does_not_recover(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attacker's rates decrease like the victim's, but never increase: its timer exceeds the
    run.
    """
    victim, attacker = scenario["traffic"]
    cut = {**algorithm(CONNECTX), "increase_interval": "1s"}
    return {**scenario, "traffic": [victim, {**attacker, "cc": cut}]}


_PARALLEL = [fig3_9.with_qps(Enforcement.DESTINATION, qps) for qps in QPS]

TRIALS: Mapping[str, Sequence[Trial]] = {
    "fig3_9": [
        Trial(
            "with the byte counter",
            [setting(cc={"byte_counter": "2097088B"})],
            ["D01"],
            _PARALLEL,
            seeds=2,
        ),
        Trial(
            "every packet above 200 KB is marked",
            [_step],
            ["D01"],
            _PARALLEL,
            seeds=2,
        ),
    ],
    "table3_2": [
        Trial(
            "the attacker's rates do not recover",
            [_attacker_does_not_recover],
            ["D20"],
            [table3_2.over_qps(qps) for qps in table3_2.REUSED],
        ),
    ],
    "ch5": [
        Trial(
            "increases in proportion to the link",
            [_in_proportion],
            ["E29"],
            _REACTIVE,
            seeds=2,
        ),
    ],
}
"""Trials by figure."""

DISTANCES: Mapping[str, Distance] = {
    "D01": lambda values: abs(values[f"{QPS[-1]} QPs"] - 0.72),
    "D10": lambda values: abs(values["parallel"] - 80),
    "D11-ratio": lambda values: abs(values["staggered"] - 7),
    "E29": lambda values: -min(values[f"{label} over {PERC_1RC}"] for label in _REACTIVE),
}
"""For claims without a distance of their own, the distance of values from the claim."""
