"""Figure 3: pause frames at the congestion point."""

from __future__ import annotations

import numpy as np

from incast.papers.fncc.algorithms import DCQCN, FNCC, FNCC_TABLE, HPCC
from incast.papers.fncc.metrics import each, lowest, paper_claims, paper_panels, pauses
from incast.papers.fncc.networks import (
    ANY_START,
    at,
    elephants_at,
    elephants_at_any_start,
    under_readings,
)
from incast.papers.framework.claim import Claim, Values
from incast.papers.framework.panels import Panel
from incast.papers.framework.paper import Figure, RunPlan, Runs
from incast.papers.framework.tolerances import both
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import bytes_text, count_text

_RATES = (200, 400)
_DRAWN = (100, *_RATES)
_LABELS = (FNCC, HPCC, DCQCN)
_ALL = (*_LABELS, FNCC_TABLE)
_APART = 0.15
"""Distance of two algorithms' points at one link rate, which has the axis for itself from −½ to "
"½."""


def _runs() -> dict[str, RunPlan]:
    return under_readings(
        lambda reading: {
            **elephants_at(_DRAWN, _ALL, reading),
            **elephants_at_any_start(_RATES, _ALL, reading),
        }
    )


def _chart(title: str) -> Panel:
    def draw(runs: Runs) -> Chart:
        drawn = [
            Curve(
                label,
                np.arange(len(_DRAWN)) + _APART * (place - (len(_ALL) - 1) / 2),
                np.array([pauses(runs[at(label, gbps)]) for gbps in _DRAWN]),
                place,
                mark="dots",
                group=label,
            )
            for place, label in enumerate(_ALL)
        ]
        return Chart(
            "pauses",
            title,
            Axis("link rate", Quantity.COUNT, names=tuple(f"{gbps} Gb/s" for gbps in _DRAWN)),
            Axis("pause frames", Quantity.COUNT, lower=-0.2, upper=1),
            drawn,
        )

    return draw


def _fewest(gbps: int) -> Claim:
    fncc, hpcc, dcqcn, table = (at(label, gbps) for label in _ALL)

    def no_more(values: Values) -> bool:
        return values[fncc] <= values[hpcc]

    return Claim(
        f"F09-{gbps}",
        f"at {gbps} Gb/s FNCC has the fewest pause frames at the congestion point",
        claimed="fewest; HPCC and DCQCN more",
        metric="pause frames",
        measure=each(pauses, fncc, hpcc, dcqcn, table),
        holds=lowest(fncc, (hpcc, dcqcn)),
        trend=both(lowest(fncc, (dcqcn,)), no_more),
        tolerance="none: fewer than under both; as a trend, fewer than under DCQCN and no more "
        "than under HPCC",
        show=_frames,
        explanation=_below_threshold,
    )


def _frames(count: float) -> str:
    """Means of counts have a decimal."""
    return count_text(count) if count == int(count) else f"{count:.1f}"


def _below_threshold(runs: Runs) -> str:
    middle, high = (runs[at(HPCC, gbps)].summary["bdp_bytes"] for gbps in _RATES)
    return (
        "Windows keep HPCC and FNCC below PFC's threshold: two of them put at most one BDP into "
        f"the queue, {bytes_text(middle)} at 200 Gb/s and {bytes_text(high)} at 400 Gb/s, half of "
        "it through each port, and a port is paused at 500 KB. So the paper's HPCC, which pauses, "
        "had no window that holds packets back; without one see the paper's setting."
    )


_TWO_PORTS = (
    "The threshold of 500 KB is one ingress port's, and the elephants come in by two: below a "
    "queue of twice as much PFC pauses neither."
)


_CLAIMS = [_fewest(gbps) for gbps in _RATES]
_PANELS = {"pauses": _chart("Pause frames sent by the congested switch")}

FIGURE = Figure(
    id="fig3",
    title="Pause frames at the congestion point",
    where="Fig. 3",
    setup="The runs of Fig. 1; the paper shows 200 and 400 Gb/s. RoCC is not among them, in the "
    f"paper neither. {ANY_START}",
    runs=lambda scale: _runs(),
    charts={**_PANELS, **paper_panels(_PANELS)},
    claims=[
        *_CLAIMS,
        *paper_claims(_CLAIMS, {claim.id: _TWO_PORTS for claim in _CLAIMS}),
    ],
)
