"""Dissertation, figure 2.3: windows of an ECN-halving TCP and of DCTCP.

The text has windows that start 'conservatively' and grow 'slowly', without slow start: here by one
packet per RTT from one packet, which makes the figure as it is described. But the simulator was the
HPCC artifact, 'slightly modified', whose DCTCP sets a rate, paces, starts at line rate and adds
615 Mb/s per RTT; with no gain and α = 1 it halves on any mark. So the claim is measured thrice:
with windows, with the artifact's rates, and with windows that grow as fast as those rates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from incast.measure.run import Run
from incast.measure.series import curves
from incast.papers.fairness.networks import network
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure, RunPlan, Runs
from incast.papers.framework.tolerances import close_to
from incast.present.units import bytes_text, rate_text

TCP, DCTCP = "TCP", "DCTCP"
_LATE = "in the second half of the time in which all send"
RATE_TCP, RATE_DCTCP = "TCP, rates", "DCTCP, rates"
FAST_TCP, FAST_DCTCP = "TCP, fast window", "DCTCP, fast window"
HIGH_TCP = "TCP, marks above 400 KB"

_RATES = {"algorithm": "dctcp", "parameters": "artifact", "min_rate": "100Mbps"}
_HALVING = {**_RATES, "gain": 0.0, "initial_alpha": 1.0}
"""α stays 1, so every cut halves."""


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
            # Every flow may start with a BDP of 5 MB; and PFC's headroom alone takes 64 MB.
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
    """The first curve of a measure while all flows send, without the first half of that, in which
    windows grow.
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
    """The window after a decrease over that before, median over a flow's decreases."""
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


def _slower(number: str, how: str, tcp: str, dctcp: str, *, explanation: Text = "") -> Claim:
    def measure(runs: Runs) -> Values:
        return {"": _mean_fct(runs[tcp]) / _mean_fct(runs[dctcp])}

    return Claim(
        number,
        f"flows take 17 % longer under TCP than under DCTCP{how}",
        claimed="1.17",
        metric="mean FCT under TCP over that under DCTCP",
        measure=measure,
        holds=close_to(1.17, 0.05),
        trend=lambda values: 1.03 <= values[""] <= 1.34,
        tolerance="5 % of the ratio, 11 to 23 % longer: start and increase are not given; as a "
        "trend, 3 to 34 % longer, which is at most twice as much",
        kind=Kind.NUMBER,
        explanation=explanation,
    )


def _runs() -> dict[str, RunPlan]:
    return {
        **{label: _run(cc, label) for label, cc in _CC.items()},
        HIGH_TCP: _run(_CC[TCP], HIGH_TCP, mark="400KB"),
    }


def _bursts(runs: Runs) -> str:
    return (
        "Windows are not paced: the packets that 16 flows add arrive as one burst, which is marked "
        "long before the link is full, and a halving TCP then stays at "
        f"{rate_text(_goodput(runs[FAST_TCP]))}."
    )


FIGURE = Figure(
    id="thesis_fig2_3",
    title="Windows of TCP and DCTCP",
    where="dissertation Fig. 2.3",
    setup="16 hosts send 200 MB each to one host, 100 Gb/s, 100 µs a link, marks above 40 KB, PFC "
    "with a buffer of 256 MiB. TCP halves on any mark. Windows start at one packet, without slow "
    "start, and grow by one per RTT up to the BDP of 5 MB. Beside them the artifact's rates, 615 "
    "Mb/s more per RTT, and windows that grow as fast.",
    runs=lambda scale: _runs(),
    charts={
        "window": panels.one_window("Window of one flow", TCP, DCTCP),
        "queue": panels.queue("Queue", TCP, DCTCP, mean_of_us=2000),
    },
    claims=[
        _slower("C01", "", TCP, DCTCP),
        _slower("C01-rates", ", with the artifact's rates", RATE_TCP, RATE_DCTCP).as_reading(),
        _slower(
            "C01-fast",
            ", with windows that grow by 30.75 packets (615 Mb/s) per RTT",
            FAST_TCP,
            FAST_DCTCP,
            explanation=_bursts,
        ).as_reading(),
        Claim(
            "C02",
            "windows are saw-teeth, and DCTCP's are smaller",
            claimed="smaller teeth",
            metric="standard deviation of a window, KB, and the window after a decrease over that "
            f"before, {_LATE}",
            measure=_sawteeth,
            holds=lambda values: (
                values[f"{DCTCP} deviation"] <= 0.8 * values[f"{TCP} deviation"]
                and values[f"{TCP} after over before"] < values[f"{DCTCP} after over before"]
            ),
            tolerance="deviation at least a fifth smaller, and smaller decreases",
            replaced="the deviation alone, which does not see teeth.",
        ),
        Claim(
            "C03",
            "the BDP is about 5 MB",
            claimed="≈ 5 MB",
            metric="BDP of the network",
            measure=lambda runs: {"": float(runs[TCP].summary["bdp_bytes"])},
            holds=close_to(5e6, 0.02),
            tolerance="2 %: 'about'",
            kind=Kind.THEORY,
            show=bytes_text,
        ),
        Claim(
            "C04",
            "a higher marking threshold gives TCP more throughput and longer queues",
            claimed="both rise",
            metric=f"goodput of the run, Gb/s, and mean queue, KB, {_LATE}",
            measure=_higher_mark,
            holds=lambda values: (
                values["goodput, 400 KB"] > values["goodput, 40 KB"]
                and values["queue, 400 KB"] > values["queue, 40 KB"]
            ),
            tolerance="none: directions",
            kind=Kind.TREND,
        ),
        Claim(
            "C07",
            "DCTCP has a shorter mean queue than TCP, without losing throughput",
            where="dissertation §2.3",
            claimed="shorter; as much throughput",
            metric=f"mean queue, KB, {_LATE}, and goodput of the run, Gb/s",
            measure=_queues_and_goodput,
            holds=lambda values: (
                values[f"{DCTCP} queue"] < values[f"{TCP} queue"]
                and values[f"{DCTCP} goodput"] >= values[f"{TCP} goodput"]
            ),
            trend=lambda values: values[f"{DCTCP} goodput"] >= values[f"{TCP} goodput"],
            tolerance="none: directions; as a trend, throughput alone",
            kind=Kind.TREND,
            explanation="At the same threshold of 40 KB, less than a hundredth of the BDP, a TCP "
            "that halves leaves the link idle for most of each tooth, and so has nearly no queue: "
            "DCTCP's is the price of its throughput.",
        ),
    ],
)
