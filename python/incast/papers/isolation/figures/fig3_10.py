"""Figure 3.10: the staggered attack on the testbed."""

from __future__ import annotations

from functools import partial

from incast.measure.run import Run
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import average
from incast.papers.framework.tolerances import at_most, both, close_to
from incast.papers.isolation.metrics import attackers_goodput, goodput_between
from incast.papers.isolation.networks import seeds
from incast.papers.isolation.testbed import ATTACK_AT, Marking, staggered_testbed
from incast.present.units import rate_text

_ALONE = "alone"
_SEEDS = 10
_BYTES = 1_125_000
_VICTIMS_FLOW = 0
"""It starts first."""


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
    """While the attack lasts."""
    lasts = _BYTES * 8 / _attacker(run)
    return goodput_between(run, _VICTIMS_FLOW, ATTACK_AT, ATTACK_AT + lasts)


def _goodput(runs: Runs, label: str) -> Measured:
    values = {"attacker": average(runs, label, _attacker)}
    return values if label == _ALONE else {**values, "victim": average(runs, label, _victim)}


def _beside(
    number: str, marking: Marking, says: str, *, note: str = "", explanation: str = ""
) -> Claim:
    return Claim(
        number,
        says,
        claimed="60 Gb/s and < 40 Gb/s",
        metric="goodput while the attack lasts",
        measure=lambda runs: _goodput(runs, marking.label),
        holds=both(
            lambda values: close_to(60e9, 0.08)({"": values["attacker"]}),
            lambda values: at_most(40e9)({"": values["victim"]}),
        ),
        trend=lambda values: values["attacker"] > 1.2 * values["victim"],
        tolerance="8 % of 60 Gb/s; as a trend, a fifth more than the victim",
        kind=Kind.NUMBER,
        show=rate_text,
        note=note,
        explanation=explanation,
    )


FIGURE = Figure(
    id="fig3_10",
    title="The staggered attack on the testbed",
    where="Dissertation, Fig. 3.10, §3.6.1",
    setup="The network of Fig. 3.9, enforcement per QP. The attacker sends 1.125 MB over 30 QPs of "
    "37.5 KB, one every 4.05 µs, from 1 ms on; the victim sends from the start.",
    scaled="3 seeds instead of 10",
    runs=_plan,
    claims=[
        Claim(
            "D06",
            "alone, the staggered attack has 74 Gb/s",
            claimed="74 Gb/s",
            metric="goodput of the attack",
            measure=lambda runs: _goodput(runs, _ALONE),
            holds=close_to(74e9, 0.03),
            tolerance="3 % of it",
            kind=Kind.THEORY,
            show=rate_text,
            note="74 Gb/s is a QP each 4.05 µs, where 37.5 KB take 3.24 µs: the NIC needs 0.8 µs "
            "from QP to QP, which enters here as the interval. The row checks this arithmetic, not "
            "the paper.",
        ),
        _beside(
            "D07",
            Marking.RED,
            "beside a victim it has 60 Gb/s, the victim less than 40",
            note="Marking from 200 KB is read as RED from 200 to 800 KB.",
        ),
        _beside(
            "D07-step",
            Marking.STEP,
            "the same, if every packet above 200 KB is marked",
            explanation="With a step the victim is marked as soon as the queue passes 200 KB, "
            "backs off at once, and leaves the attacker more than the paper has.",
        ).as_reading(),
        Claim(
            "D08",
            "with marks above 8 KB it has as much as alone",
            claimed="the limit of the attack, 74 Gb/s",
            metric="goodput of the attack and of the victim",
            measure=lambda runs: {
                _ALONE: average(runs, _ALONE, _attacker),
                **_goodput(runs, Marking.LOW.label),
            },
            holds=lambda values: values["attacker"] >= 0.97 * values[_ALONE],
            tolerance="3 % less than alone",
            kind=Kind.TREND,
            show=rate_text,
        ),
    ],
)
