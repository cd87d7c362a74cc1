"""Figure 2: under HPCC, flows that start last finish first."""

from __future__ import annotations

from incast.measures import finish_slope
from incast.papers import panels
from incast.papers.conditions import at_most
from incast.papers.fairness.judging import each, trend_gone
from incast.papers.fairness.scenarios import stars
from incast.papers.fairness.variants import HPCC, HPCC_1G
from incast.papers.paper import Claim, Figure

FIGURE = Figure(
    id="fig2",
    title="Start and finish of 16 flows, HPCC",
    where="Fig. 2; dissertation Fig. 3.3",
    setup="The runs of Fig. 1.",
    runs=lambda scale: stars(HPCC, HPCC_1G),
    charts={"finish": panels.finish("Finish over start, HPCC")},
    claims=[
        Claim(
            "A01",
            "under HPCC flows that start last finish first",
            claimed="finish falls with start",
            measure=each(finish_slope, HPCC),
            holds=at_most(-1),
            tolerance="slope of finish over start at most −1, a µs sooner for each µs later: a "
            "flatter line would not be called a trend",
        ),
        Claim(
            "A03",
            "with an additive increase of 1 Gb/s the trend is gone",
            claimed="flat",
            measure=each(finish_slope, HPCC, HPCC_1G),
            holds=trend_gone(HPCC, HPCC_1G),
            tolerance="no steeper downwards than a quarter of the default's slope: 'eliminates' "
            "leaves no more than that",
        ),
    ],
)
