"""Table 3.2: which attacks work under which enforcement."""

from __future__ import annotations

import statistics
from dataclasses import replace
from functools import partial

import numpy as np

from incast.measure.statistics import Average
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import of, ratio
from incast.papers.framework.variations import Variation
from incast.papers.isolation.algorithms import Enforcement
from incast.papers.isolation.metrics import goodput_of_victim
from incast.papers.isolation.networks import Attack, seeds
from incast.papers.isolation.testbed import PIECE_NS, isolation, reused, sent_in_turn
from incast.present.units import ratio_text, seconds_text
from incast.time_units import PICOSECOND

_ATTACKS = (Attack.PARALLEL, Attack.STAGGERED, Attack.SHUFFLED)
_SECURE = {
    (Attack.PARALLEL, Enforcement.PAIR),
    (Attack.STAGGERED, Enforcement.DESTINATION),
    (Attack.STAGGERED, Enforcement.PAIR),
}
_HARM = 0.85
"""An attack works if it leaves a victim less than this share of its throughput."""


_SEEDS = 5
_SHARED = (Enforcement.DESTINATION, Enforcement.PAIR)
"""Where QPs share the state that a fresh one begins with."""
_SENT_IN_TURN = "the next QP starts when the last has handed its bytes to the wire"
REUSED = (2, 4, 16, 64)
"""QPs that are taken in turn."""


def _in_turn(enforcement: Enforcement) -> str:
    return f"{_label(Attack.STAGGERED, enforcement, honest=False)} [{_SENT_IN_TURN}]"


def over_qps(qps: int) -> str:
    """The label of runs over so many QPs that are used again."""
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
    """The same beside few QPs that are used again and again, each with its own state."""
    honest = _label(Attack.STAGGERED, Enforcement.QP, honest=True)
    return {f"{qps} QPs": ratio(runs, over_qps(qps), honest, goodput_of_victim) for qps in REUSED}


def _rests(runs: Runs) -> str:
    """How long pieces take, beside the time in which a QP's turn comes again."""

    def taken(qps: int) -> str:
        times = [
            float(np.median(run.completed.numbers("fct_ps"))) * PICOSECOND
            for run in of(runs, over_qps(qps))
        ]
        turn = qps * PIECE_NS * 1e-9
        return f"{seconds_text(statistics.mean(times))} of {seconds_text(turn)}"

    found = "; ".join(f"{qps} QPs: {taken(qps)}" for qps in REUSED)
    return (
        "QPs are persistent, per QP, and lead to a receiver each behind one link. The median time "
        f"of a piece, and the time until its QP has the next one: {found}. A QP rests only if the "
        "first is shorter."
    )


_RECOVERY = (
    "With recovery it harms as a parallel attack over as many QPs does, which leaves 2/(k + 1). "
    "The control is the variation: the attacker's own rates are cut and never raised. With few QPs "
    "the attack is then none, so recovery is what harms. With 64 each QP has too few pieces in the "
    "run to be cut far, and its first rate does the harm: a guess."
)


def _row(attack: Attack, *variations: Variation) -> Claim:
    words = [
        f"{enforcement.label}: {'secure' if (attack, enforcement) in _SECURE else 'vulnerable'}"
        for enforcement in Enforcement
    ]
    return Claim(
        f"D17-{attack.value}",
        f"the {attack.value} attack under three kinds of enforcement",
        claimed=", ".join(words),
        metric="victim's throughput over that beside an honest neighbour",
        measure=lambda runs: {
            enforcement.label: _kept(runs, attack, enforcement) for enforcement in Enforcement
        },
        holds=lambda values: all(
            (values[enforcement.label] >= _HARM) == ((attack, enforcement) in _SECURE)
            for enforcement in Enforcement
        ),
        tolerance=f"secure: the victim keeps {_HARM:.0%} of the throughput that it has beside an "
        "honest neighbour, a bound of ours",
        kind=Kind.TREND,
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
_ON_A_CLOCK = (
    "Pieces start on a clock here, so that those which a shared rate slows down pile up, and "
    "become a parallel attack. The text has QPs sequentially: see the variation, in which the next "
    "one starts when the last has handed its bytes to the wire. It is not run as such: a fresh QP "
    "begins where the last one was, so one persistent QP sends all pieces. That is nearly the "
    "honest transfer, and can hardly fail. Per QP the variation is the row's run, as a fresh QP "
    "sends at line rate."
)

FIGURE = Figure(
    id="table3_2",
    title="Attacks and enforcement",
    where="Dissertation, Table 3.2, §3.7",
    setup="Parallel with 16 QPs, and staggered at line rate: the testbed of Fig. 3.9, a long flow "
    "each. Shuffled: eight hosts of a star send around a ring, or over the seven rings in turn; a "
    "ninth sends to one of them. Few QPs that are used again: pieces of 37.5 KB every 3.24 µs, on "
    "persistent QPs in turn. The victim's throughput beside an honest neighbour is 1.",
    scaled="one seed",
    runs=_plan,
    claims=[
        _row(Attack.PARALLEL),
        replace(_STAGGERED, explanation=_ON_A_CLOCK),
        _row(Attack.SHUFFLED),
        Claim(
            "D20",
            "a user can attack over QPs that are used again: each recovers while the others send",
            where="Dissertation, §3.5.2",
            claimed="rates recover over time",
            metric="victim's throughput over that beside an honest neighbour, by QPs used in turn",
            measure=_kept_by_qps,
            holds=lambda values: values[f"{REUSED[-1]} QPs"] < _HARM,
            trend=lambda values: values[f"{REUSED[-1]} QPs"] < values[f"{REUSED[0]} QPs"],
            tolerance=f"with {REUSED[-1]} QPs the victim keeps less than {_HARM:.0%}, the bound "
            "of Table 3.2; as a trend, less than with 2",
            kind=Kind.TREND,
            show=ratio_text,
            note=(_rests, _RECOVERY),
        ),
    ],
)
