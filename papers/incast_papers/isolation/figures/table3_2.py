"""Table 3.2: attacks that work under each enforcement."""

from __future__ import annotations

import statistics
from functools import partial

import numpy as np
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import of, ratio
from incast.papers.variations import Variation
from incast.present.units import ratio_text, seconds_text
from incast.time_units import PICOSECOND

from incast_papers.isolation.algorithms import Enforcement
from incast_papers.isolation.metrics import goodput_of_victim
from incast_papers.isolation.networks import Attack, seeds
from incast_papers.isolation.testbed import PIECE_NS, isolation, reused, sent_in_turn
from incast_papers.isolation.words import WORDS

_ATTACKS = (Attack.PARALLEL, Attack.STAGGERED, Attack.SHUFFLED)
_SECURE = {
    (Attack.PARALLEL, Enforcement.PAIR),
    (Attack.STAGGERED, Enforcement.DESTINATION),
    (Attack.STAGGERED, Enforcement.PAIR),
}
_HARM = 0.85
"""An attack works if the victim keeps less than this share of its throughput."""


_SEEDS = 5
_SHARED = (Enforcement.DESTINATION, Enforcement.PAIR)
"""Enforcement under which a fresh QP begins with a shared state."""
_SENT_IN_TURN = "the next QP starts when the last has handed its bytes to the wire"
REUSED = (2, 4, 16, 64)
"""Numbers of QPs that the attacker uses in turn."""


def _in_turn(enforcement: Enforcement) -> str:
    return f"{_label(Attack.STAGGERED, enforcement, honest=False)} [{_SENT_IN_TURN}]"


def over_qps(qps: int) -> str:
    """The label of runs in which the attacker uses this number of QPs in turn."""
    return f"staggered over {qps} QPs"


def _label(attack: Attack, enforcement: Enforcement, *, honest: bool) -> str:
    return f"{attack.value}, {enforcement.label}, {'honest' if honest else 'attack'}"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for attack in _ATTACKS:
        for enforcement in Enforcement:
            for honest in (True, False):
                make = partial(_run, attack, enforcement, honest)
                label = _label(attack, enforcement, honest=honest)
                planned |= seeds(scale, label, make, full=_SEEDS)
    for enforcement in _SHARED:
        make = partial(sent_in_turn, enforcement)
        planned |= seeds(scale, _in_turn(enforcement), make, full=_SEEDS)
    for qps in REUSED:
        planned |= seeds(scale, over_qps(qps), partial(reused, qps), full=_SEEDS)
    return planned


def _run(attack: Attack, enforcement: Enforcement, honest: bool, seed: int) -> RunPlan:
    return isolation(attack, enforcement, honest=honest, seed=seed)


def _kept(runs: Runs, attack: Attack, enforcement: Enforcement) -> Average:
    """The share of its throughput that the victim keeps under attack."""
    honest, attacked = (_label(attack, enforcement, honest=each) for each in (True, False))
    return ratio(runs, attacked, honest, goodput_of_victim)


def _kept_by_qps(runs: Runs) -> Measured:
    """The share of its throughput that the victim keeps, for each number of QPs used in turn, each
    with its own state.
    """
    honest = _label(Attack.STAGGERED, Enforcement.QP, honest=True)
    return {f"{qps} QPs": ratio(runs, over_qps(qps), honest, goodput_of_victim) for qps in REUSED}


def _times(runs: Runs) -> str:
    """The FCT of a piece, compared with the time until its QP is used again, in words."""

    def taken(qps: int) -> str:
        times = [
            float(np.median(run.completed.numbers("fct_ps"))) * PICOSECOND
            for run in of(runs, over_qps(qps))
        ]
        turn = qps * PIECE_NS * 1e-9
        return f"{seconds_text(statistics.mean(times))} of {seconds_text(turn)}"

    return "; ".join(f"{qps} QPs: {taken(qps)}" for qps in REUSED)


def _row(attack: Attack, *variations: Variation) -> Claim:
    return WORDS.claim(
        f"D17-{attack.value}",
        measure=lambda runs: {
            enforcement.label: _kept(runs, attack, enforcement) for enforcement in Enforcement
        },
        holds=lambda values: all(
            (values[enforcement.label] >= _HARM) == ((attack, enforcement) in _SECURE)
            for enforcement in Enforcement
        ),
        show=ratio_text,
        variations=variations,
    )


_STAGGERED = _row(
    Attack.STAGGERED,
    Variation(
        _SENT_IN_TURN,
        {
            _label(Attack.STAGGERED, enforcement, honest=False): _in_turn(enforcement)
            for enforcement in _SHARED
        },
    ),
)

FIGURE = WORDS.figure(
    "table3_2",
    runs=_plan,
    claims=[
        _row(Attack.PARALLEL),
        _STAGGERED,
        _row(Attack.SHUFFLED),
        WORDS.claim(
            "D20",
            measure=_kept_by_qps,
            holds=lambda values: values[f"{REUSED[-1]} QPs"] < _HARM,
            trend=lambda values: values[f"{REUSED[-1]} QPs"] < values[f"{REUSED[0]} QPs"],
            show=ratio_text,
            values={"times": _times},
        ),
    ],
)
