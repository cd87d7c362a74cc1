"""Fig. 6.16: mean latency with initiators that change."""

from __future__ import annotations

from incast.papers.claim import Measured
from incast.papers.figure import Runs
from incast.papers.seeds import average, ratio

from incast_papers.threecpo.algorithms import BASELINE, PRINTED, TUNED
from incast_papers.threecpo.metrics import (
    LATENCY,
    bandwidth,
    by_scheme,
    by_workload,
    cycles_text,
    mean_of_means,
)
from incast_papers.threecpo.networks import (
    DYNAMIC,
    SYMMETRIC_SCHEMES,
    at_workload,
    dynamic_workloads,
)
from incast_papers.threecpo.words import WORDS

_MULTICAST, _UNICAST = DYNAMIC


def _with_unicast(runs: Runs) -> Measured:
    """3CPO's bandwidth relative to the highest, and its latency relative to that of
    Random-Multicast.
    """
    printed = at_workload(_UNICAST, PRINTED)
    rivals = [at_workload(_UNICAST, scheme) for scheme in (BASELINE, TUNED)]
    best = max(rivals, key=lambda label: average(runs, label, bandwidth).mean)
    return {
        "bandwidth of the best": ratio(runs, printed, best, bandwidth),
        "latency of Random": ratio(runs, printed, at_workload(_MULTICAST, PRINTED), mean_of_means),
    }


FIGURE = WORDS.figure(
    "fig6_16",
    runs=dynamic_workloads,
    charts={
        "mean": by_workload(
            "Mean latency",
            LATENCY,
            tuple(DYNAMIC),
            SYMMETRIC_SCHEMES,
            at_workload,
            mean_of_means,
        )
    },
    claims=[
        WORDS.claim(
            "G22",
            measure=lambda runs: by_scheme(runs, _MULTICAST, mean_of_means),
            holds=lambda values: values[PRINTED] <= 0.2 * values[BASELINE],
            show=cycles_text,
        ),
        WORDS.claim(
            "G23",
            measure=_with_unicast,
            holds=lambda values: (
                values["bandwidth of the best"] >= 0.95 and values["latency of Random"] > 1
            ),
        ),
    ],
)
