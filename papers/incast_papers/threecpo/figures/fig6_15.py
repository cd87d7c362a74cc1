"""Fig. 6.15: effective bandwidth with initiators that change."""

from __future__ import annotations

from incast.papers.claim import Measured
from incast.papers.figure import Runs
from incast.papers.seeds import average, of

from incast_papers.threecpo.algorithms import BASELINE, PRINTED, REPAIRED, TUNED
from incast_papers.threecpo.metrics import (
    BANDWIDTH,
    bandwidth,
    by_scheme,
    by_workload,
    mean_initiators,
)
from incast_papers.threecpo.networks import (
    DYNAMIC,
    SYMMETRIC_SCHEMES,
    at_workload,
    dynamic_workloads,
)
from incast_papers.threecpo.words import WORDS

_MULTICAST, _ = DYNAMIC


def _random(runs: Runs) -> Measured:
    return by_scheme(runs, _MULTICAST, bandwidth)


def _sending(runs: Runs) -> str:
    """The mean number of endpoints with operations under way, until the first endpoint has
    finished.
    """
    return f"{average(runs, at_workload(_MULTICAST, TUNED), mean_initiators).mean:.0f}"


def _endpoints(runs: Runs) -> str:
    return str(of(runs, at_workload(_MULTICAST, TUNED))[0].summary["endpoints"])


FIGURE = WORDS.figure(
    "fig6_15",
    runs=dynamic_workloads,
    charts={
        "bandwidth": by_workload(
            "Effective bandwidth",
            BANDWIDTH,
            tuple(DYNAMIC),
            SYMMETRIC_SCHEMES,
            at_workload,
            bandwidth,
        )
    },
    claims=[
        WORDS.claim(
            "G21",
            measure=_random,
            holds=lambda values: values[PRINTED] >= max(values[BASELINE], values[TUNED]),
            trend=lambda values: values[PRINTED] >= 0.95 * values[TUNED],
            values={"sending": _sending, "endpoints": _endpoints},
        ),
        WORDS.claim(
            "T06",
            measure=_random,
            holds=lambda values: values[REPAIRED] >= max(values[PRINTED], values[TUNED]),
            trend=lambda values: values[REPAIRED] >= 0.95 * max(values[PRINTED], values[TUNED]),
        ),
    ],
)
