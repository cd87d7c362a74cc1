"""Figure 3: pause frames at the congestion point."""

from __future__ import annotations

import numpy as np

from incast.papers.fncc.algorithms import DCQCN, FNCC, HPCC
from incast.papers.fncc.metrics import each, lowest, pauses
from incast.papers.fncc.networks import at, elephants_at
from incast.papers.framework.conditions import both
from incast.papers.framework.paper import Claim, Figure, Runs, Values
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import bytes_text, count_text

_RATES = (200, 400)
_DRAWN = (100, *_RATES)
_LABELS = (FNCC, HPCC, DCQCN)


def _chart(runs: Runs) -> Chart:
    drawn = [
        Curve(
            label,
            np.array(_DRAWN) * 1e9,
            np.array([pauses(runs[at(label, gbps)]) for gbps in _DRAWN]),
            colour,
            mark="dots",
            group=label,
        )
        for colour, label in enumerate(_LABELS)
    ]
    return Chart(
        "pauses",
        "Pause frames sent by the congested switch",
        Axis("link rate", Quantity.RATE, lower=0),
        Axis("pause frames", Quantity.COUNT, lower=0, upper=1),
        drawn,
    )


def _fewest(gbps: int) -> Claim:
    fncc, hpcc, dcqcn = (at(label, gbps) for label in _LABELS)

    def no_more(values: Values) -> bool:
        return values[fncc] <= values[hpcc]

    return Claim(
        f"F09-{gbps}",
        f"at {gbps} Gb/s FNCC has the fewest pause frames at the congestion point",
        claimed="fewest; HPCC and DCQCN more",
        measure=each(pauses, fncc, hpcc, dcqcn),
        holds=lowest(fncc, (hpcc, dcqcn)),
        trend=both(lowest(fncc, (dcqcn,)), no_more),
        tolerance="none: fewer than under both; as a trend, fewer than under DCQCN and no more "
        "than under HPCC",
        show=count_text,
        explanation=_below_threshold,
    )


def _below_threshold(runs: Runs) -> str:
    middle, high = (runs[at(HPCC, gbps)].summary["bdp_bytes"] for gbps in _RATES)
    return (
        "Windows keep HPCC and FNCC below PFC's threshold: two of them put at most one BDP into "
        f"the queue, {bytes_text(middle)} at 200 Gb/s and {bytes_text(high)} at 400 Gb/s, half of "
        "it through each port, and a port is paused at 500 KB. If 500 KB counted the queue as a "
        "whole, HPCC would pause at 400 Gb/s and FNCC would not, as the peaks of Fig. 10 show."
    )


FIGURE = Figure(
    id="fig3",
    title="Pause frames at the congestion point",
    where="Fig. 3",
    setup="The runs of Fig. 1; the paper shows 200 and 400 Gb/s. RoCC is not among them: beyond "
    "100 Gb/s its parameters are scaled, not published, and its pause frames theirs (see F08).",
    runs=lambda scale: elephants_at(_DRAWN, _LABELS),
    charts={"pauses": _chart},
    claims=[_fewest(gbps) for gbps in _RATES],
)
