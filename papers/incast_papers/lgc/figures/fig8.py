"""Figure 8: fairness in intervals of a millisecond, with equal and with unequal RTTs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from incast.measure.run import Run
from incast.measure.series import Array, curves
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis

from incast_papers.lgc.algorithms import DCTCP, DCTCP_GENTLE, LGC, LGC_WINDOW
from incast_papers.lgc.metrics import mean_jain
from incast_papers.lgc.networks import incast, of, seeded
from incast_papers.lgc.words import WORDS

_FLOWS = 5
_RTTS_US = (140, 170, 200, 230, 260)
_UNEQUAL = [rtt / 2 for rtt in _RTTS_US]
_PAPERS = (LGC, DCTCP)
_OTHERS = (LGC_WINDOW, DCTCP_GENTLE)


def named(label: str, unequal: bool) -> str:
    """The label of runs with equal or unequal RTTs."""
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
    """Jain's index of each millisecond (columns), by seed (rows)."""
    _, _, rows = mean_jain(of(runs, named(label, unequal)), _FLOWS)
    return rows


def _second_half(rows: Array) -> Array:
    return rows[:, rows.shape[1] // 2 :]


def _mean(rows: Array) -> Average:
    """The mean over time, with its interval over seeds."""
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
    """Jain's index of each flow's initial x or, if `per_rtt`, of its initial window divided by its
    base RTT.
    """

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
            # The same range with equal and with unequal RTTs.
            Axis("Jain's index", Quantity.RATIO, lower=np.floor(lowest * 20) / 20, upper=1),
            drawn,
            note="Of what was acknowledged in each millisecond; mean over seeds, bands from the "
            "lowest to the highest, where the paper has bars every 10 ms.",
        )

    return draw


def _window_claim(claim: Claim, measure: Callable[[Runs], Measured]) -> Claim:
    """The claim for LGC with DCTCP's initial window."""
    return WORDS.again(
        claim,
        f"{claim.id}-window",
        measure=measure,
    )


def _gentle_claim(claim: Claim, measure: Callable[[Runs], Measured]) -> Claim:
    """The claim for DCTCP with marking at dequeue and an initial window of 2 packets."""
    return WORDS.again(
        claim,
        f"{claim.id}-dequeue",
        measure=measure,
    )


def _three_digits(value: float) -> str:
    return f"{value:.3f}"


_L25 = WORDS.claim(
    "L25",
    measure=_equal(LGC),
    holds=lambda values: values["lowest"] >= 0.97 and values["mean"] >= 0.99,
    trend=lambda values: values["mean"] >= 0.97,
    show=_three_digits,
)

_L26 = WORDS.claim(
    "L26",
    measure=_equal_dctcp(DCTCP),
    holds=_dips_and_returns,
    trend=lambda values: values["lowest of the first 10 ms"] < values["first"],
    show=_three_digits,
)

_L28 = WORDS.claim(
    "L28",
    measure=_unequal(LGC),
    holds=lambda values: (
        values["first ms with 0.99"] <= 5 and values["mean of the second half"] >= 0.99
    ),
    trend=lambda values: values["mean of the second half"] >= 0.99,
    show=_three_digits,
)

_L29 = WORDS.claim(
    "L29",
    measure=_unequal_dctcp(DCTCP),
    holds=lambda values: abs(values["mean of the second half"] - 0.93) <= 0.02,
    trend=lambda values: values["mean of the second half"] < 0.97,
    show=_three_digits,
)

FIGURE = WORDS.figure(
    "fig8",
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
        ),
        _L26,
        _gentle_claim(_L26, _equal_dctcp(DCTCP_GENTLE)),
        WORDS.claim(
            "L27",
            measure=_start_rates,
            holds=lambda values: all(abs(value - 0.96) <= 0.02 for value in values.values()),
            trend=lambda values: all(0.9 <= value < 1 for value in values.values()),
            show=_three_digits,
        ),
        WORDS.claim(
            "L27-acked",
            measure=_first_millisecond(LGC_WINDOW, DCTCP),
            holds=lambda values: all(abs(value - 0.96) <= 0.02 for value in values.values()),
            trend=lambda values: all(0.9 <= value < 1 for value in values.values()),
            show=_three_digits,
        ),
        _L28,
        _window_claim(_L28, _unequal(LGC_WINDOW)),
        _L29,
        _gentle_claim(_L29, _unequal_dctcp(DCTCP_GENTLE)),
    ],
)
