"""Fig. 6.3: mean and longest latency of an all-reduce without control, with windows, with AIMD."""

from __future__ import annotations

from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure
from incast.papers.framework.tolerances import at_most, close_to
from incast.papers.threecpo.algorithms import AIMD, BASELINE, STATIC_64, TUNED
from incast.papers.threecpo.metrics import (
    LATENCY,
    cycles_text,
    longest,
    mean,
    over_initiators,
    values,
)
from incast.papers.threecpo.networks import point, varied_initiators

FIGURE = Figure(
    id="fig6_3",
    title="Latency of an all-reduce, by initiators",
    where="Dissertation, Fig. 6.3, §6.1.4",
    setup="The runs of Fig. 6.2. Latency is counted from the request's injection.",
    scaled="1 seed instead of 3",
    runs=varied_initiators,
    charts={
        "latency": over_initiators(
            "Latency",
            (BASELINE, TUNED, STATIC_64, AIMD),
            LATENCY,
            {"mean": mean, "longest": longest},
        )
    },
    claims=[
        Claim(
            "G05",
            "with 64 initiators and a tuned window the tail is below 5,000 cycles",
            claimed="< 5,000",
            metric="longest latency of all operations, cycles",
            measure=lambda runs: values(runs, {"": point(TUNED, 64)}, longest),
            holds=at_most(5000),
            tolerance="none; the longest of all operations",
            kind=Kind.NUMBER,
            show=cycles_text,
        ),
        Claim(
            "G06",
            "and the mean below 3,100",
            claimed="< 3,100",
            metric="mean latency of operations, cycles",
            measure=lambda runs: values(runs, {"": point(TUNED, 64)}, mean),
            holds=at_most(3100),
            tolerance="none: the bound of the text",
            kind=Kind.NUMBER,
            show=cycles_text,
            note="By Little's law a window of 3 has at most 3 · 640 = 1,920 cycles; 3,100 and "
            "5,000 are what a window of 5 has (see Table 6.1's scan).",
        ),
        Claim(
            "G07",
            "without control the tail is close to 70,000 cycles",
            claimed="about 70,000",
            metric="longest latency of all operations, cycles",
            measure=lambda runs: values(runs, {"": point(BASELINE, 64)}, longest),
            holds=close_to(70_000, 0.15),
            trend=lambda values: values[""] >= 10 * 5000,
            tolerance="15 %; as a trend, ten times what a window may have",
            kind=Kind.NUMBER,
            show=cycles_text,
            explanation="128 transactions of 64 initiators take 81,920 cycles where effective "
            "bandwidth is 1, and an operation may wait nearly as long: 70,000 would need a start "
            "that is less crowded, or a latency that is counted otherwise.",
        ),
    ],
)
