"""Effects of each open choice of the text, changed one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from incast.papers.claim import Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text

from incast_papers.threecpo.algorithms import PRINTED, control
from incast_papers.threecpo.metrics import bandwidth, finish_spread, mean
from incast_papers.threecpo.networks import DYNAMIC, SPREAD, all_reduce, plan, with_seeds
from incast_papers.threecpo.words import WORDS

_DEFAULT = "as printed"

_OF_CONTROL: Mapping[str, Mapping[str, Any]] = {
    "κ = 1": {"discount": 1.0},
    "κ not at injection": {"discount_at_injection": False},
    "held for RTT": {"hold": "round-trip"},
    "never expires": {"hold": "forever"},
    "tokens at injection count": {"scope": "injection"},
    "no minority scaling": {"minority_scaling": False},
    "no carry-over": {"carry_over": False},
    "no line 14": {"raise": False},
    "no flow-based scaling": {"flow_scaling": False},
    "decrease of the whole": {"decrease": "whole"},
    "own bucket only": {"token_check": "own"},
    "bucket of 20": {"token_cap": 20.0},
    "tokens made evenly": {"token_generation": "regular"},
    "initial watermark 300": {"watermark_initial": 300.0},
    "initial watermark 1,000": {"watermark_initial": 1000.0},
}
_OF_FABRIC: Mapping[str, Mapping[str, Any]] = {
    "round robin": {"arbitration": "round-robin"},
    "one injection channel": {"injection": "shared"},
    "both": {"arbitration": "round-robin", "injection": "shared"},
    "matched at acceptance": {"match_at": "acceptance"},
    "turns at the nearest switch": {"turn": "nearest"},
    "owes without limit": {"owed_limit": 0},
    "owes 2,048 flits": {"owed_limit": 2048},
    "queues of 4,096": {"input_depth": 4096, "output_depth": 4096},
    "writes take 180 cycles": {"write_latency": 180},
    "links of 5 cycles": {"link_delay": 5},
}
_SPREADS = {"at once": 0, f"over {SPREAD:,} cycles": SPREAD}


def _label(reading: str, starts: str) -> str:
    return f"{reading}, {starts}"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    count = scale.pick(quick=16, full=128)
    changed = {
        _DEFAULT: (control(PRINTED), {}),
        **{name: (control(PRINTED, **changes), {}) for name, changes in _OF_CONTROL.items()},
        **{name: (control(PRINTED), changes) for name, changes in _OF_FABRIC.items()},
    }
    planned: dict[str, RunPlan] = {}
    for starts, spread in _SPREADS.items():
        for reading, (section, fabric) in changed.items():
            options = {"count": count, "spread": spread, "fabric": fabric}
            planned |= with_seeds(scale, _label(reading, starts), all_reduce, section, **options)
    return planned | _mixed(scale)


def _of(runs: Runs, *readings: str) -> Measured:
    return {
        _label(reading, starts): average(runs, _label(reading, starts), bandwidth)
        for starts in _SPREADS
        for reading in (_DEFAULT, *readings)
    }


def _largest(*readings: str) -> Callable[[Values], bool]:
    """A condition: the default has a larger value than these readings, for each spread of
    starts.
    """
    return lambda values: all(
        values[_label(_DEFAULT, starts)] > values[_label(reading, starts)]
        for starts in _SPREADS
        for reading in readings
    )


_UNSCALED = "no flow-based scaling"
_MIXED = "Multicast-Uni"
"""A workload with different flows, so that flow-based scaling has an effect."""


def _mixed(scale: Scale) -> dict[str, RunPlan]:
    endpoints = scale.pick(quick=32, full=64)
    options: dict[str, Any] = {"name": _MIXED, "operations": endpoints * 10 * 160 * 0.57}
    work = [{"kind": DYNAMIC[_MIXED]}]
    planned: dict[str, RunPlan] = {}
    for reading, changes in ((_DEFAULT, {}), (_UNSCALED, _OF_CONTROL[_UNSCALED])):
        scheme = control(PRINTED, **changes)
        label = _label(reading, _MIXED)
        planned |= with_seeds(scale, label, plan, endpoints, scheme, work, **options)
    return planned


SCALED = [
    _label(reading, workload)
    for workload in (_MIXED, *_SPREADS)
    for reading in (_DEFAULT, _UNSCALED)
]
"""Labels of runs with and without flow-based scaling."""


def _fairness(runs: Runs) -> Measured:
    """The time between the first and the last endpoint's finish, relative to the run."""
    return {label: average(runs, label, finish_spread) for label in SCALED}


def _drawn(title: str, readings: Mapping[str, object], kind: str) -> Callable[[Runs], Chart]:
    names = (_DEFAULT, *readings)

    def draw(runs: Runs) -> Chart:
        metric = bandwidth if kind == "bandwidth" else mean
        drawn = []
        for colour, starts in enumerate(_SPREADS):
            found = [average(runs, _label(name, starts), metric).mean for name in names]
            y = np.arange(len(names), dtype=float)
            x = np.array(found)
            drawn.append(Curve(f"starts {starts}", x, y, colour, mark="dots", group=starts))
        axis = (
            Axis("effective bandwidth (flits/cycle)", Quantity.RATIO)
            if kind == "bandwidth"
            else Axis("mean latency (cycles)", Quantity.COUNT, log=True)
        )
        return Chart(title, title, axis, Axis("", Quantity.COUNT, names=names), drawn)

    return draw


FIGURE = WORDS.figure(
    "readings",
    runs=_plan,
    charts={
        "control": _drawn("Choices of control: bandwidth", _OF_CONTROL, "bandwidth"),
        "control-latency": _drawn("Choices of control: latency", _OF_CONTROL, "latency"),
        "fabric": _drawn("Choices of the fabric: bandwidth", _OF_FABRIC, "bandwidth"),
        "fabric-latency": _drawn("Choices of the fabric: latency", _OF_FABRIC, "latency"),
    },
    claims=[
        WORDS.claim(
            "G31",
            measure=lambda runs: _of(runs, "round robin", "one injection channel", "both"),
            holds=_largest("round robin", "one injection channel", "both"),
        ),
        WORDS.claim(
            "G32",
            measure=lambda runs: _of(runs, "κ = 1"),
            holds=_largest("κ = 1"),
        ),
        WORDS.claim(
            "G33",
            measure=_fairness,
            holds=lambda values: (
                values[_label(_DEFAULT, _MIXED)] < values[_label(_UNSCALED, _MIXED)]
            ),
            show=percent_text,
        ),
    ],
)
