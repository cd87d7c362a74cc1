"""Fig. 6.13: effective bandwidth of reads, writes and all-reduces among 128 endpoints."""

from __future__ import annotations

from incast.papers.framework.claim import Claim, Values
from incast.papers.framework.paper import Figure
from incast.papers.threecpo.algorithms import BASELINE, PRINTED, TUNED
from incast.papers.threecpo.metrics import BANDWIDTH, bandwidth, by_scheme, by_workload
from incast.papers.threecpo.networks import (
    SYMMETRIC,
    SYMMETRIC_SCHEMES,
    at_workload,
    symmetric_workloads,
)

_PAPERS = (BASELINE, TUNED, PRINTED)


def _equal(values: Values) -> bool:
    of_three = [values[scheme] for scheme in _PAPERS]
    return max(of_three) <= 1.05 * min(of_three)


def _in_order(values: Values) -> bool:
    return values[BASELINE] <= 0.75 * values[TUNED] and 0.9 <= values[PRINTED] / values[TUNED] <= 1


FIGURE = Figure(
    id="fig6_13",
    title="Reads, writes and all-reduces of 128 endpoints: effective bandwidth",
    where="Dissertation, Fig. 6.13, §6.3.3",
    setup="128 endpoints, each with 128 reads, 128 writes, or 128 transactions, from cycle 0; a "
    "window of 5.",
    runs=symmetric_workloads,
    scaled="32 operations or transactions, 1 seed instead of 3",
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
        Claim(
            "G16",
            "reads alone: the three schemes have nearly the same effective bandwidth",
            claimed="nearly the same",
            metric="effective bandwidth, flits per cycle and endpoint",
            measure=lambda runs: by_scheme(runs, "reads", bandwidth),
            holds=_equal,
            tolerance="5 % between no control, window and 3CPO",
        ),
        Claim(
            "G18",
            "writes alone: the same effective bandwidth",
            claimed="the same",
            metric="effective bandwidth, flits per cycle and endpoint",
            measure=lambda runs: by_scheme(runs, "writes", bandwidth),
            holds=_equal,
            tolerance="5 % between no control, window and 3CPO",
        ),
        Claim(
            "G20",
            "all-reduce: no control suffers; 3CPO is slightly below the window",
            claimed="suffers; slightly lower",
            metric="effective bandwidth, flits per cycle and endpoint",
            measure=lambda runs: by_scheme(runs, "all-reduce", bandwidth),
            holds=_in_order,
            trend=lambda values: values[BASELINE] < values[PRINTED] < values[TUNED],
            tolerance="no control at most 3/4 of the window's, 3CPO within 10 % below it; as a "
            "trend, their order",
            full_only=True,
            explanation="The start-up of G01: what each endpoint sends before it hears of others. "
            "Repaired, it is gone.",
        ),
    ],
)
