"""Figure 1 (b–d): the queue at which two elephants meet, at three link rates."""

from __future__ import annotations

from incast.papers import panels
from incast.papers.claim import Claim
from incast.papers.figure import RunPlan
from incast.present.units import bytes_text

from incast_papers.fncc.algorithms import DCQCN, FNCC, HPCC, TABLES
from incast_papers.fncc.metrics import each, lowest, paper_claims, paper_panels, peak
from incast_papers.fncc.networks import (
    CLOSE_UP,
    SHOWN,
    at,
    elephants_at,
    elephants_at_any_start,
    under_readings,
)
from incast_papers.fncc.words import WORDS

_RATES = (100, 200, 400)
_LABELS = (FNCC, HPCC, DCQCN)


def _runs() -> dict[str, RunPlan]:
    return {
        **under_readings(lambda reading: elephants_at(_RATES, _LABELS, reading)),
        **under_readings(lambda reading: elephants_at_any_start(_RATES, _LABELS, reading)),
        **elephants_at_any_start(_RATES, TABLES),
    }


def _deeper(gbps: int) -> Claim:
    labels = [at(label, gbps) for label in _LABELS]
    return WORDS.claim(
        f"F10-{gbps}",
        measure=each(peak, *labels),
        holds=lowest(labels[0], labels[1:]),
        show=bytes_text,
    )


def _deeper_than_refreshed(gbps: int) -> Claim:
    hpcc = at(HPCC, gbps)
    tables = [at(label, gbps) for label in TABLES]
    return WORDS.claim(
        f"F10-{gbps}-table",
        measure=each(peak, hpcc, *tables),
        holds=lambda values: all(values[table] < values[hpcc] for table in tables),
        show=bytes_text,
    )


def _queues(letter: str, gbps: int) -> dict[str, panels.Panel]:
    title = f"({letter}) Queue at {gbps} Gb/s"
    named = {at(label, gbps): label for label in _LABELS}
    return {f"{letter}-queue-{gbps}": panels.port_queue(title, named, between=SHOWN)}


def _close(letter: str, gbps: int) -> dict[str, panels.Panel]:
    """Panels of the period in which FNCC and HPCC differ."""
    title = f"({letter}) Queue at {gbps} Gb/s, FNCC and HPCC only"
    named = {at(label, gbps): label for label in (FNCC, HPCC)}
    return {f"{letter}-queue-{gbps}-close": panels.port_queue(title, named, between=CLOSE_UP)}


_PANELS = [
    part(letter, gbps)
    for letter, gbps in zip("bcd", _RATES, strict=True)
    for part in (_queues, _close)
]
_QUEUES = {name: panel for part in _PANELS for name, panel in part.items()}
_CLAIMS = [_deeper(gbps) for gbps in _RATES]

FIGURE = WORDS.figure(
    "fig1",
    runs=lambda scale: _runs(),
    charts={**_QUEUES, **paper_panels(_QUEUES)},
    claims=[
        *_CLAIMS,
        *(_deeper_than_refreshed(gbps) for gbps in _RATES),
        *paper_claims(_CLAIMS),
    ],
)
