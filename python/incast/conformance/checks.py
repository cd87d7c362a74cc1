"""The checks: each has scenarios to run under the algorithm, a verdict on their results, and a
chart.

Thresholds are coarse: an algorithm that fails has a mistake, or a weakness that its authors should
know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from incast.measure.run import Run, Runs
from incast.measure.series import Array, Curves, curves, goodput_of_flows
from incast.present.charts.chart import Axis, Chart, Curve, Quantity, time_axis
from incast.present.charts.over_time import over_time
from incast.present.units import bytes_text, plural, rate_text
from incast.time_units import PICOSECOND

__all__ = ["ALL", "Check", "Finding"]

_PACKET = 1_000
"""Bytes of payload in a packet of these scenarios."""
_RATES_GBPS = (10, 25, 40, 100, 200, 400, 800)
_LEAST_SHARE = 0.9
"""The least share of a link's payload rate that flows must reach."""
_LEAST_JAIN = 0.9
_SLOWEST_ALONE = 1.1
"""The largest FCT of a lone flow, over its ideal FCT."""
_SLOWEST_INCAST = 1.25
"""The largest time of an incast, over its time at full link rate."""


@dataclass(frozen=True)
class Finding:
    """The verdict of a check, and its numbers in a sentence."""

    passed: bool
    sentence: str


@dataclass(frozen=True)
class Check:
    """One check of an algorithm.

    Attributes:
        name: The name in listings.
        demand: The condition to pass, in words.
        scenarios: The scenarios by label, without the algorithm.
        judge: Gives the finding from the runs by label.
        chart: Draws the chart of the runs.
    """

    name: str
    demand: str
    scenarios: Mapping[str, dict[str, Any]]
    judge: Callable[[Runs], Finding]
    chart: Callable[[Runs], Chart]


def _star(hosts: int, rate: str = "100Gbps") -> dict[str, Any]:
    return {"topology": {"kind": "star", "hosts": hosts, "rate": rate, "delay": "1us"}}


def _flows(starts_us: Mapping[int, float], size: str, every: str, stop: str) -> dict[str, Any]:
    """A scenario of flows to host 0 that go on until the run stops."""
    flows = [
        {"source": host, "destination": 0, "size": size, "start": f"{start}us"}
        for host, start in starts_us.items()
    ]
    return {
        "run": {"stop": stop},
        "network": _star(len(flows) + 1),
        "traffic": [{"kind": "flows", "flows": flows}],
        "measure": {"queues": {"every": every}, "flows": {"which": "all", "every": every}},
    }


def _burst(senders: int, size: str, rate: str = "100Gbps", **network: Any) -> dict[str, Any]:
    """A scenario of flows of equal size to host 0 that start at once."""
    return {
        "network": _star(senders + 1, rate) | network,
        "traffic": [{"kind": "incast", "receiver": 0, "sizes": size}],
        "measure": {
            "queues": {"every": "1us"},
            "flows": {"which": "none", "every": "10us"},
        },
    }


def _only(runs: Runs) -> Run:
    (run,) = runs.values()
    return run


def _goodput_at_the_end(run: Run, seconds: float) -> Array:
    """The goodput of each flow, in bit/s, over the last `seconds` of a run."""
    found = []
    for times, acked in curves(run.series, "acked_bytes").values():
        last = times >= times[-1] - seconds / PICOSECOND
        span = (times[last][-1] - times[last][0]) * PICOSECOND
        found.append((acked[last][-1] - acked[last][0]) * 8 / span if span > 0 else 0.0)
    return np.array(found)


def _jain(values: Array) -> float:
    square = float((values**2).sum())
    return float(values.sum()) ** 2 / (len(values) * square) if square > 0 else 0.0


def _payload_rate(run: Run, line_rate: float) -> float:
    """The payload rate of a link with this line rate, in bit/s."""
    sent = run.ports.numbers("data_bytes").sum() / run.ports.numbers("data_packets").sum()
    return line_rate * _PACKET / float(sent)


def _alone(runs: Runs) -> Finding:
    slowdown = float(_only(runs).completed.numbers("slowdown")[0])
    sentence = f"a flow of 20 MB takes {slowdown:.3f} times its ideal FCT"
    return Finding(slowdown <= _SLOWEST_ALONE, sentence)


def _sharing(seconds: float) -> Callable[[Runs], Finding]:
    def judge(runs: Runs) -> Finding:
        run = _only(runs)
        goodput = _goodput_at_the_end(run, seconds)
        jain = _jain(goodput)
        share = float(goodput.sum()) / _payload_rate(run, 100e9)
        sentence = (
            f"in the last {seconds * 1e3:g} ms Jain's index is {jain:.3f}, goodput "
            f"{share:.0%} of the link's, flows from {rate_text(float(goodput.min()))} to "
            f"{rate_text(float(goodput.max()))}"
        )
        return Finding(jain >= _LEAST_JAIN and share >= _LEAST_SHARE, sentence)

    return judge


def _last_over_ideal(run: Run, line_rate: float) -> float:
    flows = run.completed
    finish = flows.numbers("start_ps") + flows.numbers("fct_ps")
    ideal = float(flows.numbers("size_bytes").sum()) * 8 / _payload_rate(run, line_rate)
    return float(finish.max()) * PICOSECOND / ideal


