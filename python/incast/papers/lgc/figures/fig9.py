"""Figure 9: round trips of incasts."""

from __future__ import annotations

from collections.abc import Callable

from incast.papers.framework.paper import Claim, Figure, Runs, Values
from incast.papers.lgc import metrics
from incast.papers.lgc.algorithms import DCTCP, LGC
from incast.papers.lgc.figures.fig7 import lower, queue_note
from incast.papers.lgc.metrics import rtt_percentile
from incast.papers.lgc.networks import COUNTS, incast_name, incasts, of
from incast.present.charts import Chart
from incast.present.units import seconds_text


def _rtts(runs: Runs) -> Values:
    return {
        incast_name(flows, label): rtt_percentile(of(runs, incast_name(flows, label)), 50)
        for flows in COUNTS
        for label in (LGC, DCTCP)
    }


def _rtt_panel(flows: int) -> Callable[[Runs], Chart]:
    labels = {incast_name(flows, label): label for label in (LGC, DCTCP)}
    return metrics.rtt_distribution(f"Round trips, {flows} flows", labels)


FIGURE = Figure(
    id="fig9",
    title="Round trips of incasts",
    where="Fig. 9, §VI-A3",
    setup="The runs of Fig. 7; without queues an RTT is 202.5 µs.",
    scaled="three seeds, 100 ms",
    runs=incasts(COUNTS, LGC, DCTCP),
    charts={"a-5-flows": _rtt_panel(5), "b-20-flows": _rtt_panel(20), "c-40-flows": _rtt_panel(40)},
    claims=[
        Claim(
            "L30",
            "LGC's round trips are significantly shorter than DCTCP's, with 5, 20 and 40 flows",
            claimed="significantly lower",
            measure=_rtts,
            holds=lower(DCTCP, 0.9, counts=3),
            trend=lower(DCTCP, 1.0, counts=2),
            tolerance="medians at least 10 % lower for each number of flows; as a trend, lower for "
            "two of three",
            show=seconds_text,
            note="Of whole runs, their beginnings included.",
            explanation=queue_note,
        )
    ],
)
