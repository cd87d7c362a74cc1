"""Dissertation, figures 2.1 and 2.2: a slow receiver stops another flow in a lossless network."""

from __future__ import annotations

from typing import Any

from incast.measure.metrics import goodput_between
from incast.measure.run import Run
from incast.papers import panels
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs
from incast.present.units import rate_text, seconds_text
from incast.time_units import PICOSECOND

from incast_papers.fairness.algorithms import HPCC, HPCC_CC
from incast_papers.fairness.words import WORDS

NONE = "no control"
_FROM, _TO = 5e-3, 20e-3
"""The measured period in seconds, long after buffers have filled."""
_VICTIM = 1
"""The traffic entry of the dissertation's host 3, whose flow shares no bottleneck."""
_IDEAL = 2e9 * 1000 / 1048
"""Payload rate at 2 Gb/s on the wire, in bit/s."""


def _flows(name: str, *pairs: tuple[int, int]) -> dict[str, Any]:
    flows = [{"source": source, "destination": to, "size": "10MB"} for source, to in pairs]
    return {"name": name, "kind": "flows", "flows": flows}


def _dumbbell(cc: dict[str, Any], name: str) -> RunPlan:
    """A run in which hosts 0 and 1 send to host 3, and host 2 to host 4. Receivers have half the
    rate of senders.
    """
    scenario = {
        "run": {"name": name, "stop": "20ms"},
        "network": {
            "buffer": {"size": "1MiB"},
            "topology": {
                "kind": "dumbbell",
                "switches": 2,
                "senders": 3,
                "receivers": 2,
                "sender_rate": "2Gbps",
                "receiver_rate": "1Gbps",
                "trunk_rate": "6Gbps",
                "delay": "1us",
            },
        },
        "cc": cc,
        "traffic": [_flows("hosts 1 and 2", (0, 3), (1, 3)), _flows("host 3", (2, 4))],
        "measure": {
            "round_trips": {"from": f"{_FROM * 1e3:g}ms"},
            "queues": {"ports": "none", "every": "10us"},
            "flows": {"which": "none", "every": "500us"},
        },
    }
    return RunPlan(scenario, hops=30_000)


def _round_trips(runs: Runs) -> Values:
    return {label: _median_rtt(runs[label]) for label in (NONE, HPCC)}


def _median_rtt(run: Run) -> float:
    """Median round trip of the victim's packets, in seconds."""
    (found,) = (entry for entry in run.summary["rtt_ps"] if entry["traffic"] == _VICTIM)
    return float(found["p50"]) * PICOSECOND


def _measure(runs: Runs) -> Values:
    return {label: goodput_between(runs[label], _FROM, _TO) for label in (NONE, HPCC)}


FIGURE = WORDS.figure(
    "thesis_fig2_1",
    runs=lambda scale: {
        NONE: _dumbbell({"algorithm": "none"}, f"blocking {NONE}"),
        HPCC: _dumbbell(HPCC_CC, f"blocking {HPCC}"),
    },
    charts={
        "goodput": panels.goodput("Goodput of all flows", NONE, HPCC),
        "paused": panels.pauses("Ports that PFC pauses", NONE, HPCC, mean_of_us=500),
    },
    claims=[
        WORDS.claim(
            "C05",
            measure=_measure,
            holds=lambda values: abs(values[NONE] - 1e9) <= 0.2e9,
            trend=lambda values: values[NONE] <= 0.8 * _IDEAL,
            show=rate_text,
        ),
        WORDS.claim(
            "C05-latency",
            measure=_round_trips,
            holds=lambda values: values[NONE] >= 2 * values[HPCC],
            show=seconds_text,
        ),
    ],
)