def _unfinished(run: Run) -> int:
    counts = run.summary["flows"]
    return int(counts["started"] - counts["finished"])


def _incast(runs: Runs) -> Finding:
    run = _only(runs)
    over, peak = _last_over_ideal(run, 100e9), run.summary["queue_bytes"]["peak"]
    pauses = run.summary["pfc"]["pauses"]
    sentence = (
        f"the last of 32 flows ends after {over:.3f} times what the link needs; longest queue "
        f"{bytes_text(peak)}, {plural(int(pauses), 'pause')}"
    )
    return Finding(_unfinished(run) == 0 and over <= _SLOWEST_INCAST, sentence)


def _rates(runs: Runs) -> Finding:
    over = {
        rate: _last_over_ideal(run, rate * 1e9)
        for rate, run in zip(_RATES_GBPS, runs.values(), strict=True)
    }
    worst = max(over, key=lambda rate: over[rate])
    slow = [f"{rate} Gb/s" for rate in over if over[rate] > _SLOWEST_INCAST]
    left = sum(map(_unfinished, runs.values()))
    sentence = f"at most {over[worst]:.3f} times what the link needs, at {worst} Gb/s"
    if slow:
        sentence += f"; too slow at {', '.join(slow)}"
    return Finding(not slow and left == 0, sentence)


def _losses(runs: Runs) -> Finding:
    run = _only(runs)
    packets, left = run.summary["packets"], _unfinished(run)
    again = packets["retransmitted"] / packets["data"]
    stalled = run.summary.get("stall") is not None
    sentence = (
        f"{plural(left, 'flow')} not finished, {again:.1%} of the packets sent again"
        if left
        else f"all flows finish, {again:.1%} of the packets sent again"
    )
    return Finding(left == 0 and not stalled, sentence)


def _goodput_chart(title: str, width: int) -> Callable[[Runs], Chart]:
    def chart(runs: Runs) -> Chart:
        def pick(run: Run) -> Curves:
            flows = run.flows
            starts = zip(flows.numbers("flow_id"), flows.numbers("start_ps"), strict=True)
            of_flow = {f"flow {int(flow)}": float(start) for flow, start in starts}
            return goodput_of_flows(run.series, of_flow, width)

        drawn = over_time({"": _only(runs)}, pick)
        y = Axis("goodput of a flow", Quantity.RATE, lower=0)
        return Chart("goodput", title, time_axis(), y, drawn.curves, note=drawn.note)

    return chart


def _queue_chart(title: str) -> Callable[[Runs], Chart]:
    def chart(runs: Runs) -> Chart:
        drawn = over_time({"": _only(runs)}, lambda run: curves(run.series, "queue_max_bytes"))
        y = Axis("longest queue", Quantity.SIZE, lower=0)
        return Chart("queue", title, time_axis(), y, drawn.curves, note=drawn.note)

    return chart


def _rates_chart(runs: Runs) -> Chart:
    rates = np.array(_RATES_GBPS) * 1e9
    over = np.array(
        [_last_over_ideal(run, rate) for rate, run in zip(rates, runs.values(), strict=True)]
    )
    x = Axis("link rate", Quantity.RATE, log=True)
    y = Axis("time over that at full rate", Quantity.RATIO, lower=1, upper=_SLOWEST_INCAST)
    curve = Curve("8 flows to one host", rates, over, mark="points")
    return Chart("rates", "Link rates", x, y, [curve])


ALL = (
    Check(
        "alone",
        f"a flow alone takes at most {_SLOWEST_ALONE} times its ideal FCT",
        {
            "alone": _burst(1, "20MB")
            | {"measure": {"flows": {"which": "all", "every": "10us"}, "queues": {"every": "10us"}}}
        },
        _alone,
        _goodput_chart("One flow alone", 5),
    ),
    Check(
        "two",
        "two flows, of which the second starts 1 ms later, share the link within 5 ms: Jain's "
        f"index of {_LEAST_JAIN}, {_LEAST_SHARE:.0%} of the link's goodput",
        {"two": _flows({1: 0, 2: 1000}, "1GB", "10us", "6ms")},
        _sharing(1e-3),
        _goodput_chart("Two flows", 10),
    ),
    Check(
        "sixteen",
        "sixteen flows, one more every 100 us, do so within 8 ms",
        {"sixteen": _flows({n + 1: 100.0 * n for n in range(16)}, "1GB", "20us", "10ms")},
        _sharing(2e-3),
        _goodput_chart("Sixteen flows", 10),
    ),
    Check(
        "incast",
        "32 flows of 500 KB to one host all end, the last within "
        f"{_SLOWEST_INCAST} times what its link needs",
        {"incast": _burst(32, "500KB")},
        _incast,
        _queue_chart("Longest queue of the incast"),
    ),
    Check(
        "rates",
        "so do 8 flows of 400 us each at line rate, from 10 to 800 Gb/s",
        {f"{rate} Gb/s": _burst(8, f"{rate * 50}KB", f"{rate}Gbps") for rate in _RATES_GBPS},
        _rates,
        _rates_chart,
    ),
    Check(
        "losses",
        "16 flows of 1 MB all end where switches drop what does not fit into 200 KB",
        {"losses": _burst(16, "1MB", flow_control="none", buffer={"size": "200KB"})},
        _losses,
        _queue_chart("Longest queue where packets are dropped"),
    ),
)
"""All checks, in the order of listings."""
