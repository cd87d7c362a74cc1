"""Fig. 6.5: own and remote operations are matched, and take tokens."""

from __future__ import annotations

from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import count_text

from incast_papers.threecpo.metrics import injections, matching, tokens_taken
from incast_papers.threecpo.networks import MATCHING_TOKENS, OBSERVED, example
from incast_papers.threecpo.words import WORDS

_RUN = "endpoint 3"
_OWN, _LATER = 400, 420
_END = 800


def _plan(scale: Scale) -> dict[str, RunPlan]:
    control = {"scheme": "3cpo", **MATCHING_TOKENS}
    works = [
        {"kind": "reads", "count": 1, "members": [0, 1, 2]},
        {"kind": "reads", "count": 2, "members": [OBSERVED], "start": _OWN},
        {"kind": "reads", "count": 1, "members": [0, 1, 2], "start": _LATER},
    ]
    return {_RUN: example(control, works, OBSERVED)}


def _measure(runs: Runs) -> Values:
    run = runs[_RUN]
    first, second = injections(run, OBSERVED)
    return {
        "three remote": tokens_taken(run, 0, first),
        "first own": tokens_taken(run, first, first + 1),
        "second own": tokens_taken(run, second, second + 1),
        "three remote, later": tokens_taken(run, second + 1, _END),
    }


FIGURE = WORDS.figure(
    "fig6_5",
    runs=_plan,
    charts={"matching": matching("Request flits and tokens", _RUN, last=_END)},
    claims=[
        WORDS.claim(
            "G28",
            measure=_measure,
            holds=lambda values: list(values.values()) == [0, 4, 1, 3],
            show=count_text,
        )
    ],
)
