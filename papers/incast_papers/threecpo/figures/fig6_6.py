"""Fig. 6.6: complete operations are no longer matched."""

from __future__ import annotations

from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import count_text

from incast_papers.threecpo.metrics import control_at, matching, own_completions, tokens_taken
from incast_papers.threecpo.networks import MATCHING_TOKENS, OBSERVED, example
from incast_papers.threecpo.words import WORDS

_RUN = "endpoint 3"
_LATER, _END = 1500, 2200


def _plan(scale: Scale) -> dict[str, RunPlan]:
    control = {"scheme": "3cpo", **MATCHING_TOKENS}
    works = [
        {"kind": "reads", "count": 2, "members": [OBSERVED, 2]},
        {"kind": "reads", "count": 1, "members": [0, 1]},
        {"kind": "reads", "count": 1, "members": [0, 1], "start": _LATER},
    ]
    return {_RUN: example(control, works, OBSERVED)}


def _measure(runs: Runs) -> Values:
    """Unmatched own flits before and after each response, and the tokens that later requests
    take.
    """
    run = runs[_RUN]
    first, second = own_completions(run, OBSERVED)
    own = "request_unmatched_own"
    return {
        "before the first response": control_at(run, own, first - 1),
        "after it": control_at(run, own, first + 1),
        "after the second": control_at(run, own, second + 1),
        "tokens of later requests": tokens_taken(run, _LATER, _END),
    }


FIGURE = WORDS.figure(
    "fig6_6",
    runs=_plan,
    charts={"matching": matching("Request flits and tokens", _RUN, last=_END)},
    claims=[
        WORDS.claim(
            "G28-complete",
            measure=_measure,
            holds=lambda values: list(values.values()) == [2, 2, 0, 0],
            show=count_text,
        )
    ],
)
