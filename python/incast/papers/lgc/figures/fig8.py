"""Figure 8: fairness over a millisecond, with equal and with unequal round trips."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array, curves
from incast.measure.statistics import Average
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import average
from incast.papers.lgc.algorithms import DCTCP, DCTCP_GENTLE, LGC, LGC_WINDOW
from incast.papers.lgc.metrics import mean_jain
from incast.papers.lgc.networks import incast, of, seeded
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis

_FLOWS = 5
_RTTS_US = (140, 170, 200, 230, 260)
_UNEQUAL = [rtt / 2 for rtt in _RTTS_US]
_PAPERS = (LGC, DCTCP)
_OTHERS = (LGC_WINDOW, DCTCP_GENTLE)


def named(label: str, unequal: bool) -> str:
    """The label of runs with equal or unequal round trips."""
    return f"{label}, {'unequal' if unequal else 'equal'} RTTs"


def _start(label: str) -> str:
    return f"{label}, start"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for label in (*_PAPERS, *_OTHERS):
        for unequal in (False, True):
            make = partial(
                incast,
                label,
                _FLOWS,
                stop_ms=100,
                sample_us=1000,
                delays_us=_UNEQUAL if unequal else (),
            )
            planned |= seeded(scale, named(label, unequal), make)
    for label in (LGC_WINDOW, DCTCP):
        make = partial(incast, label, _FLOWS, stop_ms=1, sample_us=20, delays_us=_UNEQUAL)
        planned |= seeded(scale, _start(label), make)
    return planned


def _rows(runs: Runs, label: str, unequal: bool) -> Array:
    """Jain's index, a row for each seed, one value for each millisecond."""
    _, _, rows = mean_jain(of(runs, named(label, unequal)), _FLOWS)
    return rows


