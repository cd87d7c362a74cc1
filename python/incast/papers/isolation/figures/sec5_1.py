"""§5.1 and §5.2: s-PERC finds the max-min rates, and 1RC keeps packets in order."""

from __future__ import annotations

import numpy as np

from incast.measure.run import Run
from incast.measure.series import curves
from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.isolation.algorithms import PERC_1RC_WEIGHTS, PERC_ALL_SCHEDULED
from incast.papers.isolation.metrics import max_min_rates
from incast.papers.isolation.networks import (
    PAIRS,
    Attack,
    incast,
    long_flows,
)
from incast.present.units import count_text, percent_text

_LONG = "long flows"
_ORDER = "incast"
_SHARE = 0.96
"""Of the links: 2 % are kept for control packets, 2 % free."""


def _plan(scale: Scale) -> dict[str, RunPlan]:
    return {
        _LONG: long_flows(PERC_ALL_SCHEDULED),
        _ORDER: incast(PERC_1RC_WEIGHTS, Attack.STAGGERED, attacker="1MB", trace=True),
    }


def _deviation(runs: Runs) -> Values:
    """Of the last rates from the max-min ones."""
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
    """Flows and sequence numbers of the data packets that the receiver got, in order of time."""
    packets = run.packets
    events, kinds = packets.categories("event"), packets.categories("kind")
    chosen = (
        (events.indices == events.texts.index("receive"))
        & (kinds.indices == kinds.texts.index("data"))
        & (packets.numbers("node") == 16)
    )
    return packets.numbers("flow_id")[chosen], packets.numbers("sequence")[chosen]


FIGURE = Figure(
    id="sec5_1",
    title="Max-min rates, and order",
    where="Dissertation, §5.1.1 and §5.2",
    setup="40 long flows between random hosts of a star under s-PERC, for 1 ms; and the incast of "
    "Fig. 5.8 under attack, every packet traced.",
    runs=_plan,
    claims=[
        Claim(
            "E27",
            "s-PERC converges to the max-min rates in bounded time",
            claimed="converges",
            metric="difference to the max-min rates",
            measure=_deviation,
            holds=lambda values: values["worst"] <= 0.01,
            tolerance="every flow within 1 % of the solver's rate after 1 ms",
            kind=Kind.TREND,
            show=percent_text,
        ),
        Claim(
            "E28",
            "speculative packets are dropped in order: no packet overtakes, and no loss is looked "
            "for",
            claimed="in order, without loss detection",
            metric="packets out of order, sent again, dropped",
            measure=_order,
            holds=lambda values: (
                values["out of order"] == 0
                and values["sent again"] == 0
                and values["dropped speculatively"] > 0
            ),
            tolerance="none; nothing is sent again by loss recovery, and packets are dropped, or "
            "there would be nothing to see",
            kind=Kind.THEORY,
            show=count_text,
        ),
    ],
)
