"""Section IV-A: effects of Variable AI's dampener and of its limit of tokens."""

from __future__ import annotations

from typing import Any

from incast.measure.metrics import queue_mean
from incast.papers import panels
from incast.papers.claim import Claim, Values
from incast.papers.figure import RunPlan
from incast.papers.variations import varied
from incast.present.units import bytes_text, seconds_text

from incast_papers.fairness.algorithms import ALGORITHMS, HPCC_VAI_SF, SWIFT_VAI_SF
from incast_papers.fairness.figures.sec3a import falling, mostly_falling, rising
from incast_papers.fairness.metrics import each, fairness
from incast_papers.fairness.networks import star
from incast_papers.fairness.words import WORDS

_SENDERS, _FEW = 96, 16
_SIXTEEN = f"{_FEW} senders"
_LABELS = {"hpcc": HPCC_VAI_SF, "swift": SWIFT_VAI_SF}
_CAPS = (1, 10, 100, 1000)
_DEFAULT_CAP = 100
_NEVER = 1e9
"""A dampener constant so large that tokens are divided by 1."""


def _with_cap(label: str, cap: int) -> str:
    return f"{label}, cap {cap}"


def _undamped(label: str) -> str:
    return f"{label}, no dampener"


def _run(label: str, name: str, vai: dict[str, Any], senders: int = _SENDERS) -> RunPlan:
    cc = {**ALGORITHMS[label], **({"vai": vai} if vai else {})}
    return star(cc, senders, name=f"star-{senders} {name}")


def _plan() -> dict[str, RunPlan]:
    planned = {}
    for label in _LABELS.values():
        planned[label] = _run(label, label, {})
        undamped = _undamped(label)
        planned[undamped] = _run(label, undamped, {"dampener_constant": _NEVER})
        for cap in _CAPS:
            name = _with_cap(label, cap)
            of_cap = {} if cap == _DEFAULT_CAP else {"ai_cap": cap}
            run_name = name if of_cap else label
            planned[name] = _run(label, run_name, of_cap)
            planned[f"{name} [{_SIXTEEN}]"] = _run(label, run_name, of_cap, _FEW)
    return planned


def _dampened(part: str, label: str) -> Claim:
    def share(values: Values) -> float:
        return values[label] / values[_undamped(label)]

    return WORDS.claim(
        f"B35-{part}",
        measure=each(queue_mean, label, _undamped(label)),
        holds=lambda values: share(values) <= 0.5,
        trend=lambda values: share(values) < 1,
        show=bytes_text,
    )


def _capped(part: str, label: str) -> list[Claim]:
    labels = [_with_cap(label, cap) for cap in _CAPS]
    fewer = varied(_SIXTEEN, labels)
    return [
        WORDS.claim(
            f"B36-{part}",
            measure=each(queue_mean, *labels),
            holds=rising,
            trend=lambda values: values[labels[-1]] > values[labels[0]],
            variations=[fewer],
            show=bytes_text,
        ),
        WORDS.claim(
            f"B36-{part}-fair",
            measure=fairness(*labels),
            holds=falling,
            trend=mostly_falling,
            variations=[fewer],
            show=seconds_text,
        ),
    ]


FIGURE = WORDS.figure(
    "sec4a",
    runs=lambda scale: _plan(),
    charts={
        f"queue-{part}": panels.queue(
            f"Queue, {label}",
            *(_with_cap(label, cap) for cap in _CAPS),
            _undamped(label),
            mean_of_us=20,
        )
        for part, label in _LABELS.items()
    },
    claims=[
        *(_dampened(part, label) for part, label in _LABELS.items()),
        *(claim for part, label in _LABELS.items() for claim in _capped(part, label)),
    ],
)
