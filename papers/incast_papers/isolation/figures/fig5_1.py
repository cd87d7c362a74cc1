"""Figures 5.1 to 5.4: the speculative packets that are not dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from incast.measure.run import Run
from incast.measure.series import Array
from incast.papers.claim import Claim, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import count_text
from incast.time_units import PICOSECOND

from incast_papers.isolation.words import WORDS

_NONE: dict[str, Any] = {}


class _Case(Enum):
    """Figures 5.1 to 5.4: two flows that start speculatively, under One-RTT Convergence."""

    EPOCHS = ("two hosts, two epochs", _NONE, _NONE)
    """Figure 5.1."""
    APART = ("numbers apart", {"shared": False}, _NONE)
    """Figure 5.2: two flows of a host in the same epoch."""
    APART_WEIGHTED = ("numbers apart, weights", {"shared": False}, {"divided_by": "flow-start"})
    SHARED = ("numbers shared", {"shared": True}, {"divided_by": "epoch-start"})
    """Figure 5.3, and the lower half of Figure 5.4."""
    SHARED_TWICE = (
        "numbers shared, weights of now",
        {"shared": True},
        {"divided_by": "flow-start"},
    )
    """The upper half of Figure 5.4."""

    def __init__(self, label: str, one_rtt: Mapping[str, Any], weights: Mapping[str, Any]) -> None:
        self.label = label
        self.one_rtt = one_rtt
        self.weights = weights


_WATCHED = {_Case.EPOCHS: (0, 1)}
"""Numbers of the two observed flows, if they are not 1 and 2."""


def _speculation(kind: _Case) -> RunPlan:
    """Figures 5.1 to 5.4: a port of 100 Gb/s with epochs of about four packets. In the last three
    figures another host's flow is already active, so that a new flow is allotted two packets.
    """
    epochs = kind is _Case.EPOCHS
    # Start times in epochs of 345 ns, divided into 13 parts: parts 11 and 15 as in Figure 5.1;
    # otherwise both flows start in the fourth epoch.
    starts = ("292ns", "398ns") if epochs else ("1040ns", "1060ns")
    sources = (0, 1) if epochs else (0, 0)
    new = [
        {"source": source, "destination": 3, "size": "8KB", "start": start}
        for source, start in zip(sources, starts, strict=True)
    ]
    old = [] if epochs else [{"source": 1, "destination": 3, "size": "100KB"}]
    parts = "+weights" if kind.weights else ""
    scenario = {
        "run": {"name": f"isolation speculation {kind.label}", "stop": "20us"},
        "network": {
            "topology": {
                "kind": "dumbbell",
                "switches": 1,
                "senders": 3,
                "receivers": 1,
                "sender_rate": "200Gbps",
                "receiver_rate": "100Gbps",
                "trunk_rate": "100Gbps",
                "delay": "35ns",
            },
        },
        "cc": {
            "algorithm": f"s-perc+1rc{parts}",
            "control_share": 0.001,
            "headroom": 0.0,
            "1rc": {"epoch": "345ns", **kind.one_rtt},
            **({"weights": dict(kind.weights)} if kind.weights else {}),
        },
        "traffic": [{"kind": "flows", "flows": [*old, *new]}],
        "measure": {
            "packets": True,
            "queues": {"ports": "none", "every": "1us"},
            "flows": {"which": "none"},
        },
    }
    return RunPlan(scenario, hops=1000)


_PAYLOAD = 1000


class _Packets(NamedTuple):
    """Events of a flow's data packets: times in ps, and packet numbers."""

    times: Array
    numbers: Array


def _plan(scale: Scale) -> dict[str, RunPlan]:
    return {kind.label: _speculation(kind) for kind in _Case}


def _events(run: Run, flow: int, event: str, kind: str, *, at_host: bool) -> _Packets:
    """Events of a flow at hosts, or at the switch."""
    packets = run.packets
    events, kinds = packets.categories("event"), packets.categories("kind")
    if event not in events.texts or kind not in kinds.texts:
        return _Packets(np.array([]), np.array([]))
    chosen = (
        (packets.numbers("flow_id") == flow)
        & (events.indices == events.texts.index(event))
        & (kinds.indices == kinds.texts.index(kind))
        & ((packets.numbers("node") < _SWITCH) == at_host)
    )
    numbers = packets.numbers("sequence")[chosen] // _PAYLOAD
    return _Packets(packets.numbers("time_ps")[chosen], numbers)


