"""Beyond the paper: FNCC with Variable AI and Sampling Frequency, which no paper has tried."""

from __future__ import annotations

from collections.abc import Callable

from incast.measure.run import Run
from incast.papers.fncc.algorithms import FNCC, FNCC_VAI_SF, HPCC
from incast.papers.fncc.metrics import Statistic, mean_share, peak, percentile, slowdown
from incast.papers.fncc.networks import (
    LOADS_SCALED,
    SHOWN,
    at,
    elephants,
    joining,
    tree,
    trees,
)
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.restyled import second_dashed
from incast.papers.framework.seeds import average
from incast.papers.framework.tolerances import falls_to
from incast.present.units import bytes_text, ratio_text

_LABELS = (FNCC, FNCC_VAI_SF, HPCC)
_WHERE = "not in the paper"


def _runs(scale: Scale) -> dict[str, RunPlan]:
    planned = {at(label, 100): elephants(label) for label in _LABELS}
    planned |= {f"{label}, joining": joining(label, scale) for label in _LABELS}
    for sizes in ("web-search", "fb-hadoop"):
        for label in _LABELS:
            planned |= trees(label, sizes, scale)
    return planned


def _slowdowns(
    sizes: str, statistic: Statistic, *, above: float = 0, up_to: float = float("inf")
) -> Callable[[Runs], Measured]:
    def of_run(run: Run) -> float:
        return slowdown(run, statistic, above=above, up_to=up_to)

    return lambda runs: {label: average(runs, tree(label, sizes), of_run) for label in _LABELS}


def _not_worse(values: Values) -> bool:
    return values[FNCC_VAI_SF] <= 1.1 * values[FNCC]


def _long_tail(number: str, name: str, sizes: str) -> Claim:
    return Claim(
        number,
        f"Variable AI and Sampling Frequency lower FNCC's tail of flows above 1 MB, {name}",
        claimed="a fifth lower (ours)",
        metric="p99 of the slowdown above 1 MB",
        measure=_slowdowns(sizes, percentile(99), above=1e6),
        holds=falls_to(0.8, below=FNCC, labels=[FNCC_VAI_SF]),
        trend=lambda values: values[FNCC_VAI_SF] < values[FNCC],
        tolerance="p99 of the slowdown at most four fifths; as a trend, lower",
        kind=Kind.OURS,
        full_only=True,
        show=ratio_text,
    )


def _short_tail(number: str, name: str, sizes: str) -> Claim:
    return Claim(
        number,
        f"flows up to 100 KB do not pay for it, {name}",
        claimed="not worse (ours)",
        metric="p99 of the slowdown up to 100 KB",
        measure=_slowdowns(sizes, percentile(99), up_to=100e3),
        holds=_not_worse,
        tolerance="p99 of the slowdown at most a tenth larger",
        kind=Kind.OURS,
        full_only=True,
        show=ratio_text,
    )


FIGURE = Figure(
    id="vai_sf",
    title="FNCC with Variable AI and Sampling Frequency",
    where=_WHERE,
    setup="FNCC takes the parts that make HPCC share sooner. The runs of Figs. 10, 13e, 14 and 15. "
    "What is claimed here is our expectation, fixed before the runs: what the parts do for HPCC.",
    scaled=LOADS_SCALED,
    runs=_runs,
    charts={
        "queue": panels.port_queue(
            "Queue with two elephants, 100 Gb/s",
            {at(label, 100): label for label in _LABELS},
            between=SHOWN,
        ),
        "rates": second_dashed(
            panels.sender_rates(
                "Rates with two elephants, 100 Gb/s",
                {at(label, 100): label for label in _LABELS},
                between=SHOWN,
            )
        ),
        "jain": panels.jain(
            "Jain's index, four flows that join and leave",
            renamed={f"{label}, joining": label for label in _LABELS},
        ),
    },
    claims=[
        Claim(
            "V01",
            "four flows that join and leave share no worse",
            claimed="not worse (ours)",
            metric="mean Jain's index",
            measure=lambda runs: {
                label: mean_share(runs[f"{label}, joining"]) for label in _LABELS
            },
            holds=lambda values: values[FNCC_VAI_SF] >= values[FNCC] - 0.01,
            tolerance="mean Jain's index at most 0.01 lower",
            kind=Kind.OURS,
            show=lambda value: f"{value:.4f}",
        ),
        Claim(
            "V02",
            "the queue of two elephants is no deeper",
            claimed="not deeper (ours)",
            metric="peak of the queue",
            measure=lambda runs: {label: peak(runs[at(label, 100)]) for label in _LABELS},
            holds=_not_worse,
            tolerance="peak at most a tenth higher",
            kind=Kind.OURS,
            show=bytes_text,
        ),
        _long_tail("V03-web", "web search", "web-search"),
        _long_tail("V03-hadoop", "Hadoop", "fb-hadoop"),
        _short_tail("V04-web", "web search", "web-search"),
        _short_tail("V04-hadoop", "Hadoop", "fb-hadoop"),
    ],
)
