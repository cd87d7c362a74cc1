"""Section IV-B: more frequent reactions shorten queues, may leave bandwidth unused, and are
fairer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from incast.measure.metrics import goodput_between, queue_mean
from incast.measure.run import Run
from incast.papers import panels
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs
from incast.present.units import bytes_text, rate_text, seconds_text
from incast.time_units import PICOSECOND

from incast_papers.fairness.algorithms import ALGORITHMS, HPCC, SWIFT
from incast_papers.fairness.metrics import fairness, lost
from incast_papers.fairness.networks import star, stars
from incast_papers.fairness.words import WORDS

_ACKS = (30, 4, 2, 1)
"""SF: the number of ACKs between two decreases, from rare to frequent reactions."""
_DEFAULTS = (HPCC, SWIFT)


def _label(default: str, acks: int) -> str:
    return f"{default} SF {acks}"


def _labels(default: str) -> list[str]:
    return [_label(default, acks) for acks in _ACKS]


LABELS = [label for default in _DEFAULTS for label in (default, *_labels(default))]
"""The labels of all runs."""


def _run(default: str, acks: int) -> RunPlan:
    cc = ALGORITHMS[default]
    # 30 ACKs is the default of the parameter.
    parameter = {} if acks == 30 else {"sf": {"acks": acks}}
    name = f"{default} SF" if acks == 30 else _label(default, acks)
    return star(
        {**cc, "algorithm": f"{cc['algorithm']}+sf", **parameter}, 16, name=f"star-16 {name}"
    )


def _goodput(run: Run) -> float:
    """Mean goodput of the network, in bit/s, while all flows send after the last arrival."""
    starts = run.completed.numbers("start_ps")
    finishes = starts + run.completed.numbers("fct_ps")
    begin = float(starts.max()) * PICOSECOND + 100e-6
    return goodput_between(run, begin, float(finishes.min()) * PICOSECOND)


def _each(metric: Callable[[Run], float], runs: Runs) -> Mapping[str, float]:
    """The metric for each SF, and for one reaction per RTT."""
    return {label: metric(runs[label]) for label in LABELS}


def _falls(default: str, values: Values) -> bool:
    found = [values[label] for label in _labels(default)]
    return all(more_often < seldom for seldom, more_often in pairwise(found))


def _ends(default: str, values: Values) -> tuple[float, float]:
    """The values for the largest and for the smallest SF."""
    seldom, *_, often = (values[label] for label in _labels(default))
    return seldom, often


def _wastes(default: str, values: Values) -> bool:
    seldom, often = _ends(default, values)
    return often <= 0.99 * seldom


def _shorter(default: str, values: Values) -> bool:
    seldom, often = _ends(default, values)
    return often < seldom


def _parts(default: str) -> tuple[list[str], list[str]]:
    """Labels of the two numbers of fairness, from the largest SF to the smallest."""
    labels = _labels(default)
    return labels, [lost(label) for label in labels]


def _fairer_at_each_step(values: Values) -> bool:
    return all(
        values[more_often] < values[seldom]
        for default in _DEFAULTS
        for part in _parts(default)
        for seldom, more_often in pairwise(part)
    )


def _fairer_at_the_end(values: Values) -> bool:
    return all(
        values[part[-1]] < values[part[0]] for default in _DEFAULTS for part in _parts(default)
    )


FIGURE = WORDS.figure(
    "sec4b",
    runs=lambda scale: {
        **stars(*_DEFAULTS),
        **{_label(default, acks): _run(default, acks) for default in _DEFAULTS for acks in _ACKS},
    },
    charts={
        name: panels.queue(f"Queue, {default}", default, *_labels(default), mean_of_us=10)
        for name, default in (("queue", HPCC), ("queue-swift", SWIFT))
    }
    | {
        name: panels.goodput(f"Goodput, {default}", default, *_labels(default))
        for name, default in (("goodput", HPCC), ("goodput-swift", SWIFT))
    },
    claims=[
        WORDS.claim(
            "B31",
            measure=lambda runs: _each(queue_mean, runs),
            holds=lambda values: all(_falls(default, values) for default in _DEFAULTS),
            trend=lambda values: all(_shorter(default, values) for default in _DEFAULTS),
            show=bytes_text,
        ),
        WORDS.claim(
            "B32",
            measure=lambda runs: _each(_goodput, runs),
            holds=lambda values: all(_wastes(default, values) for default in _DEFAULTS),
            trend=lambda values: any(_wastes(default, values) for default in _DEFAULTS),
            show=rate_text,
        ),
        WORDS.claim(
            "B37",
            measure=fairness(*LABELS),
            holds=_fairer_at_each_step,
            trend=_fairer_at_the_end,
            show=seconds_text,
        ),
    ],
)
