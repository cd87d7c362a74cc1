"""Figure 10 (c–h): as Figure 10 (a–b), at 200 and 400 Gb/s."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from incast.papers import panels
from incast.papers.claim import Claim
from incast.papers.explanation import Text
from incast.papers.figure import RunPlan, Runs
from incast.papers.restyled import from_low, second_dashed
from incast.present.units import bytes_text, percent_text, seconds_text

from incast_papers.fncc.algorithms import DCQCN, FNCC, FNCC_TABLE, HPCC, RIVALS, ROCC
from incast_papers.fncc.metrics import (
    converged_after,
    each,
    each_time,
    lowest,
    mean_queue,
    paper_claims,
    paper_panels,
    pauses,
    rate_steps,
    rates,
    reaction,
    shortest_queue,
    utilisation,
)
from incast_papers.fncc.networks import (
    CLOSE_UP,
    SHOWN,
    at,
    elephants_at,
    elephants_at_any_start,
    under_readings,
)
from incast_papers.fncc.words import WORDS

_RATES = (200, 400)


def _runs() -> dict[str, RunPlan]:
    labels = (*RIVALS, FNCC_TABLE)
    return under_readings(
        lambda reading: {
            **elephants_at(_RATES, labels, reading),
            **elephants_at_any_start(_RATES, labels, reading),
        }
    )


_STEPS = WORDS.text("never", "time", "share", "lowest")


def _steps_of_rocc(runs: Runs) -> str:
    """A remark on RoCC's first change of rate; empty if it is more than a tenth."""
    run = runs[at(ROCC, 400)]
    time, rate = rate_steps(run)[0]
    if rate <= 0.9 * 400e9:
        return ""
    lowest_rate = min(values.min() for _, values in rates(run).values())
    return _STEPS.format(
        time=seconds_text(time),
        share=percent_text(1 - rate / 400e9),
        lowest=f"{lowest_rate / 1e9:.0f} Gb/s",
    )


def _queue(label: str, gbps: int) -> Text:
    return lambda runs: bytes_text(mean_queue(runs[at(label, gbps)]))


def _queues_of_rocc(runs: Runs) -> str:
    return " and ".join(bytes_text(mean_queue(runs[at(ROCC, gbps)])) for gbps in _RATES)


def _pauses(gbps: int) -> Text:
    return lambda runs: f"{pauses(runs[at(ROCC, gbps)]):.0f}"


_VALUES: Mapping[str, Text] = {
    "steps_of_rocc": _steps_of_rocc,
    "queues_of_rocc": _queues_of_rocc,
    "back_after": lambda runs: seconds_text(converged_after(runs[at(DCQCN, 400)])),
    **{f"pauses_at_{gbps}": _pauses(gbps) for gbps in _RATES},
    **{f"queue_of_dcqcn_at_{gbps}": _queue(DCQCN, gbps) for gbps in _RATES},
    **{f"queue_of_fncc_at_{gbps}": _queue(FNCC, gbps) for gbps in _RATES},
}
"""Numbers in remarks."""


def _of_all(gbps: int) -> list[str]:
    return [at(label, gbps) for label in RIVALS]


def _first(gbps: int) -> Claim:
    labels = _of_all(gbps)
    return WORDS.claim(
        f"F07-reaction-{gbps}",
        measure=each_time(reaction, *labels),
        holds=lowest(labels[0], labels[1:]),
        show=seconds_text,
        values=_VALUES,
    )


def _converges(gbps: int) -> Claim:
    labels = _of_all(gbps)
    fncc, hpcc = labels[:2]
    return WORDS.claim(
        f"F07-converge-{gbps}",
        measure=each_time(converged_after, *labels),
        holds=lowest(fncc, labels[1:]),
        trend=lambda values: values[fncc] <= values[hpcc] < np.inf,
        show=seconds_text,
    )


def _busiest(gbps: int) -> Claim:
    labels = _of_all(gbps)
    fncc, hpcc = labels[:2]
    return WORDS.claim(
        f"F08-{gbps}",
        measure=each(utilisation, *labels, at(FNCC_TABLE, gbps)),
        holds=lambda values: all(values[fncc] > values[other] for other in labels[1:]),
        trend=lambda values: values[fncc] > values[hpcc],
        show=percent_text,
        values=_VALUES,
    )


def _panels() -> dict[str, panels.Panel]:
    found: dict[str, panels.Panel] = {}
    for (queue, rate, busy), gbps in zip((("c", "d", "g"), ("e", "f", "h")), _RATES, strict=True):
        names = {at(label, gbps): label for label in RIVALS}
        found[f"{queue}-queue-{gbps}"] = panels.port_queue(
            f"({queue}) Queue at {gbps} Gb/s", names, between=SHOWN
        )
        found[f"{rate}-rates-{gbps}"] = second_dashed(
            panels.sender_rates(f"({rate}) Rates at {gbps} Gb/s", names, between=SHOWN)
        )
        found[f"{busy}-utilisation-{gbps}"] = from_low(
            panels.port_utilisation(
                f"({busy}) Utilisation at {gbps} Gb/s",
                {**names, at(FNCC_TABLE, gbps): FNCC_TABLE},
                between=SHOWN,
            ),
            0.5,
        )
    return found


def _close() -> dict[str, panels.Panel]:
    """Panels of the period in which FNCC and HPCC differ, without the other algorithms."""
    found: dict[str, panels.Panel] = {}
    for (queue, rate), gbps in zip((("c", "d"), ("e", "f")), _RATES, strict=True):
        names = {at(label, gbps): label for label in (FNCC, HPCC)}
        only = f"at {gbps} Gb/s, FNCC and HPCC only"
        found[f"{queue}-queue-{gbps}-close"] = panels.port_queue(
            f"({queue}) Queue {only}", names, between=CLOSE_UP
        )
        found[f"{rate}-rates-{gbps}-close"] = second_dashed(
            panels.sender_rates(f"({rate}) Rates {only}", names, between=CLOSE_UP)
        )
    return found


_CLAIMS = [
    claim
    for gbps in _RATES
    for claim in (
        shortest_queue(f"F07-queue-{gbps}", gbps, _VALUES),
        _first(gbps),
        _converges(gbps),
        _busiest(gbps),
    )
]
_PANELS = _panels()

FIGURE = WORDS.figure(
    "fig10c",
    runs=lambda scale: _runs(),
    charts={**_PANELS, **_close(), **paper_panels(_PANELS)},
    claims=[
        *_CLAIMS,
        *paper_claims(_CLAIMS, _VALUES),
    ],
)
