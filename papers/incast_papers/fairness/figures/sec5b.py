"""Section V-B: Swift with an increase at every ACK."""

from __future__ import annotations

from incast.measure.metrics import queue_mean
from incast.papers import panels
from incast.papers.claim import Values
from incast.papers.figure import Runs
from incast.papers.tolerances import at_most, of
from incast.present.units import seconds_text

from incast_papers.fairness.algorithms import ALGORITHMS, SWIFT
from incast_papers.fairness.networks import star
from incast_papers.fairness.words import WORDS

_LINE = 100e9
_TARGET, _BASE = 7e-6, 4.16e-6
"""Swift's target on the star (one switch, no flow scaling) and the base RTT, in seconds."""
_FLOWS, _PACKET, _ACKS = 16, 1000, 30
_INCREASE, _BETA = 50e6, 0.8

SWIFT_SF = "Swift SF"
"""Label of Swift with Sampling Frequency alone, which always increases, but by no additional
amount.
"""
_BALANCE = "balance"


def balance() -> float:
    """Delay above the target, in seconds, at which a decrease cancels the increases since the last
    decrease: β·(d − t)/d · R = AI·T/T₀, where T is the time of 30 ACKs at the fair share R.
    """
    share = _LINE / _FLOWS
    between = _ACKS * _PACKET * 8 / share
    taken = _INCREASE * between / _BASE / share
    # Solves β·x/(t + x) = taken.
    return _TARGET * taken / (_BETA - taken)


def _measure(runs: Runs) -> Values:
    return {
        SWIFT_SF: queue_mean(runs[SWIFT_SF]) * 8 / _LINE - (_TARGET - _BASE),
        _BALANCE: balance(),
    }


FIGURE = WORDS.figure(
    "sec5b",
    runs=lambda scale: {
        SWIFT_SF: star(
            {**ALGORITHMS[SWIFT], "algorithm": "swift+sf"}, _FLOWS, name=f"star-16 {SWIFT_SF}"
        ),
    },
    charts={"queue": panels.queue("Queue, Swift that always adds", SWIFT_SF)},
    claims=[
        WORDS.claim(
            "B25",
            measure=_measure,
            holds=of(SWIFT_SF, at_most(0.1 * _TARGET)),
            show=seconds_text,
        ),
    ],
)
