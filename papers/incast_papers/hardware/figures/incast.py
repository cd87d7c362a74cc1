"""Seven senders to one receiver, and a victim."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from incast.measure.run import Run, Runs
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Scale
from incast.papers.panels import Panel
from incast.papers.readings import claims_under, labelled
from incast.papers.seeds import average, first, median, of
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis
from incast.present.units import (
    bytes_text,
    count_text,
    percent_text,
    rate_text,
    ratio_text,
)

from incast_papers.hardware.algorithms import DCQCN, DEFAULTS, PAPERS, PFC_ONLY, VENDORS
from incast_papers.hardware.metrics import MEASURED, goodput, goodput_over_time, lowest, per_pair
from incast_papers.hardware.networks import ALONE, END, QPS, SETTLED, TEN, at, servers
from incast_papers.hardware.words import WORDS

_SOURCE = MEASURED["incast"]
_LOW, _HIGH = (gbps * 1e9 for gbps in _SOURCE["pfc_only_gbps"])
_LOSS, _DIP = float(_SOURCE["dcqcn_loss"]), float(_SOURCE["dcqcn_qps_lowest_gbps"]) * 1e9
_WINDOWS = 10
_READINGS = {DEFAULTS: "", VENDORS: "vendor", PAPERS: "paper"}

_PFC, _PFC_MANY = at(PFC_ONLY, 1), at(PFC_ONLY, QPS)
_ONE, _MANY, _MORE = at(DCQCN, 1), at(DCQCN, QPS), at(DCQCN, TEN)
OF_DCQCN = (_ONE, _MANY, _MORE)
"""Labels of the runs under each reading of the NICs' parameters."""
UNDER_DCQCN = tuple(f"H{number:02}" for number in range(8, 13))
"""Claims on runs under DCQCN."""
_COUNTS = {_PFC: 1, _PFC_MANY: QPS, _ONE: 1, _MANY: QPS, _MORE: TEN}


def _plan(scale: Scale) -> dict[str, RunPlan]:
    found: dict[str, RunPlan] = {}
    for qps in (1, QPS):
        found |= servers(scale, PFC_ONLY, qps, incast=True)
    for reading in _READINGS:
        for qps in (1, QPS, TEN):
            found |= servers(scale, DCQCN, qps, incast=True, reading=reading)
    return found


def _victim(label: str) -> Callable[[Run], float]:
    return partial(goodput, qps=_COUNTS[label], begin=SETTLED, end=END)


def _victims_lowest(label: str) -> Callable[[Run], float]:
    return partial(lowest, qps=_COUNTS[label], begin=SETTLED, end=END, parts=_WINDOWS)


def _means(runs: Runs, *labels: str) -> Measured:
    return {label: average(runs, label, _victim(label)) for label in labels}


def _loss(runs: Runs) -> Measured:
    return {"": average(runs, _ONE, lambda run: 1 - _victim(_ONE)(run) / ALONE)}


def _dips(runs: Runs) -> Measured:
    return {each: median(runs, each, _victims_lowest(each)) for each in (_MANY, _MORE)}


def _pauses(runs: Runs) -> Measured:
    return {
        label: average(runs, label, lambda run: float(run.summary["pfc"]["pauses"]))
        for label in (_ONE, _MANY)
    }


def _unfairness(label: str) -> Callable[[Run], float]:
    """The ratio of the fastest to the slowest sender."""

    def of_run(run: Run) -> float:
        senders = per_pair(run, _COUNTS[label], SETTLED, END)[:-1]
        return float(senders.max() / senders.min())

    return of_run


def _spreads(runs: Runs) -> Measured:
    return {label: median(runs, label, _unfairness(label)) for label in (_ONE, _MANY)}


def _alone_too(label: str) -> Claim:
    return WORDS.claim(
        f"H07-{_COUNTS[label]}",
        measure=lambda runs: {"": median(runs, label, _victim(label))},
        holds=lambda values: _LOW <= values[""] <= _HIGH,
        trend=lambda values: values[""] <= ALONE / 2,
        show=rate_text,
    )


_CLAIMS_UNDER_DCQCN = [
    WORDS.claim(
        "H08",
        measure=_loss,
        holds=lambda values: abs(values[""] - _LOSS) <= 0.05,
        trend=lambda values: values[""] >= 0.05,
        show=percent_text,
        values={"losses": lambda runs: _by_paths(runs)},
    ),
    WORDS.claim(
        "H09",
        measure=lambda runs: _means(runs, _ONE, _MANY, _MORE),
        holds=lambda values: values[_MANY] > values[_ONE],
        show=rate_text,
        values={"pauses": lambda runs: _paused(runs), "time": f"{END * 1e3:g} ms"},
    ),
    WORDS.claim(
        "H10",
        measure=_dips,
        holds=lambda values: abs(values[_MANY] - _DIP) <= 0.5 * _DIP,
        trend=lambda values: values[_MANY] <= 0.75 * ALONE,
        show=rate_text,
        values={"cause": lambda runs: _settled(runs)},
    ),
    WORDS.claim(
        "H11",
        measure=_pauses,
        holds=lambda values: all(each > 0 for each in values.values()),
        trend=lambda values: values[_MANY] > 0,
        show=count_text,
        values={"queue": lambda runs: _queue(runs)},
    ),
    WORDS.claim(
        "H12",
        measure=_spreads,
        holds=lambda values: values[_MANY] > values[_ONE],
        show=ratio_text,
    ),
]


