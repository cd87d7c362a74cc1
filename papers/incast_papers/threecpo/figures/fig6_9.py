"""Fig. 6.9: congestion persists, and the watermark falls."""

from __future__ import annotations

from incast.papers.claim import Values

from incast_papers.threecpo.metrics import CALM, CONGESTED, algorithm_6, watermarks
from incast_papers.threecpo.words import WORDS

_PROBES = [(CONGESTED, 73.33), (CONGESTED, 66.67), (CALM, 60.0)]


def _measure(_: object) -> Values:
    (first, before), (second, after), _ = algorithm_6(_PROBES)
    return {"WM after the first": first, "change of wm_eq": after - before, "WM then": second}


FIGURE = WORDS.figure(
    "fig6_9",
    charts={"watermark": watermarks("Watermark by round trip", _PROBES)},
    claims=[
        WORDS.claim(
            "G29-persists",
            measure=_measure,
            holds=lambda values: (
                values["WM after the first"] == 100
                and abs(values["change of wm_eq"] + 6.67) <= 0.02
                and values["WM then"] < 100
            ),
        )
    ],
)
