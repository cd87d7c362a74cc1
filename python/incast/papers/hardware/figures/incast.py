"""Seven senders to one receiver, and a victim beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from incast.measure.run import Run, Runs
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.panels import Panel
from incast.papers.framework.paper import Figure, RunPlan, Scale
from incast.papers.framework.readings import claims_under, labelled
from incast.papers.framework.seeds import average, first, median, of
from incast.papers.hardware.algorithms import DCQCN, DEFAULTS, PAPERS, PFC_ONLY, VENDORS
from incast.papers.hardware.metrics import MEASURED, goodput, goodput_over_time, lowest, per_pair
from incast.papers.hardware.networks import ALONE, END, QPS, SETTLED, TEN, at, servers
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis
from incast.present.units import (
    bytes_text,
    count_text,
    percent_text,
    plural,
    rate_text,
    ratio_text,
)

_SOURCE = MEASURED["incast"]
_LOW, _HIGH = (gbps * 1e9 for gbps in _SOURCE["pfc_only_gbps"])
_LOSS, _DIP = float(_SOURCE["dcqcn_loss"]), float(_SOURCE["dcqcn_qps_lowest_gbps"]) * 1e9
_WINDOWS = 10
_READINGS = {DEFAULTS: "", VENDORS: "vendor", PAPERS: "paper"}

_PFC, _PFC_MANY = at(PFC_ONLY, 1), at(PFC_ONLY, QPS)
_ONE, _MANY, _MORE = at(DCQCN, 1), at(DCQCN, QPS), at(DCQCN, TEN)
OF_DCQCN = (_ONE, _MANY, _MORE)
"""Labels of runs in each reading of the NICs' parameters."""
UNDER_DCQCN = tuple(f"H{number:02}" for number in range(8, 13))
"""Claims on them."""
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
    """The fastest sender over the slowest."""

    def of_run(run: Run) -> float:
        senders = per_pair(run, _COUNTS[label], SETTLED, END)[:-1]
        return float(senders.max() / senders.min())

    return of_run


def _spreads(runs: Runs) -> Measured:
    return {label: median(runs, label, _unfairness(label)) for label in (_ONE, _MANY)}


def _alone_too(label: str) -> Claim:
    return Claim(
        f"H07-{_COUNTS[label]}",
        f"under PFC alone, with {plural(_COUNTS[label], 'QP')}, the victim has little more than a "
        "sender",
        claimed="30 to 100 Gb/s, by paths",
        metric="goodput of the victim, median and range over paths",
        measure=lambda runs: {"": median(runs, label, _victim(label))},
        holds=lambda values: _LOW <= values[""] <= _HIGH,
        trend=lambda values: values[""] <= ALONE / 2,
        tolerance="the median over paths in the range; as a trend, less than half of what the "
        "victim has alone",
        kind=Kind.NUMBER,
        show=rate_text,
        note="Seeds draw paths. Where no sender shares a link with the victim it loses nothing.",
    )


