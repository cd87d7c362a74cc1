"""Figure 10 (c–h): the same at 200 and 400 Gb/s."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from incast.papers.fncc.algorithms import DCQCN, FNCC, FNCC_TABLE, HPCC, RIVALS, ROCC
from incast.papers.fncc.metrics import (
    LOCKED,
    UNTIL,
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
from incast.papers.fncc.networks import (
    ANY_START,
    CLOSE_UP,
    SHOWN,
    at,
    elephants_at,
    elephants_at_any_start,
    under_readings,
)
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim
from incast.papers.framework.paper import Figure, RunPlan, Runs
from incast.papers.framework.restyled import from_low, second_dashed
from incast.present.units import bytes_text, percent_text, seconds_text

_RATES = (200, 400)


def _runs() -> dict[str, RunPlan]:
    labels = (*RIVALS, FNCC_TABLE)
    return under_readings(
        lambda reading: {
            **elephants_at(_RATES, labels, reading),
            **elephants_at_any_start(_RATES, labels, reading),
        }
    )


def _rocc_paused(runs: Runs) -> str:
    middle, high = (runs[at(ROCC, gbps)] for gbps in _RATES)
    queues = [bytes_text(mean_queue(run)) for run in (middle, high)]
    return (
        "RoCC beyond 100 Gb/s: no parameters are published, those of 100 Gb/s are scaled, and then "
        f"PFC keeps its queue, with {pauses(middle):.0f} pause frames at 200 Gb/s and "
        f"{pauses(high):.0f} at 400 Gb/s: {' and '.join(queues)} on average, at 400 Gb/s below the "
        "1.2 MB that it aims at. RoCC's own paper has PFC at 800 KB for 100 Gb/s, this network has "
        "it at 500 KB."
    )


def _never(runs: Runs) -> str:
    run = runs[at(ROCC, 400)]
    time, rate = rate_steps(run)[0]
    if rate <= 0.9 * 400e9:
        # Its first step is one of more than a tenth.
        return ""
    lowest_rate = min(values.min() for _, values in rates(run).values())
    return (
        "RoCC slows down by a tenth late, or never: its first step at 400 Gb/s is at "
        f"{seconds_text(time)}, by {percent_text(1 - rate / 400e9)}, and its lowest rate "
        f"{lowest_rate / 1e9:.0f} Gb/s."
    )


def _both_marked(runs: Runs) -> str:
    when = seconds_text(converged_after(runs[at(DCQCN, 400)]))
    return (
        "DCQCN marks both elephants in the same queue: they halve their rates at the same moments, "
        f"from the same line rate, and are back near half the link after {when}."
    )


def _long_queue(gbps: int) -> Callable[[Runs], str]:
    def told(runs: Runs) -> str:
        dcqcn, fncc = (bytes_text(mean_queue(runs[at(label, gbps)])) for label in (DCQCN, FNCC))
        return f"DCQCN keeps the link busy by its queue, {dcqcn} on average beside FNCC's {fncc}."

    return told


def _of_all(gbps: int) -> list[str]:
    return [at(label, gbps) for label in RIVALS]


def _first(gbps: int) -> Claim:
    labels = _of_all(gbps)
    return Claim(
        f"F07-reaction-{gbps}",
        f"at {gbps} Gb/s FNCC is the first to slow down",
        claimed="first",
        measure=each_time(reaction, *labels),
        holds=lowest(labels[0], labels[1:]),
        tolerance="none: before all others",
        metric="time to the first slow-down",
        show=seconds_text,
        note=_never,
    )


def _converges(gbps: int) -> Claim:
    labels = _of_all(gbps)
    fncc, hpcc = labels[:2]
    return Claim(
        f"F07-converge-{gbps}",
        f"at {gbps} Gb/s FNCC is the first to converge to a fair rate",
        claimed="first",
        measure=each_time(converged_after, *labels),
        holds=lowest(fncc, labels[1:]),
        trend=lambda values: values[fncc] <= values[hpcc] < np.inf,
        tolerance=f"none: before all others; {UNTIL}. As a trend, not after HPCC",
        metric="time to converge",
        show=seconds_text,
        explanation=LOCKED,
    )


def _busiest(gbps: int) -> Claim:
    labels = _of_all(gbps)
    fncc, hpcc = labels[:2]
    return Claim(
        f"F08-{gbps}",
        f"at {gbps} Gb/s FNCC keeps the congested link busiest",
        claimed="highest",
        measure=each(utilisation, *labels, at(FNCC_TABLE, gbps)),
        holds=lambda values: all(values[fncc] > values[other] for other in labels[1:]),
        trend=lambda values: values[fncc] > values[hpcc],
        tolerance="none: above all others, from the second elephant's start to 1 ms; as a trend, "
        "above HPCC",
        metric="utilisation",
        show=percent_text,
        explanation="DCQCN and RoCC keep links busy by long queues.",
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
    """Where FNCC and HPCC part, without the others."""
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


_OF_ROCC = {"F07-queue-200", "F07-queue-400", "F08-200", "F08-400"}
"""Rows that RoCC decides, or could."""
_CLAIMS = [
    claim
    for gbps in _RATES
    for claim in (
        shortest_queue(f"F07-queue-{gbps}", gbps),
        _first(gbps),
        _converges(gbps),
        _busiest(gbps),
    )
]
_PANELS = _panels()

FIGURE = Figure(
    id="fig10c",
    title="Queue, reaction and utilisation with two elephants at higher rates",
    where="Fig. 10c–h",
    setup=f"The network of Fig. 1 at 200 and 400 Gb/s, and RoCC too. {ANY_START}",
    runs=lambda scale: _runs(),
    charts={**_PANELS, **_close(), **paper_panels(_PANELS)},
    claims=[
        *(
            replace(claim, note=_rocc_paused) if claim.id in _OF_ROCC else claim
            for claim in _CLAIMS
        ),
        *paper_claims(
            _CLAIMS,
            {
                "F07-converge-400": _both_marked,
                **{f"F08-{gbps}": _long_queue(gbps) for gbps in _RATES},
            },
        ),
    ],
)
