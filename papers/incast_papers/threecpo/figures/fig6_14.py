"""Fig. 6.14: mean latency of reads, writes and all-reduces among 128 endpoints."""

from __future__ import annotations

from incast.papers.claim import Values
from incast.papers.seeds import average

from incast_papers.threecpo.algorithms import BASELINE, PRINTED, REPAIRED, TUNED
from incast_papers.threecpo.metrics import (
    LATENCY,
    by_scheme,
    by_workload,
    cycles_text,
    longest,
    mean,
)
from incast_papers.threecpo.networks import (
    SYMMETRIC,
    SYMMETRIC_SCHEMES,
    at_workload,
    symmetric_workloads,
)
from incast_papers.threecpo.words import WORDS

_PRINTED_READS = {BASELINE: 140_000, TUNED: 5_600, PRINTED: 1_800}


def _as_printed(values: Values) -> bool:
    return all(abs(values[scheme] / cycles - 1) <= 0.1 for scheme, cycles in _PRINTED_READS.items())


FIGURE = WORDS.figure(
    "fig6_14",
    runs=symmetric_workloads,
    charts={
        "mean": by_workload(
            "Mean latency", LATENCY, tuple(SYMMETRIC), SYMMETRIC_SCHEMES, at_workload, mean
        ),
        "longest": by_workload(
            "Longest latency", LATENCY, tuple(SYMMETRIC), SYMMETRIC_SCHEMES, at_workload, longest
        ),
    },
    claims=[
        WORDS.claim(
            "G17",
            measure=lambda runs: by_scheme(runs, "reads", mean),
            holds=_as_printed,
            trend=lambda values: (
                abs(values[TUNED] / 5_600 - 1) <= 0.1 and values[PRINTED] < 0.5 * values[BASELINE]
            ),
            show=cycles_text,
        ),
        WORDS.claim(
            "G19",
            measure=lambda runs: by_scheme(runs, "writes", mean),
            holds=lambda values: max(values[TUNED], values[PRINTED]) <= 0.2 * values[BASELINE],
            trend=lambda values: max(values[TUNED], values[PRINTED]) < values[BASELINE],
            show=cycles_text,
        ),
        WORDS.claim(
            "T05",
            measure=lambda runs: {
                workload: average(runs, at_workload(workload, REPAIRED), mean)
                for workload in SYMMETRIC
            },
            holds=lambda values: all(each <= 5_600 for each in values.values()),
            show=cycles_text,
        ),
    ],
)
