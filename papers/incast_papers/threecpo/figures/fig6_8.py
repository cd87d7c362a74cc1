"""Fig. 6.8: multicast control alone resolves congestion; the watermark does not change."""

from __future__ import annotations

from incast.papers.claim import Values

from incast_papers.threecpo.metrics import CALM, CONGESTED, algorithm_6, watermarks
from incast_papers.threecpo.words import WORDS

_PROBES = [(CONGESTED, 73.33), (CALM, 66.67)]


def _measure(_: object) -> Values:
    (first, equivalent), (second, _) = algorithm_6(_PROBES)
    return {"wm_eq": equivalent, "WM after it": first, "WM at the end": second}


FIGURE = WORDS.figure(
    "fig6_8",
    charts={"watermark": watermarks("Watermark by round trip", _PROBES)},
    claims=[
        WORDS.claim(
            "G29",
            measure=_measure,
            holds=lambda values: (
                abs(values["wm_eq"] - 73.33) <= 0.01
                and values["WM after it"] == values["WM at the end"] == 100
            ),
        )
    ],
)