_SWITCH = 4
"""The node number of the only switch."""


def _speculative(run: Run, flow: int) -> tuple[Array, Array]:
    """Numbers of the packets that a flow sent before it knew its rate, and of those among them that
    the switch dropped.
    """
    told = _events(run, flow, "receive", "rate-reply", at_host=True).times.min()
    sent = _events(run, flow, "send", "data", at_host=True)
    sent_early = sent.numbers[sent.times < told]
    dropped = _events(run, flow, "drop", "data", at_host=False).numbers
    return sent_early, np.intersect1d(dropped, sent_early)


def _flows(kind: _Case) -> tuple[int, int]:
    return _WATCHED.get(kind, (1, 2))


def _through(runs: Runs, kind: _Case) -> Values:
    values = {}
    for place, flow in enumerate(_flows(kind), 1):
        sent, dropped = _speculative(runs[kind.label], flow)
        values[f"flow {place}"] = float(len(sent) - len(dropped))
    return {**values, "together": sum(values.values())}


def _dropped(runs: Runs) -> Values:
    run = runs[_Case.EPOCHS.label]
    first, second = (_speculative(run, flow)[1] for flow in _flows(_Case.EPOCHS))
    return {
        "flow 1 drops": float(len(first)),
        "flow 2 drops": float(len(second)),
        "flow 2's first": float(second.min()) if len(second) else float("nan"),
        "in a row": float(len(second) > 0 and second.max() - second.min() + 1 == len(second)),
    }


def _panel(kind: _Case, title: str) -> Callable[[Runs], Chart]:
    def draw(runs: Runs) -> Chart:
        run = runs[kind.label]
        drawn = []
        for place, flow in enumerate(_flows(kind)):
            came = _events(run, flow, "receive", "data", at_host=False)
            gone = _events(run, flow, "drop", "data", at_host=False)
            passed = ~np.isin(came.times, gone.times)
            name = f"flow {place + 1}"
            for events, label, colour in (
                (_Packets(came.times[passed], came.numbers[passed]), name, place),
                (gone, f"{name}, dropped", place + 2),
            ):
                if not len(events.times):
                    continue
                drawn.append(
                    Curve(
                        label,
                        events.times * PICOSECOND,
                        events.numbers.astype(float),
                        colour,
                        mark="dots",
                        group=label,
                    )
                )
        return Chart(
            title,
            title,
            Axis("arrival at the switch", Quantity.TIME),
            Axis("number of the packet", Quantity.COUNT, lower=0),
            drawn,
            note="Packets that were dropped come again, in order, as scheduled ones.",
        )

    return draw


def _claim(number: str, kind: _Case, together: int) -> Claim:
    return WORDS.claim(
        number,
        measure=lambda runs: _through(runs, kind),
        holds=lambda values: values["together"] == together,
        show=count_text,
    )


FIGURE = WORDS.figure(
    "fig5_1",
    runs=_plan,
    charts={
        "a-epochs": _panel(_Case.EPOCHS, "(a) Two hosts, two epochs (Fig. 5.1)"),
        "b-apart": _panel(_Case.APART, "(b) One host, numbers apart (Fig. 5.2)"),
        "c-shared": _panel(_Case.SHARED, "(c) One host, numbers shared (Fig. 5.3)"),
        "d-twice": _panel(_Case.SHARED_TWICE, "(d) Numbers shared and weights of now (Fig. 5.4)"),
    },
    claims=[
        WORDS.claim(
            "E23",
            measure=_dropped,
            holds=lambda values: (
                values["flow 1 drops"] == 0
                and values["flow 2 drops"] >= 1
                and values["flow 2's first"] == 2
                and values["in a row"] == 1
            ),
            show=count_text,
        ),
        _claim("E24", _Case.APART, 4),
        _claim("E24-weights", _Case.APART_WEIGHTED, 3),
        _claim("E25", _Case.SHARED, 2),
        _claim("E26", _Case.SHARED_TWICE, 1),
    ],
)