def _second_half(rows: Array) -> Array:
    return rows[:, rows.shape[1] // 2 :]


def _mean(rows: Array) -> Average:
    """Mean over time, with its interval over seeds."""
    return Average.of(list(rows.mean(axis=1)))


def _equal(label: str) -> Callable[[Runs], Measured]:
    def measure(runs: Runs) -> Measured:
        rows = _rows(runs, label, unequal=False)
        return {"lowest": float(rows.mean(axis=0).min()), "mean": _mean(rows)}

    return measure


def _equal_dctcp(label: str) -> Callable[[Runs], Measured]:
    def measure(runs: Runs) -> Measured:
        rows = _rows(runs, label, unequal=False)
        index = rows.mean(axis=0)
        return {
            "first": Average.of(list(rows[:, 0])),
            "lowest of the first 10 ms": float(index[:10].min()),
            "lowest of the second half": float(index[len(index) // 2 :].min()),
            "mean of the second half": _mean(_second_half(rows)),
        }

    return measure


def _dips_and_returns(values: Values) -> bool:
    fair_at_first = values["first"] >= 0.95
    drops = values["lowest of the first 10 ms"] < values["first"] - 0.01
    return fair_at_first and drops and values["lowest of the second half"] >= 0.97


def _jain_of(rates: Array) -> float:
    return float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))


def _start_jain(series: str, per_rtt: bool) -> Callable[[Run], float]:
    """Jain's index of x, or of windows over base RTTs, of each flow as it starts."""

    def metric(run: Run) -> float:
        found = curves(run.series, series)
        first = np.array([found[f"flow {number}"][1][0] for number in range(_FLOWS)])
        return _jain_of(first / np.array(_RTTS_US) if per_rtt else first)

    return metric


def _start_rates(runs: Runs) -> Measured:
    return {
        LGC_WINDOW: average(runs, _start(LGC_WINDOW), _start_jain("cc_share", per_rtt=False)),
        DCTCP: average(runs, _start(DCTCP), _start_jain("window_bytes", per_rtt=True)),
    }


def _first_millisecond(*labels: str) -> Callable[[Runs], Measured]:
    return lambda runs: {
        label: Average.of(list(_rows(runs, label, unequal=True)[:, 0])) for label in labels
    }


def _unequal(label: str) -> Callable[[Runs], Measured]:
    def measure(runs: Runs) -> Measured:
        rows = _rows(runs, label, unequal=True)
        fair = np.flatnonzero(rows.mean(axis=0) >= 0.99)
        return {
            "first ms with 0.99": float(fair[0] + 1) if len(fair) else float("inf"),
            "mean of the second half": _mean(_second_half(rows)),
        }

    return measure


def _unequal_dctcp(label: str) -> Callable[[Runs], Measured]:
    return lambda runs: {
        "mean of the second half": _mean(_second_half(_rows(runs, label, unequal=True)))
    }


def _panel(labels: Sequence[str], unequal: bool) -> Callable[[Runs], Chart]:
    def draw(runs: Runs) -> Chart:
        rows_of_both = [_rows(runs, label, part) for label in labels for part in (False, True)]
        lowest = min(float(rows.min()) for rows in rows_of_both)
        drawn = []
        for place, label in enumerate(labels):
            times, mean, rows = mean_jain(of(runs, named(label, unequal)), _FLOWS)
            ends = (rows.min(axis=0), rows.max(axis=0))
            drawn.append(Curve(label, times * 1e-3, mean, place, spread=ends))
        kind = "140 to 260 µs" if unequal else "200 µs"
        return Chart(
            "jain",
            f"Jain's index, RTTs of {kind}",
            time_axis(),
            # The same with equal and with unequal RTTs.
            Axis("Jain's index", Quantity.RATIO, lower=np.floor(lowest * 20) / 20, upper=1),
            drawn,
            note="Of what was acknowledged in each millisecond; mean over seeds, bands from the "
            "lowest to the highest, where the paper has bars every 10 ms.",
        )

    return draw


_BEGINNING = (
    "From x_init = 0.006 on a flow sends five packets in its first millisecond, at random moments: "
    "chance alone makes that unfair. The text also says that sources begin with the same "
    "congestion window, which is another x_init: L25-window, L28-window."
)

_WINDOW = "x_init is what sends DCTCP's initial window of 10 packets in the flow's own RTT."

_FADING = (
    "Differences between flows fade with r·x*, 3 to 10 ms here, and chance keeps the index of 165 "
    "packets in a millisecond below 1: it reaches 0.99 a few milliseconds later."
)

_GENTLE = (
    "Switches mark as packets leave, and the first window is 2 packets. Chosen after the other "
    "points of marking and windows of 10 packets had been tried; L26 and L29 need different ones."
)


def _window_claim(claim: Claim, measure: Callable[[Runs], Measured], explanation: str) -> Claim:
    """The claim for LGC that begins with DCTCP's window."""
    return dataclasses.replace(
        claim,
        id=f"{claim.id}-window",
        says=f"{claim.says}, beginning with 10 packets",
        measure=measure,
        kind=Kind.READING,
        note=_WINDOW,
        explanation=explanation,
    )


def _gentle_claim(claim: Claim, measure: Callable[[Runs], Measured]) -> Claim:
    """The claim for DCTCP that is marked as packets leave, and begins with 2 packets."""
    return dataclasses.replace(
        claim,
        id=f"{claim.id}-dequeue",
        says=f"{claim.says}, marked as packets leave, beginning with 2 packets",
        measure=measure,
        kind=Kind.READING,
        note=_GENTLE,
        explanation="",
    )


def _three_digits(value: float) -> str:
    return f"{value:.3f}"


_L25 = Claim(
    "L25",
    "with equal RTTs LGC is fair from the start on",
    claimed="≈ 1 throughout",
    metric="Jain's index of each millisecond, mean over seeds",
    measure=_equal(LGC),
    holds=lambda values: values["lowest"] >= 0.97 and values["mean"] >= 0.99,
    trend=lambda values: values["mean"] >= 0.97,
    tolerance="every millisecond at least 0.97, on average 0.99; as a trend, 0.97 on average",
    kind=Kind.NUMBER,
    show=_three_digits,
    explanation=_BEGINNING,
)

_L26 = Claim(
    "L26",
    "DCTCP begins fairly, becomes less fair, then stays between 0.97 and 1",
    claimed="drops, then 0.97 … 1",
    metric="Jain's index of each millisecond, mean over seeds",
    measure=_equal_dctcp(DCTCP),
    holds=_dips_and_returns,
    trend=lambda values: values["lowest of the first 10 ms"] < values["first"],
    tolerance="first millisecond at least 0.95, then at least 0.01 less in the first 10 ms, then "
    "never below 0.97 in the second half; as a trend, a drop",
    kind=Kind.NUMBER,
    show=_three_digits,
    explanation="Slow start doubles windows in the first millisecond, at moments of their own. "
    "Windows then keep the bursts in which slow start sent them. All flows are marked whenever the "
    "queue passes the threshold, so windows of different size come together only by one packet per "
    "round trip, and bursts part them again. What is marked as it leaves, and begins smaller, does "
    "as the paper says: L26-dequeue.",
)

_L28 = Claim(
    "L28",
    "with unequal RTTs LGC is fair within a few milliseconds",
    claimed="≈ 1.0 in a few ms",
    metric="Jain's index of each millisecond, mean over seeds",
    measure=_unequal(LGC),
    holds=lambda values: (
        values["first ms with 0.99"] <= 5 and values["mean of the second half"] >= 0.99
    ),
    trend=lambda values: values["mean of the second half"] >= 0.99,
    tolerance="0.99 at the latest in the fifth millisecond, and on average in the second half; as "
    "a trend, the latter",
    kind=Kind.NUMBER,
    show=_three_digits,
    explanation=_FADING,
)

_L29 = Claim(
    "L29",
    "with unequal RTTs DCTCP stays at 0.93",
    claimed="≈ 0.93",
    metric="Jain's index of each millisecond, mean over seeds",
    measure=_unequal_dctcp(DCTCP),
    holds=lambda values: abs(values["mean of the second half"] - 0.93) <= 0.02,
    trend=lambda values: values["mean of the second half"] < 0.97,
    tolerance="within 0.02 on average in the second half; as a trend, below 0.97",
    kind=Kind.NUMBER,
    show=_three_digits,
)

FIGURE = Figure(
    id="fig8",
    title="Fairness with equal and unequal round trips",
    where="Fig. 8, §VI-A2",
    setup="5 flows to one host; RTTs of 200 µs, or of 140, 170, 200, 230 and 260 µs. Ten seeds, "
    "100 ms.",
    scaled="three seeds",
    runs=_plan,
    charts={
        "a-equal": _panel(_PAPERS, unequal=False),
        "b-unequal": _panel(_PAPERS, unequal=True),
        "c-equal-readings": _panel(_OTHERS, unequal=False),
        "d-unequal-readings": _panel(_OTHERS, unequal=True),
    },
    claims=[
        _L25,
        _window_claim(
            _L25,
            _equal(LGC_WINDOW),
            "Flows start up to 0.2 ms apart, so that some have less of their first millisecond.",
        ),
        _L26,
        _gentle_claim(_L26, _equal_dctcp(DCTCP_GENTLE)),
        Claim(
            "L27",
            "with unequal RTTs both begin at 0.96, since equal windows are unequal rates",
            claimed="≈ 0.96",
            metric="Jain's index of x (LGC) and of window over RTT (DCTCP) as flows start",
            measure=_start_rates,
            holds=lambda values: all(abs(value - 0.96) <= 0.02 for value in values.values()),
            trend=lambda values: all(0.9 <= value < 1 for value in values.values()),
            tolerance="within 0.02; as a trend, from 0.9 to below 1",
            kind=Kind.THEORY,
            show=_three_digits,
            note="The sentence is arithmetic: equal windows over these RTTs have this index, "
            "whatever the algorithm. What Fig. 8 begins with is L27-acked.",
        ),
        Claim(
            "L27-acked",
            "with unequal RTTs both begin at 0.96 in Fig. 8, whose first point is a millisecond",
            claimed="≈ 0.96",
            metric="Jain's index of the first millisecond, mean over seeds",
            measure=_first_millisecond(LGC_WINDOW, DCTCP),
            holds=lambda values: all(abs(value - 0.96) <= 0.02 for value in values.values()),
            trend=lambda values: all(0.9 <= value < 1 for value in values.values()),
            tolerance="within 0.02; as a trend, from 0.9 to below 1",
            kind=Kind.FIGURE,
            show=_three_digits,
            note=_WINDOW,
            explanation="A first millisecond is four to seven round trips long, in which DCTCP's "
            "windows double, so that short RTTs run away; and flows start up to 0.2 ms apart, and "
            "hear of their first packet an RTT later, which takes most from those that are slow "
            "already.",
        ),
        _L28,
        _window_claim(_L28, _unequal(LGC_WINDOW), _FADING),
        _L29,
        _gentle_claim(_L29, _unequal_dctcp(DCTCP_GENTLE)),
    ],
)