def _by_paths(runs: Runs) -> str:
    lost = sorted(1 - _victim(_ONE)(run) / ALONE for run in of(runs, _ONE))
    return ", ".join(map(percent_text, lost))


def _paused(runs: Runs) -> str:
    found = median(runs, _MANY, lambda run: float(run.summary["pfc"]["pauses"]))
    return count_text(found.median)


_SETTLES, _SHORTER = WORDS.text("settles"), WORDS.text("shorter")


def _settled(runs: Runs) -> str:
    lowest_part = median(runs, _MANY, _victims_lowest(_MANY)).median
    return _SETTLES if lowest_part > 0.75 * ALONE else _SHORTER


def _queue(runs: Runs) -> str:
    peak = median(runs, _ONE, lambda run: float(run.summary["queue_bytes"]["peak"]))
    return bytes_text(peak.median)


def _order(values: Values) -> bool:
    return max(values[_PFC], values[_PFC_MANY]) < min(values[_ONE], values[_MANY])


def _drawn(runs: Runs) -> Chart:
    names = (_PFC, _PFC_MANY, _ONE, _MANY, _MORE)
    curves = []
    for place, (reading, title) in enumerate(
        ((DEFAULTS, "ours"), (VENDORS, f"ours, {VENDORS}"), (PAPERS, f"ours, {PAPERS}"))
    ):
        shown = names if reading == DEFAULTS else names[2:]
        x, y = [], []
        for name in shown:
            values = [_victim(name)(run) for run in of(runs, labelled(name, reading))]
            x += [names.index(name) + 0.17 * (place - 1)] * len(values)
            y += values
        curves.append(Curve(title, np.array(x), np.array(y), place, mark="dots"))
    low, high = np.array([_LOW, _LOW, np.nan]), np.array([_HIGH, _HIGH, np.nan])
    measured = np.array([(_LOW + _HIGH) / 2, (_LOW + _HIGH) / 2, ALONE * (1 - _LOSS)])
    at = np.array([0, 1, 2]) + 0.4
    curves.append(Curve("hardware", at, measured, 6, mark="dots", spread=(low, high)))
    return Chart(
        "victim",
        "Goodput of the victim, a dot for each draw of paths",
        Axis(
            "NICs, and QPs of a pair",
            Quantity.COUNT,
            names=("PFC 1", "PFC 8", "DCQCN 1", "8", "10"),
        ),
        Axis("goodput", Quantity.RATE, lower=0, upper=400e9),
        curves,
        note="Of several QPs under DCQCN the source has no mean.",
    )


def _over_time(reading: str) -> Panel:
    def draw(runs: Runs) -> Chart:
        curves = []
        for place, (name, label) in enumerate(
            ((_PFC, _PFC), (_ONE, labelled(_ONE, reading)), (_MANY, labelled(_MANY, reading)))
        ):
            parts = 100
            found = goodput_over_time(first(runs, _second(label)), _COUNTS[name], 0, END, parts)
            x = (np.arange(parts) + 0.5) * END / parts
            curves.append(Curve(name, x, found[-1], place))
        return Chart(
            "victim-over-time",
            f"The victim over time{f', {reading}' if reading else ''}",
            time_axis(),
            Axis("goodput", Quantity.RATE, lower=0, upper=400e9),
            curves,
            note="One draw of paths; means of 1 ms.",
        )

    return draw


def _second(label: str) -> str:
    """The label of the second seed: with the first seed, the victim shares no link with a
    sender.
    """
    return f"{label} #2"


FIGURE = WORDS.figure(
    "incast",
    runs=_plan,
    charts={
        "victim": _drawn,
        "over-time": _over_time(DEFAULTS),
        "over-time-vendor": _over_time(VENDORS),
    },
    claims=[
        _alone_too(_PFC),
        _alone_too(_PFC_MANY),
        *_CLAIMS_UNDER_DCQCN,
        *(
            claim
            for reading, suffix in _READINGS.items()
            if suffix
            for claim in claims_under(reading, suffix, _CLAIMS_UNDER_DCQCN)
        ),
        WORDS.claim(
            "H13",
            measure=lambda runs: _means(runs, _PFC, _PFC_MANY, _ONE, _MANY),
            holds=_order,
            show=rate_text,
        ),
    ],
)