_CLAIMS_UNDER_DCQCN = [
    Claim(
        "H08",
        "under DCQCN, with one QP, the victim still loses",
        claimed="about 25 %",
        metric="goodput lost, mean over paths",
        measure=_loss,
        holds=lambda values: abs(values[""] - _LOSS) <= 0.05,
        trend=lambda values: values[""] >= 0.05,
        tolerance="20 to 30 %, as the number is rounded; as a trend, 5 %",
        kind=Kind.NUMBER,
        show=percent_text,
        note=lambda runs: _by_paths(runs),
        explanation="The source has one draw of paths; what the victim loses depends on how many "
        "senders it shares a link with. The NIC's parameters of DCQCN and the switches' marking "
        "are not told.",
    ),
    Claim(
        "H09",
        "with several QPs it loses less on average",
        claimed="a smaller impact",
        metric="goodput of the victim, mean over paths",
        measure=lambda runs: _means(runs, _ONE, _MANY, _MORE),
        holds=lambda values: values[_MANY] > values[_ONE],
        tolerance="more than with one QP",
        kind=Kind.TREND,
        show=rate_text,
        explanation=lambda runs: _paused(runs),
    ),
    Claim(
        "H10",
        "but there are times when it has a quarter",
        claimed="100 Gb/s in a second",
        metric="goodput of the victim in the worst of ten parts, median and range over paths",
        measure=_dips,
        holds=lambda values: abs(values[_MANY] - _DIP) <= 0.5 * _DIP,
        trend=lambda values: values[_MANY] <= 0.75 * ALONE,
        tolerance="half of it, since its seconds are parts of a twentieth of a second here; as a "
        "trend, a quarter lost",
        kind=Kind.NUMBER,
        show=rate_text,
        explanation=lambda runs: _settled(runs),
    ),
    Claim(
        "H11",
        "DCQCN does not keep PFC away",
        claimed="some PFC with one QP and with several",
        metric="PFC pauses",
        measure=_pauses,
        holds=lambda values: all(each > 0 for each in values.values()),
        trend=lambda values: values[_MANY] > 0,
        tolerance="any, over the whole run; as a trend, with several QPs",
        kind=Kind.TREND,
        show=count_text,
        explanation=lambda runs: _queue(runs),
    ),
    Claim(
        "H12",
        "with several QPs senders share worse",
        claimed="worse sharing",
        metric="fastest sender over slowest, median and range over paths",
        measure=_spreads,
        holds=lambda values: values[_MANY] > values[_ONE],
        tolerance="more than with one QP",
        kind=Kind.TREND,
        show=ratio_text,
        explanation="Several QPs of a sender average out here what one has more or less than its "
        "share.",
    ),
]


def _by_paths(runs: Runs) -> str:
    lost = sorted(1 - _victim(_ONE)(run) / ALONE for run in of(runs, _ONE))
    return f"By paths: {', '.join(percent_text(each) for each in lost)}."


def _paused(runs: Runs) -> str:
    pauses = median(runs, _MANY, lambda run: float(run.summary["pfc"]["pauses"]))
    return (
        f"Under these parameters several QPs stay in PFC, with {count_text(pauses.median)} pauses "
        f"in {END * 1e3:g} ms, and a pause stops the victim with its neighbours."
    )


def _settled(runs: Runs) -> str:
    if median(runs, _MANY, _victims_lowest(_MANY)).median > 0.75 * ALONE:
        return "DCQCN settles here: it lets go of the victim before the measured part begins."
    return "The source's intervals are of a second, ours shorter, and so deeper."


def _queue(runs: Runs) -> str:
    peak = median(runs, _ONE, lambda run: float(run.summary["queue_bytes"]["peak"]))
    return (
        f"With one QP the longest queue is {bytes_text(peak.median)}, and a switch has a buffer of "
        "128 MiB here. What a port of the source's switches may hold is not told."
    )


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
    """The second seed: with the first the victim meets no sender."""
    return f"{label} #2"


FIGURE = Figure(
    id="incast",
    title="Seven to one, and a victim",
    where="Araujo et al., Fig. 18 and appendix",
    setup="4 racks of 4 servers with NICs of 400 Gb/s, 4 spines, links of 400 Gb/s. Seven of the "
    "eight hosts of two racks send to a host of a third one, the eighth to that host's neighbour, "
    "without end; what is measured is from 50 to 100 ms. Each QP has a path of its own by ECMP, "
    "which seeds draw. The source does not say which hosts send.",
    scaled="3 seeds instead of 8",
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
        Claim(
            "H13",
            "DCQCN helps the victim, with one QP and with several",
            claimed="it helps",
            metric="goodput of the victim, mean over paths",
            measure=lambda runs: _means(runs, _PFC, _PFC_MANY, _ONE, _MANY),
            holds=_order,
            tolerance="more than under PFC alone",
            kind=Kind.TREND,
            show=rate_text,
        ),
    ],
)
