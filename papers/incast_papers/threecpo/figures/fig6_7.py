"""Fig. 6.7: remote operations expire after a round trip plus the delay."""

from __future__ import annotations

from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import count_text

from incast_papers.threecpo.metrics import injections, matching, steps, tokens_taken
from incast_papers.threecpo.networks import MATCHING_TOKENS, OBSERVED, example
from incast_papers.threecpo.words import WORDS

_RUN = "endpoint 3"
_OWN, _END = 1500, 1600
_HOLD = 1000
"""Cycles; the assumed round trip until one is measured, as no own operation has waited."""


def _plan(scale: Scale) -> dict[str, RunPlan]:
    control = {"scheme": "3cpo", **MATCHING_TOKENS}
    works = [
        {"kind": "reads", "count": 1, "members": [0]},
        {"kind": "reads", "count": 1, "members": [0, 1], "start": 100},
        {"kind": "reads", "count": 1, "members": [OBSERVED], "start": _OWN},
    ]
    return {_RUN: example(control, works, OBSERVED)}


def _measure(runs: Runs) -> Values:
    run = runs[_RUN]
    own = injections(run, OBSERVED)[0]
    column = "request_unmatched_remote"
    came, went = steps(run, column, up=True), steps(run, column, up=False)
    # The sample of a cycle does not include arrivals of that cycle, and no longer includes what
    # expires in it.
    pairs = enumerate(zip(came, went, strict=True), start=1)
    held = {f"request {number}": float(gone + 1 - begin) for number, (begin, gone) in pairs}
    return {**held, "own operation takes": tokens_taken(run, own, own + 1)}


FIGURE = WORDS.figure(
    "fig6_7",
    runs=_plan,
    charts={"matching": matching("Request flits and tokens", _RUN, last=_END)},
    claims=[
        WORDS.claim(
            "G28-expired",
            measure=_measure,
            holds=lambda values: (
                [*values.values()] == [*[_HOLD] * (len(values) - 1), 1] and len(values) == 4
            ),
            show=count_text,
        )
    ],
)
