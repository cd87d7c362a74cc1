"""Figures 5.7 and 5.8: an incast in which one of 16 senders attacks."""

from __future__ import annotations

from incast.papers import panels
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.tolerances import at_most, close_to
from incast.present.units import rate_text, seconds_text

from incast_papers.isolation.algorithms import PERC, PERC_1RC, PERC_1RC_WEIGHTS
from incast_papers.isolation.metrics import ATTACKER, message_fct, victims_goodput
from incast_papers.isolation.networks import Attack, incast
from incast_papers.isolation.words import WORDS

_ALGORITHMS = (PERC, PERC_1RC, PERC_1RC_WEIGHTS)
_ATTACKS = (Attack.NONE, Attack.STAGGERED)
_ROUND_ROBIN = "round robin"


def _label(algorithm: str, attack: Attack, size: str, arbitration: str = "") -> str:
    parts = [algorithm, attack.value, f"attacker sends {size}", arbitration]
    return ", ".join(filter(None, parts))


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned = {
        _label(algorithm, attack, size): incast(algorithm, attack, attacker=size)
        for algorithm in _ALGORITHMS
        for attack in _ATTACKS
        for size in ("1MB", "10MB")
    }
    for algorithm in (PERC, PERC_1RC_WEIGHTS):
        for attack in _ATTACKS:
            label = _label(algorithm, attack, "10MB", _ROUND_ROBIN)
            planned[label] = incast(algorithm, attack, arbitration="round-robin")
    return planned


def _victims(runs: Runs, *labels: str) -> Values:
    return {label: victims_goodput(runs[label]) for label in labels}


def _attacker(runs: Runs, *labels: str) -> Values:
    return {label: float(message_fct(runs[label], ATTACKER)[0]) for label in labels}


_HONEST = _label(PERC, Attack.NONE, "1MB")
_ATTACKED = _label(PERC, Attack.STAGGERED, "10MB")
_DEFENDED = _label(PERC_1RC_WEIGHTS, Attack.STAGGERED, "10MB")
_DEFENDED_HONEST = _label(PERC_1RC_WEIGHTS, Attack.NONE, "1MB")
_ONLY_1RC = _label(PERC_1RC, Attack.STAGGERED, "10MB")
_QUEUES = {_ATTACKED: PERC, _ONLY_1RC: PERC_1RC, _DEFENDED: PERC_1RC_WEIGHTS}
_SPLIT = _label(PERC, Attack.STAGGERED, "1MB")
_SPLIT_DEFENDED = _label(PERC_1RC_WEIGHTS, Attack.STAGGERED, "1MB")

FIGURE = WORDS.figure(
    "fig5_7",
    runs=_plan,
    charts={
        "a-queue": panels.port_queue(
            "(a) Queue at the receiver, staggered attack of 10 MB", _QUEUES
        ),
    },
    claims=[
        WORDS.claim(
            "E07",
            measure=lambda runs: _victims(runs, _HONEST),
            holds=close_to(6e9, 0.1),
            show=rate_text,
        ),
        WORDS.claim(
            "E08",
            measure=lambda runs: _victims(runs, _ATTACKED),
            holds=at_most(4e9),
            show=rate_text,
        ),
        WORDS.claim(
            "E09",
            measure=lambda runs: _victims(runs, _HONEST, _DEFENDED_HONEST, _DEFENDED, _ONLY_1RC),
            holds=lambda values: (
                values[_DEFENDED] >= 0.95 * max(values[_DEFENDED_HONEST], values[_HONEST])
            ),
            show=rate_text,
        ),
        WORDS.claim(
            "E10",
            measure=lambda runs: _victims(
                runs,
                _label(PERC, Attack.NONE, "10MB", _ROUND_ROBIN),
                _label(PERC, Attack.STAGGERED, "10MB", _ROUND_ROBIN),
            ),
            holds=lambda values: (
                values[_label(PERC, Attack.STAGGERED, "10MB", _ROUND_ROBIN)]
                >= 0.95 * values[_label(PERC, Attack.NONE, "10MB", _ROUND_ROBIN)]
            ),
            show=rate_text,
        ),
        WORDS.claim(
            "E11",
            measure=lambda runs: _attacker(runs, _HONEST, _SPLIT),
            holds=lambda values: values[_SPLIT] <= 0.5 * values[_HONEST],
            show=seconds_text,
        ),
        WORDS.claim(
            "E12",
            measure=lambda runs: _attacker(runs, _DEFENDED_HONEST, _SPLIT_DEFENDED),
            holds=lambda values: (
                abs(values[_SPLIT_DEFENDED] / values[_DEFENDED_HONEST] - 1) <= 0.05
            ),
            show=seconds_text,
        ),
    ],
)
