"""Fig. 6.1: a lower watermark makes a GPU send less often."""

from __future__ import annotations

from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import count_text

from incast_papers.threecpo.metrics import injections, tokens
from incast_papers.threecpo.networks import EVEN_TOKENS, example
from incast_papers.threecpo.words import WORDS

_FULL, _HALF = "watermark 10 of 10", "watermark 5 of 10"
_EXPECTED = {_FULL: [0, 5, 10], _HALF: [0, 10]}


def _plan(scale: Scale) -> dict[str, RunPlan]:
    works = [{"kind": "writes", "count": 3, "payload": 4, "members": [0]}]
    return {
        label: example(
            {"scheme": "rate-limit", **EVEN_TOKENS, "watermark_initial": watermark}, works, 0
        )
        for label, watermark in ((_FULL, 10.0), (_HALF, 5.0))
    }


def _measure(runs: Runs) -> Values:
    return {
        f"{label}, packet {number}": float(cycle)
        for label in (_FULL, _HALF)
        for number, cycle in enumerate(injections(runs[label], 0))
        if cycle <= 10
    }


def _as_printed(values: Values) -> bool:
    return all(
        [cycle for name, cycle in values.items() if name.startswith(label)] == cycles
        for label, cycles in _EXPECTED.items()
    )


FIGURE = WORDS.figure(
    "fig6_1",
    runs=_plan,
    charts={"tokens": tokens("Tokens", {_FULL: 0, _HALF: 0}, first=0, last=12)},
    claims=[
        WORDS.claim(
            "G26",
            measure=_measure,
            holds=_as_printed,
            show=count_text,
        )
    ],
)
