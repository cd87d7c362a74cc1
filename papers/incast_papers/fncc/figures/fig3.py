"""Figure 3: pause frames at the congestion point."""

from __future__ import annotations

import numpy as np
from incast.papers.claim import Claim, Values
from incast.papers.explanation import Text
from incast.papers.figure import RunPlan, Runs
from incast.papers.panels import Panel
from incast.papers.tolerances import both
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import bytes_text, count_text

from incast_papers.fncc.algorithms import DCQCN, FNCC, FNCC_TABLE, HPCC
from incast_papers.fncc.metrics import each, lowest, paper_claims, paper_panels, pauses
from incast_papers.fncc.networks import (
    at,
    elephants_at,
    elephants_at_any_start,
    under_readings,
)
from incast_papers.fncc.words import WORDS

_RATES = (200, 400)
_DRAWN = (100, *_RATES)
_LABELS = (FNCC, HPCC, DCQCN)
_ALL = (*_LABELS, FNCC_TABLE)
_APART = 0.15
"""Horizontal distance between two algorithms' points at a link rate, whose range on the axis is −½
to ½.
"""


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

    return WORDS.claim(
        f"F09-{gbps}",
        measure=each(pauses, fncc, hpcc, dcqcn, table),
        holds=lowest(fncc, (hpcc, dcqcn)),
        trend=both(lowest(fncc, (dcqcn,)), no_more),
        show=_frames,
        values={f"bdp_{each}": _bdp(each) for each in _RATES},
    )


def _frames(count: float) -> str:
    """A count as text; a mean has one decimal."""
    return count_text(count) if count == int(count) else f"{count:.1f}"


def _bdp(gbps: int) -> Text:
    return lambda runs: bytes_text(runs[at(HPCC, gbps)].summary["bdp_bytes"])


_CLAIMS = [_fewest(gbps) for gbps in _RATES]
_PANELS = {"pauses": _chart("Pause frames sent by the congested switch")}

FIGURE = WORDS.figure(
    "fig3",
    runs=lambda scale: _runs(),
    charts={**_PANELS, **paper_panels(_PANELS)},
    claims=[
        *_CLAIMS,
        *paper_claims(_CLAIMS),
    ],
)
