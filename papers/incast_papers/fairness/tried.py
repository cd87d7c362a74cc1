"""Trials for claims, beside the variations that figures have themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from incast.papers.claim import Values
from incast.papers.tried import Change, Distance, Trial, arrivals, setting

from incast_papers.fairness.algorithms import (
    HPCC,
    HPCC_1G,
    HPCC_PROB,
    HPCC_VAI_SF,
    SWIFT,
    SWIFT_1G,
    SWIFT_PROB,
    SWIFT_VAI_SF,
    SWIFTS,
)
from incast_papers.fairness.figures import sec4b, sec6, sec7, thesis_fig2_1, thesis_fig2_3
from incast_papers.fairness.figures.fig5 import large
from incast_papers.fairness.metrics import lost

__all__ = ["DISTANCES", "TRIALS"]

_MIN_RATE = {"no rate below 1 Gb/s": setting(cc={"min_rate": "1Gbps"})}
_ONCE = {"reactions once per RTT": setting(cc={"fast_react": False})}
_UNSCALED = {"no flow scaling": setting(cc={"flow_scaling": False})}
_AHEAD = {"ACKs ahead of the data": setting(network={"model": {"ack_class": "control"}})}
_CCS = ("hpcc", "swift")
_HADOOP, _HADOOP_TWO, _WEB = (4, 50), (4, 20), (2, 10)
"""Milliseconds of arrivals in a trial, and in the runs that it changes: with Hadoop's sizes and the
first seed, with Hadoop's sizes and the second seed, with web search's sizes.
"""


def _single(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
    """One flow starts every 20 µs, instead of two."""
    (flows,) = scenario["traffic"]
    return {**scenario, "traffic": [{**flows, "stagger": {**flows["stagger"], "group": 1}}]}


_ONE_BY_ONE = {"one flow starts every 20 µs": _single}
_HPCC = {**_MIN_RATE, **_ONCE, **_AHEAD}
_SWIFT = {**_UNSCALED, **_AHEAD, **_ONE_BY_ONE}


def _stars(
    choices: Mapping[str, Change], claims: Sequence[str], labels: Sequence[str]
) -> list[Trial]:
    """Trials of choices in incasts."""
    return [Trial(name, [change], claims, labels) for name, change in choices.items()]


def _loads(
    choices: Mapping[str, Change],
    claims: Sequence[str],
    labels: Sequence[str],
    times: tuple[int, int] = _HADOOP,
) -> list[Trial]:
    """Trials in datacenter traffic with a shorter duration, which is a choice of its own."""
    short, own = times
    shorter = arrivals(short)
    return [
        Trial(f"{name}{short} ms", changes, claims, labels, seeds=1, size=short / own)
        for name, changes in (
            ("", [shorter]),
            *((f"{name}, ", [change, shorter]) for name, change in choices.items()),
        )
    ]


def _both(
    claims: Sequence[str], choices: Mapping[str, Change], times: tuple[int, int]
) -> list[Trial]:
    """Trials for claims on Variable AI and Sampling Frequency, for HPCC and for Swift."""
    return [
        trial
        for end, labels in (("hpcc", (HPCC, HPCC_VAI_SF)), ("swift", (SWIFT, SWIFT_VAI_SF)))
        for trial in _loads(choices, [f"{claim}-{end}" for claim in claims], labels, times)
    ]


TRIALS: Mapping[str, Sequence[Trial]] = {
    "fig1": _stars(_HPCC, ["A09-hpcc"], (HPCC, HPCC_1G, HPCC_PROB)),
    "fig2": _stars(_HPCC, ["A04"], (HPCC, HPCC_PROB)),
    "fig3": _stars(_SWIFT, ["A06"], (SWIFT, SWIFT_PROB)),
    "fig6": [
        *_stars(_SWIFT, ["B04"], SWIFTS),
        *_stars(_SWIFT, ["B08"], [large(label) for label in SWIFTS]),
    ],
    "sec4b": [
        *_stars(_AHEAD, ["B37"], sec4b.LABELS),
        *_stars(_ONE_BY_ONE, ["B37"], sec4b.LABELS),
    ],
    "fig10": _both(["B12", "B13", "B14"], _AHEAD, _HADOOP),
    "fig12": _both(["B17"], _AHEAD, _HADOOP),
    "fig11": _both(["B16", "B13-web", "B14-web"], {}, _WEB),
    "fig13": _both(["B18"], {}, _WEB),
    "thesis_fig3_6": [
        *_loads({}, ["A12-hpcc"], [HPCC_1G]),
        *_loads({}, ["A12-swift"], [SWIFT_1G]),
    ],
    "sec6": _loads({}, ["B30"], sec6.SCALED, _HADOOP_TWO),
    "sec7": [
        *_loads(_AHEAD, ["B33-hpcc"], (HPCC, HPCC_VAI_SF)),
        *_stars(_HPCC, ["B34-hpcc-incast"], sec7.incast_labels(HPCC, HPCC_VAI_SF)),
    ],
    "thesis_fig2_1": [
        Trial(name, [change], ["C05"], [thesis_fig2_1.NONE])
        for name, change in {
            "buffers of 8 MiB": setting(network={"buffer": {"size": "8MiB"}}),
            "round robin over ingress ports": setting(network={"arbitration": "round-robin"}),
            "10 Gb/s between the switches": setting(network={"topology": {"trunk_rate": "10Gbps"}}),
        }.items()
    ],
    "thesis_fig2_3": [
        Trial(
            f"marks above {mark}",
            [setting(network={"ecn": {"step": mark}})],
            ["C07"],
            [thesis_fig2_3.TCP, thesis_fig2_3.DCTCP],
        )
        for mark in ("400KB", "1MB")
    ],
}
"""Trials by figure."""

_HALVED = ("B13-hpcc", "B13-swift", "B13-web-hpcc", "B16-hpcc", "B16-swift")
_NOT_MORE = (
    "B14-hpcc",
    "B14-swift",
    "B14-web-swift",
    *(f"B1{n}-{cc}" for n in "78" for cc in _CCS),
)
_RANGES = [f"{number}-{cc}" for number in ("A12", "B12") for cc in _CCS]


def _largest(values: Values) -> float:
    return max(values.values())


def _smallest(values: Values) -> float:
    return -min(values.values())


def _over(label: str, default: str) -> Distance:
    return lambda values: values[label] / values[default]


def _left_over(values: Values) -> float:
    """The reduction of the tail by flow scaling, minus the reduction by both parts."""
    unscaled, swift, both = (values[label] for label in sec6.SCALED)
    return (unscaled - swift) - (swift - both)


def _longer(values: Values) -> float:
    """The largest ratio of a queue with both parts to the queue without them."""
    found = list(values.values())
    return max(both / default for default, both in zip(found[::2], found[1::2], strict=True))


DISTANCES: Mapping[str, Distance] = {
    "A04": lambda values: -values[HPCC_PROB],
    "A06": lambda values: -values[SWIFT_PROB],
    "A09-hpcc": _over(HPCC_PROB, HPCC),
    "B04": _over(lost(SWIFT_VAI_SF), lost(SWIFT)),
    "B08": _over(SWIFT_VAI_SF, SWIFT),
    **dict.fromkeys((*_RANGES, *_NOT_MORE), _largest),
    **dict.fromkeys(_HALVED, _smallest),
    "B30": _left_over,
    "B33-hpcc": _over(f"{HPCC}, mean", f"{HPCC_VAI_SF}, mean"),
    "B34-hpcc-incast": _longer,
    "C05": lambda values: abs(values[thesis_fig2_1.NONE] - 1e9),
    "C07": _over(f"{thesis_fig2_3.DCTCP} queue", f"{thesis_fig2_3.TCP} queue"),
}
"""For claims without a distance of their own, the distance of values from the claim."""
