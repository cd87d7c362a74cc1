"""Fig. 6.13: effective bandwidth of reads, writes and all-reduces among 128 endpoints."""

from __future__ import annotations

from incast.papers.claim import Values

from incast_papers.threecpo.algorithms import BASELINE, PRINTED, TUNED
from incast_papers.threecpo.metrics import BANDWIDTH, bandwidth, by_scheme, by_workload
from incast_papers.threecpo.networks import (
    SYMMETRIC,
    SYMMETRIC_SCHEMES,
    at_workload,
    symmetric_workloads,
)
from incast_papers.threecpo.words import WORDS

_PAPERS = (BASELINE, TUNED, PRINTED)


def _equal(values: Values) -> bool:
    of_three = [values[scheme] for scheme in _PAPERS]
    return max(of_three) <= 1.05 * min(of_three)


def _in_order(values: Values) -> bool:
    return values[BASELINE] <= 0.75 * values[TUNED] and 0.9 <= values[PRINTED] / values[TUNED] <= 1


FIGURE = WORDS.figure(
    "fig6_13",
    runs=symmetric_workloads,
    charts={
        "bandwidth": by_workload(
            "Effective bandwidth",
            BANDWIDTH,
            tuple(SYMMETRIC),
            SYMMETRIC_SCHEMES,
            at_workload,
            bandwidth,
        )
    },
    claims=[
        WORDS.claim(
            "G16",
            measure=lambda runs: by_scheme(runs, "reads", bandwidth),
            holds=_equal,
        ),
        WORDS.claim(
            "G18",
            measure=lambda runs: by_scheme(runs, "writes", bandwidth),
            holds=_equal,
        ),
        WORDS.claim(
            "G20",
            measure=lambda runs: by_scheme(runs, "all-reduce", bandwidth),
            holds=_in_order,
            trend=lambda values: values[BASELINE] < values[PRINTED] < values[TUNED],
        ),
    ],
)
