"""Fig. 6.9: congestion persists, and the watermark falls."""

from __future__ import annotations

from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.paper import Figure
from incast.papers.threecpo.metrics import CALM, CONGESTED, algorithm_6, watermarks

_PROBES = [(CONGESTED, 73.33), (CONGESTED, 66.67), (CALM, 60.0)]


def _measure(_: object) -> Values:
    (first, before), (second, after), _ = algorithm_6(_PROBES)
    return {"WM after the first": first, "change of wm_eq": after - before, "WM then": second}


FIGURE = Figure(
    id="fig6_9",
    title="Congestion that persists",
    where="Dissertation, Fig. 6.9, §6.2.4",
    setup="As Fig. 6.8, but the second round trip, too, has 5,000 cycles.",
    charts={"watermark": watermarks("Watermark by round trip", _PROBES)},
    claims=[
        Claim(
            "G29-persists",
            "-6.67 < 50, so the watermark falls in the second round trip",
            claimed="-6.67 < 0.5 · 100: decrease",
            metric="watermark and wm_eq of Algorithm 6",
            measure=_measure,
            holds=lambda values: (
                values["WM after the first"] == 100
                and abs(values["change of wm_eq"] + 6.67) <= 0.02
                and values["WM then"] < 100
            ),
            tolerance="that it falls: by how much, the figure does not say",
            kind=Kind.THEORY,
            note="By fbs · 0.5 · (100 - 66.67), as line 20 has it.",
        )
    ],
)
