"""Table 3.2: which attacks work under which enforcement."""

from __future__ import annotations

from functools import partial

from incast.measure.statistics import Average
from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import ratio
from incast.papers.isolation.algorithms import Enforcement
from incast.papers.isolation.metrics import goodput_of_victim
from incast.papers.isolation.networks import Attack, isolation, seeds
from incast.present.units import ratio_text

_ATTACKS = (Attack.PARALLEL, Attack.STAGGERED, Attack.SHUFFLED)
_SECURE = {
    (Attack.PARALLEL, Enforcement.PAIR),
    (Attack.STAGGERED, Enforcement.DESTINATION),
    (Attack.STAGGERED, Enforcement.PAIR),
}
_HARM = 0.85
"""An attack works if it leaves a victim less than this share of its throughput."""


def _label(attack: Attack, enforcement: Enforcement, *, honest: bool) -> str:
    return f"{attack.value}, {enforcement.label}, {'honest' if honest else 'attack'}"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    for attack in _ATTACKS:
        for enforcement in Enforcement:
            for honest in (True, False):
                make = partial(_run, attack, enforcement, honest)
                label = _label(attack, enforcement, honest=honest)
                planned |= seeds(scale, label, make, full=5)
    return planned


def _run(attack: Attack, enforcement: Enforcement, honest: bool, seed: int) -> RunPlan:
    return isolation(attack, enforcement, honest=honest, seed=seed)


def _kept(runs: Runs, attack: Attack, enforcement: Enforcement) -> Average:
    """The share of its throughput that the victim keeps under attack."""
    honest, attacked = (_label(attack, enforcement, honest=each) for each in (True, False))
    return ratio(runs, attacked, honest, goodput_of_victim)


def _row(attack: Attack) -> Claim:
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
    )


FIGURE = Figure(
    id="table3_2",
    title="Attacks and enforcement",
    where="Dissertation, Table 3.2, §3.7",
    setup="Parallel with 16 QPs, and staggered at line rate: the testbed of Fig. 3.9, a long flow "
    "each. Shuffled: eight hosts of a star send around a ring, or over the seven rings in turn; a "
    "ninth sends to one of them. The victim's throughput beside an honest neighbour is 1.",
    scaled="one seed",
    runs=_plan,
    claims=[_row(attack) for attack in _ATTACKS],
)
