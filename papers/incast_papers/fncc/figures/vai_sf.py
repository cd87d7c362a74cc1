"""Beyond the paper: FNCC with Variable AI and Sampling Frequency, a combination that no paper has
tested.
"""

from __future__ import annotations

from collections.abc import Callable

from incast.measure.run import Run
from incast.papers import panels
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.restyled import second_dashed
from incast.papers.seeds import average
from incast.papers.tolerances import falls_to
from incast.present.units import bytes_text, ratio_text

from incast_papers.fncc.algorithms import FNCC, FNCC_VAI_SF, HPCC
from incast_papers.fncc.metrics import Statistic, mean_share, peak, percentile, slowdown
from incast_papers.fncc.networks import (
    SHOWN,
    at,
    elephants,
    joining,
    tree,
    trees,
)
from incast_papers.fncc.words import WORDS

_LABELS = (FNCC, FNCC_VAI_SF, HPCC)


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


def _long_tail(number: str, sizes: str) -> Claim:
    return WORDS.claim(
        number,
        measure=_slowdowns(sizes, percentile(99), above=1e6),
        holds=falls_to(0.8, below=FNCC, labels=[FNCC_VAI_SF]),
        trend=lambda values: values[FNCC_VAI_SF] < values[FNCC],
        show=ratio_text,
    )


def _short_tail(number: str, sizes: str) -> Claim:
    return WORDS.claim(
        number,
        measure=_slowdowns(sizes, percentile(99), up_to=100e3),
        holds=_not_worse,
        show=ratio_text,
    )


FIGURE = WORDS.figure(
    "vai_sf",
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
        WORDS.claim(
            "V01",
            measure=lambda runs: {
                label: mean_share(runs[f"{label}, joining"]) for label in _LABELS
            },
            holds=lambda values: values[FNCC_VAI_SF] >= values[FNCC] - 0.01,
            show=lambda value: f"{value:.4f}",
        ),
        WORDS.claim(
            "V02",
            measure=lambda runs: {label: peak(runs[at(label, 100)]) for label in _LABELS},
            holds=_not_worse,
            show=bytes_text,
        ),
        _long_tail("V03-web", "web-search"),
        _long_tail("V03-hadoop", "fb-hadoop"),
        _short_tail("V04-web", "web-search"),
        _short_tail("V04-hadoop", "fb-hadoop"),
    ],
)
