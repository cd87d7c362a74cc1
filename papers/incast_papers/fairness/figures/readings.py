"""Beyond the paper's figures: effects of different readings on 96 flows to one host."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from incast.papers import panels
from incast.papers.claim import Claim
from incast.papers.figure import RunPlan, Scale

from incast_papers.fairness.algorithms import (
    ALGORITHMS,
    HPCC,
    HPCC_VAI_SF,
    SWIFT,
    SWIFT_VAI_SF,
)
from incast_papers.fairness.figures.fig5 import fair_large
from incast_papers.fairness.networks import star
from incast_papers.fairness.words import WORDS

_SENDERS = 96
_PAIRS = {"B07": (HPCC, HPCC_VAI_SF), "B08": (SWIFT, SWIFT_VAI_SF)}
_OURS = "as in Figs. 5 and 6"
_BY_CONGESTION, _AT_ONCE, _MIN_RATE = "by congestion", "at once", "R_min 1 Gb/s"
_TWELVE = "12 per 20 µs"
_SF_BY_CONGESTION = {"sf": {"decrease": "congestion", "restart": "updates"}}


def _label(reading: str, algorithm: str) -> str:
    return f"{algorithm}, {reading}"


def _run(label: str, more: Mapping[str, Any], *, group: int | None = 2) -> RunPlan:
    cc = {**ALGORITHMS[label], **more}
    return star(cc, _SENDERS, name=f"star-{_SENDERS} {label}", group=group)


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned = {}
    for default, both_parts in _PAIRS.values():
        planned[_label(_OURS, both_parts)] = _run(both_parts, {})
        planned[_label(_BY_CONGESTION, default)] = _run(default, {})
        planned[_label(_BY_CONGESTION, both_parts)] = _run(both_parts, _SF_BY_CONGESTION)
        for label in (default, both_parts):
            planned[_label(_AT_ONCE, label)] = _run(label, {}, group=None)
            planned[_label(_TWELVE, label)] = _run(label, {}, group=12)
    for label in _PAIRS["B07"]:
        planned[_label(_MIN_RATE, label)] = _run(label, {"min_rate": "1Gbps"})
    return planned


def _claim(number: str, suffix: str, reading: str) -> Claim:
    default, both_parts = _PAIRS[number]
    return fair_large(
        f"{number}-{suffix}",
        (default, both_parts),
        rename=partial(_label, reading),
    )


def _panel(letter: str, default: str, both_parts: str) -> panels.Panel:
    readings = (
        _OURS,
        _TWELVE,
        _AT_ONCE,
        _BY_CONGESTION,
        *((_MIN_RATE,) if default == HPCC else ()),
    )
    shown = {_label(reading, both_parts): reading for reading in readings}
    return panels.jain(f"({letter}) Jain's index, {both_parts}, 96 senders", renamed=shown)


FIGURE = WORDS.figure(
    "readings",
    runs=_plan,
    charts={"a-hpcc": _panel("a", *_PAIRS["B07"]), "b-swift": _panel("b", *_PAIRS["B08"])},
    claims=[
        _claim("B07", "congestion", _BY_CONGESTION),
        _claim("B07", "twelve", _TWELVE),
        _claim("B07", "at-once", _AT_ONCE),
        _claim("B07", "min-rate", _MIN_RATE),
        _claim("B08", "congestion", _BY_CONGESTION),
        _claim("B08", "twelve", _TWELVE),
        _claim("B08", "at-once", _AT_ONCE),
    ],
)
