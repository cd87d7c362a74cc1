"""Dissertation, figure 2.3: windows of an ECN-halving TCP and of DCTCP.

In the text, windows start 'conservatively' and grow 'slowly', without slow start. Here they grow by
one packet per RTT from one packet, which gives the figure as described. But the text's simulator
was the HPCC artifact, 'slightly modified'. Its DCTCP sets a rate, paces, starts at line rate and
adds 615 Mb/s per RTT; with gain 0 and α = 1 it halves on any mark. So the claim is measured three
times: with windows, with the artifact's rates, and with windows that grow as fast as those rates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from incast.measure.run import Run
from incast.measure.series import curves
from incast.papers import panels
from incast.papers.claim import Claim, Values
from incast.papers.figure import RunPlan, Runs
from incast.papers.tolerances import close_to
from incast.present.units import bytes_text, rate_text

from incast_papers.fairness.networks import network
from incast_papers.fairness.words import WORDS

TCP, DCTCP = "TCP", "DCTCP"
RATE_TCP, RATE_DCTCP = "TCP, rates", "DCTCP, rates"
FAST_TCP, FAST_DCTCP = "TCP, fast window", "DCTCP, fast window"
HIGH_TCP = "TCP, marks above 400 KB"

_RATES = {"algorithm": "dctcp", "parameters": "artifact", "min_rate": "100Mbps"}
_HALVING = {**_RATES, "gain": 0.0, "initial_alpha": 1.0}
"""α stays 1, so every decrease halves the rate."""


def _windows(algorithm: str, packets_per_rtt: float) -> dict[str, Any]:
    return {
        "algorithm": algorithm,
        "slow_start": False,
        "initial_window": "1 packet",
        "min_window": "1 packet",
        "additive_increase": f"{packets_per_rtt:g} packets",
        "max_window": "bdp",
    }


def _run(cc: dict[str, Any], label: str, *, mark: str = "40KB") -> RunPlan:
    scenario = {
        "run": {"name": f"marks {label}"},
        "network": network(
            cc,
            {"kind": "star", "hosts": 17, "delay": "100us"},
            ecn={"step": mark},
            # Each flow may start with a BDP of 5 MB, and PFC's headroom alone takes 64 MB.
            buffer={"size": "256MiB"},
        ),
        "cc": cc,
        "traffic": [{"kind": "incast", "senders": "0-15", "receiver": 16, "sizes": "200MB"}],
        "measure": {
            "queues": {"ports": "none", "every": "20us"},
            "flows": {"which": "all", "every": "200us"},
        },
    }
    return RunPlan(scenario, hops=16 * 200e3 * 4)


_CC: dict[str, dict[str, Any]] = {
    TCP: _windows("ecn-tcp", 1),
    DCTCP: _windows("dctcp", 1),
    RATE_TCP: _HALVING,
    RATE_DCTCP: _RATES,
    FAST_TCP: _windows("ecn-tcp", 30.75),
    FAST_DCTCP: _windows("dctcp", 30.75),
}


def _mean_fct(run: Run) -> float:
    return float(run.completed.numbers("fct_ps").mean())


def _late(run: Run, measure: str) -> np.ndarray[Any, Any]:
    """The first curve of a measure while all flows send, without the first half of that time, in
    which windows grow.
    """
    times, values = next(iter(curves(run.series, measure).values()))
    finish = float(run.completed.numbers("fct_ps").min())
    late: np.ndarray[Any, Any] = values[(times > finish / 2) & (times < finish)]
    return late


def _teeth(run: Run) -> float:
    """The height of a flow's saw-teeth: the standard deviation of its window."""
    return float(_late(run, "window_bytes").std())


def _queue(run: Run) -> float:
    return float(_late(run, "queue_max_bytes").mean())


def _goodput(run: Run) -> float:
    return float(run.summary["goodput_bps"]["total"])


def _cut(run: Run) -> float:
    """The ratio of the window after a decrease to the window before, median over a flow's
    decreases.
    """
    window = _late(run, "window_bytes")
    before, after = window[:-1], window[1:]
    falls = after < before
    return float(np.median(after[falls] / before[falls])) if falls.any() else float("nan")


def _sawteeth(runs: Runs) -> Values:
    return {
        **{f"{label} deviation": _teeth(runs[label]) / 1e3 for label in (TCP, DCTCP)},
        **{f"{label} after over before": _cut(runs[label]) for label in (TCP, DCTCP)},
    }


def _queues_and_goodput(runs: Runs) -> Values:
    return {
        **{f"{label} queue": _queue(runs[label]) / 1e3 for label in (TCP, DCTCP)},
        **{f"{label} goodput": _goodput(runs[label]) / 1e9 for label in (TCP, DCTCP)},
    }


def _higher_mark(runs: Runs) -> Values:
    return {
        "goodput, 40 KB": _goodput(runs[TCP]) / 1e9,
        "goodput, 400 KB": _goodput(runs[HIGH_TCP]) / 1e9,
        "queue, 40 KB": _queue(runs[TCP]) / 1e3,
        "queue, 400 KB": _queue(runs[HIGH_TCP]) / 1e3,
    }


def _slower(number: str, tcp: str, dctcp: str) -> Claim:
    def measure(runs: Runs) -> Values:
        return {"": _mean_fct(runs[tcp]) / _mean_fct(runs[dctcp])}

    return WORDS.claim(
        number,
        measure=measure,
        holds=close_to(1.17, 0.05),
        trend=lambda values: 1.03 <= values[""] <= 1.34,
        values={"goodput_of_fast": lambda runs: rate_text(_goodput(runs[FAST_TCP]))},
    )


def _runs() -> dict[str, RunPlan]:
    return {
        **{label: _run(cc, label) for label, cc in _CC.items()},
        HIGH_TCP: _run(_CC[TCP], HIGH_TCP, mark="400KB"),
    }


FIGURE = WORDS.figure(
    "thesis_fig2_3",
    runs=lambda scale: _runs(),
    charts={
        "window": panels.one_window("Window of one flow", TCP, DCTCP),
        "queue": panels.queue("Queue", TCP, DCTCP, mean_of_us=2000),
    },
    claims=[
        _slower("C01", TCP, DCTCP),
        _slower("C01-rates", RATE_TCP, RATE_DCTCP),
        _slower("C01-fast", FAST_TCP, FAST_DCTCP),
        WORDS.claim(
            "C02",
            measure=_sawteeth,
            holds=lambda values: (
                values[f"{DCTCP} deviation"] <= 0.8 * values[f"{TCP} deviation"]
                and values[f"{TCP} after over before"] < values[f"{DCTCP} after over before"]
            ),
        ),
        WORDS.claim(
            "C03",
            measure=lambda runs: {"": float(runs[TCP].summary["bdp_bytes"])},
            holds=close_to(5e6, 0.02),
            show=bytes_text,
        ),
        WORDS.claim(
            "C04",
            measure=_higher_mark,
            holds=lambda values: (
                values["goodput, 400 KB"] > values["goodput, 40 KB"]
                and values["queue, 400 KB"] > values["queue, 40 KB"]
            ),
        ),
        WORDS.claim(
            "C07",
            measure=_queues_and_goodput,
            holds=lambda values: (
                values[f"{DCTCP} queue"] < values[f"{TCP} queue"]
                and values[f"{DCTCP} goodput"] >= values[f"{TCP} goodput"]
            ),
            trend=lambda values: values[f"{DCTCP} goodput"] >= values[f"{TCP} goodput"],
        ),
    ],
)
