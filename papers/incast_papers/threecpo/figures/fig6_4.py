"""Fig. 6.4: a packet costs its flits multiplied by the number of members that send."""

from __future__ import annotations

from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import count_text

from incast_papers.threecpo.metrics import control_at, injections, tokens
from incast_papers.threecpo.networks import EVEN_TOKENS, OBSERVED, example
from incast_papers.threecpo.words import WORDS

_ALONE, _AMONG = "alone", "4 endpoints with 3CPO"
_BEGIN = 400


def _plan(scale: Scale) -> dict[str, RunPlan]:
    control = {"scheme": "3cpo", **EVEN_TOKENS, "watermark_initial": 10.0}
    one = {"kind": "writes", "payload": 4}
    own = {**one, "count": 4, "members": [OBSERVED], "start": _BEGIN}
    others = {**one, "count": 1, "members": [0, 1, 2]}
    return {
        _ALONE: example(control, [own], OBSERVED),
        _AMONG: example(control, [others, own], OBSERVED),
    }


def _measure(runs: Runs) -> Values:
    """The tokens before the first packet and one cycle later, and the cycles until the next
    packet.
    """
    first, second, *_ = injections(runs[_AMONG], OBSERVED)
    alone = injections(runs[_ALONE], OBSERVED)
    return {
        "tokens before": control_at(runs[_AMONG], "request_tokens", first),
        "tokens after": control_at(runs[_AMONG], "request_tokens", first + 1),
        "next packet after": float(second - first),
        "alone": float(alone[1] - alone[0]),
    }


FIGURE = WORDS.figure(
    "fig6_4",
    runs=_plan,
    charts={
        "tokens": tokens(
            "Tokens", {_ALONE: OBSERVED, _AMONG: OBSERVED}, first=_BEGIN, last=_BEGIN + 23
        )
    },
    claims=[
        WORDS.claim(
            "G27",
            measure=_measure,
            holds=lambda values: list(values.values()) == [1, -18, 20, 5],
            show=count_text,
        )
    ],
)
