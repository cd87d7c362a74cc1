"""Figure 1: Jain's index and queue of a staggered incast; what a larger additive increase buys."""

from __future__ import annotations

from incast.measures import fair_after, queue_mean, queue_oscillation
from incast.papers import panels
from incast.papers.conditions import at_least, falls_to
from incast.papers.fairness.judging import SEVERAL_HUNDRED_US, each
from incast.papers.fairness.scenarios import stars
from incast.papers.fairness.variants import HPCC, HPCC_1G
from incast.papers.paper import Claim, Figure, Kind
from incast.quantities import bytes_text, seconds_text

FIGURE = Figure(
    id="fig1",
    title="Fairness and queue of 16 flows to one host",
    where="Fig. 1; dissertation Fig. 3.5",
    setup="16 hosts send 1 MB each to a 17th over one switch, 100 Gb/s, 1 µs a link; two start "
    "every 20 µs.",
    runs=lambda scale: stars(HPCC, HPCC_1G),
    charts={
        "a-jain-hpcc": panels.jain("(a) Jain's index, HPCC", HPCC, HPCC_1G),
        "b-queue-hpcc": panels.queue("(b) Queue, HPCC", HPCC, HPCC_1G),
    },
    claims=[
        Claim(
            "A07",
            "HPCC with its default parameters takes several hundred µs until rates are fair",
            claimed="several hundred µs",
            measure=each(fair_after, HPCC),
            holds=at_least(SEVERAL_HUNDRED_US),
            tolerance="at least 300 µs from the last arrival until Jain's index stays ≥ 0.95: "
            "the text gives no more than the order",
            kind=Kind.TREND,
            show=seconds_text,
        ),
        Claim(
            "A09-hpcc",
            "HPCC becomes fair sooner with an additive increase of 1 Gb/s",
            claimed="sooner",
            measure=each(fair_after, HPCC, HPCC_1G),
            holds=falls_to(0.8, below=HPCC, labels=[HPCC_1G]),
            tolerance="at least 20 % sooner: less could be an accident of one run",
            show=seconds_text,
        ),
        Claim(
            "A10-hpcc",
            "with 1 Gb/s the queue under HPCC swings more than by default",
            claimed="larger oscillations",
            measure=each(queue_oscillation, HPCC, HPCC_1G),
            holds=lambda values: values[HPCC_1G] >= 1.2 * values[HPCC],
            tolerance="standard deviation at least 20 % larger, from 100 µs after the last arrival "
            "to the first finish",
            show=bytes_text,
        ),
        Claim(
            "A14-queue",
            "a larger additive increase means a longer queue",
            where="§III-A",
            claimed="longer",
            measure=each(queue_mean, HPCC, HPCC_1G),
            holds=lambda values: values[HPCC_1G] > values[HPCC],
            tolerance="none: a direction; mean queue from 100 µs after the last arrival to the "
            "first finish",
            kind=Kind.TREND,
            show=bytes_text,
        ),
    ],
)
