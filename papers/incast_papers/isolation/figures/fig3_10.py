"""Figure 3.10: the staggered attack on the testbed."""

from __future__ import annotations

from functools import partial

from incast.measure.run import Run
from incast.papers.claim import Claim, Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average
from incast.papers.tolerances import at_most, both, close_to
from incast.present.units import rate_text

from incast_papers.isolation.metrics import attackers_goodput, goodput_between
from incast_papers.isolation.networks import seeds
from incast_papers.isolation.testbed import ATTACK_AT, Marking, staggered_testbed
from incast_papers.isolation.words import WORDS

_ALONE = "alone"
_SEEDS = 10
_BYTES = 1_125_000
_VICTIMS_FLOW = 0
"""The victim's flow has number 0, as it starts first."""


def _plan(scale: Scale) -> dict[str, RunPlan]:
    some = partial(seeds, scale, full=_SEEDS, quick=3)
    planned = some(_ALONE, lambda seed: staggered_testbed(Marking.RED, victim=False, seed=seed))
    for marking in Marking:
        planned |= some(marking.label, partial(_beside_a_victim, marking))
    return planned


def _beside_a_victim(marking: Marking, seed: int) -> RunPlan:
    return staggered_testbed(marking, victim=True, seed=seed)


def _attacker(run: Run) -> float:
    return attackers_goodput(run, ATTACK_AT)


def _victim(run: Run) -> float:
    """The victim's goodput while the attack lasts."""
    lasts = _BYTES * 8 / _attacker(run)
    return goodput_between(run, _VICTIMS_FLOW, ATTACK_AT, ATTACK_AT + lasts)


def _goodput(runs: Runs, label: str) -> Measured:
    values = {"attacker": average(runs, label, _attacker)}
    return values if label == _ALONE else {**values, "victim": average(runs, label, _victim)}


def _beside(number: str, marking: Marking) -> Claim:
    return WORDS.claim(
        number,
        measure=lambda runs: _goodput(runs, marking.label),
        holds=both(
            lambda values: close_to(60e9, 0.08)({"": values["attacker"]}),
            lambda values: at_most(40e9)({"": values["victim"]}),
        ),
        trend=lambda values: values["attacker"] > 1.2 * values["victim"],
        show=rate_text,
    )


FIGURE = WORDS.figure(
    "fig3_10",
    runs=_plan,
    claims=[
        WORDS.claim(
            "D06",
            measure=lambda runs: _goodput(runs, _ALONE),
            holds=close_to(74e9, 0.03),
            show=rate_text,
        ),
        _beside("D07", Marking.RED),
        _beside("D07-step", Marking.STEP),
        WORDS.claim(
            "D08",
            measure=lambda runs: {
                _ALONE: average(runs, _ALONE, _attacker),
                **_goodput(runs, Marking.LOW.label),
            },
            holds=lambda values: values["attacker"] >= 0.97 * values[_ALONE],
            show=rate_text,
        ),
    ],
)
