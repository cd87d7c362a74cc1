"""§5.1 and §5.2: s-PERC converges to the max-min rates, and 1RC keeps packets in order."""

from __future__ import annotations

import numpy as np
from incast.measure.run import Run
from incast.measure.series import curves
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import count_text, percent_text

from incast_papers.isolation.algorithms import PERC_1RC_WEIGHTS, PERC_ALL_SCHEDULED
from incast_papers.isolation.metrics import max_min_rates
from incast_papers.isolation.networks import (
    PAIRS,
    Attack,
    incast,
    long_flows,
)
from incast_papers.isolation.words import WORDS

_LONG = "long flows"
_ORDER = "incast"
_SHARE = 0.96
"""The share of a link's rate for data: 2 % are reserved for control packets, and 2 % stay free."""


def _plan(scale: Scale) -> dict[str, RunPlan]:
    return {
        _LONG: long_flows(PERC_ALL_SCHEDULED),
        _ORDER: incast(PERC_1RC_WEIGHTS, Attack.STAGGERED, attacker="1MB", trace=True),
    }


def _deviation(runs: Runs) -> Values:
    """The relative deviation of final rates from the max-min rates."""
    wanted = max_min_rates(PAIRS, _SHARE * 100e9)
    found = curves(runs[_LONG].series, "rate_bps")
    off = [abs(found[f"flow {number}"][1][-1] / rate - 1) for number, rate in enumerate(wanted)]
    return {"worst": float(max(off))}


def _order(runs: Runs) -> Values:
    packets = _received(runs[_ORDER])
    out_of_order = 0
    for flow in np.unique(packets[0]):
        sequence = packets[1][packets[0] == flow]
        out_of_order += int((np.diff(sequence.astype(np.int64)) <= 0).sum())
    summary = runs[_ORDER].summary["packets"]
    return {
        "out of order": float(out_of_order),
        "dropped speculatively": float(summary.get("speculative_dropped", 0)),
        "sent again": float(summary["retransmitted"]),
    }


def _received(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Flow and sequence number of each data packet that the receiver got, in order of time."""
    packets = run.packets
    events, kinds = packets.categories("event"), packets.categories("kind")
    chosen = (
        (events.indices == events.texts.index("receive"))
        & (kinds.indices == kinds.texts.index("data"))
        & (packets.numbers("node") == 16)
    )
    return packets.numbers("flow_id")[chosen], packets.numbers("sequence")[chosen]


FIGURE = WORDS.figure(
    "sec5_1",
    runs=_plan,
    claims=[
        WORDS.claim(
            "E27",
            measure=_deviation,
            holds=lambda values: values["worst"] <= 0.01,
            show=percent_text,
        ),
        WORDS.claim(
            "E28",
            measure=_order,
            holds=lambda values: (
                values["out of order"] == 0
                and values["sent again"] == 0
                and values["dropped speculatively"] > 0
            ),
            show=count_text,
        ),
    ],
)
