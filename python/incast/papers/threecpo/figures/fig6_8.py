"""Fig. 6.8: multicast control alone resolves congestion; the watermark stays."""

from __future__ import annotations

from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.paper import Figure
from incast.papers.threecpo.metrics import CALM, CONGESTED, algorithm_6, watermarks

_PROBES = [(CONGESTED, 73.33), (CALM, 66.67)]


def _measure(_: object) -> Values:
    (first, equivalent), (second, _) = algorithm_6(_PROBES)
    return {"wm_eq": equivalent, "WM after it": first, "WM at the end": second}


FIGURE = Figure(
    id="fig6_8",
    title="Congestion that multicast control resolves",
    where="Dissertation, Fig. 6.8, §6.2.4",
    setup="Algorithm 6 alone: WM = WM_MAX = 100, a round trip of 5,000 cycles in which matching "
    "took tokens worth a watermark of 73.33, then one of 1,000 cycles.",
    charts={"watermark": watermarks("Watermark by round trip", _PROBES)},
    claims=[
        Claim(
            "G29",
            "73.33 > 50, so the watermark stays, and the congestion is gone",
            claimed="73.33 > 0.5 · 100: no change",
            metric="watermark and wm_eq of Algorithm 6",
            measure=_measure,
            holds=lambda values: (
                abs(values["wm_eq"] - 73.33) <= 0.01
                and values["WM after it"] == values["WM at the end"] == 100
            ),
            tolerance="none: exact",
            kind=Kind.THEORY,
        )
    ],
)
