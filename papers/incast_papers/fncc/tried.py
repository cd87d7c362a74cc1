"""Trials for claims on two elephants, beside the variations that figures have themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from incast.papers.tried import Change, Distance, Trial

from incast_papers.fncc.algorithms import (
    ACKS_AMONG_DATA,
    AS_PRINTED,
    DCQCN,
    FNCC,
    FNCC_TABLE,
    HPCC,
    NO_STAGE,
    NO_WINDOW,
    ONCE_PER_ACK,
    ONCE_PER_RTT,
    PAUSED_SOONER,
    RIVALS,
    WINDOW,
    Choice,
    Reading,
)
from incast_papers.fncc.networks import any_start, at

__all__ = ["DISTANCES", "TRIALS"]

_OF_FNCC = (FNCC, FNCC_TABLE)
_OF_BOTH = (*_OF_FNCC, HPCC)


def _change(choice: Choice) -> Change:
    """The change of an alternative; the name of the run stays."""

    def changed(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**choice.applied(scenario), "run": scenario["run"]}

    return changed


def _trial(
    choice: Choice,
    rates: Sequence[int],
    claims: Sequence[str],
    reading: Reading = Reading.OURS,
    labels: Sequence[str] = _OF_BOTH,
) -> Trial:
    """A trial at these link rates, with every start time."""

    def runs(names: Sequence[str]) -> list[str]:
        return [any_start(at(name, gbps)) for name in names for gbps in rates]

    return Trial(
        choice.name,
        [_change(choice)],
        claims,
        runs(labels),
        reading=reading.value,
    )


def _ours(choices: Sequence[Choice], rates: Sequence[int], claims: Sequence[str]) -> list[Trial]:
    """Trials of our setting with one part of the paper's."""
    return [
        *(_trial(each, rates, claims) for each in choices),
        _trial(ONCE_PER_ACK, rates, claims, labels=_OF_FNCC),
    ]


def _papers(choices: Sequence[Choice], rates: Sequence[int], claims: Sequence[str]) -> list[Trial]:
    """Trials of the paper's setting with one part of ours."""
    reading, own = Reading.PAPER, [f"{claim}-paper" for claim in claims]
    return [
        *(_trial(each, rates, own, reading) for each in choices),
        _trial(AS_PRINTED, rates, own, reading, _OF_FNCC),
    ]


_PAUSES = ("F09-200", "F09-400")
_AT_HIGH_RATES = ("F07-converge-200", "F07-converge-400", "F08-200", "F08-400")
_HIGH = (200, 400)

TRIALS: Mapping[str, Sequence[Trial]] = {
    "fig3": [
        *_ours([NO_WINDOW, ONCE_PER_RTT], _HIGH, _PAUSES),
        *_papers([WINDOW], _HIGH, _PAUSES),
        _trial(
            PAUSED_SOONER,
            _HIGH,
            [f"{claim}-paper" for claim in _PAUSES],
            Reading.PAPER,
            (*_OF_BOTH, DCQCN),
        ),
    ],
    "fig10": [
        *_ours(
            [NO_WINDOW, NO_STAGE, ACKS_AMONG_DATA, ONCE_PER_RTT],
            [100],
            ("F01", "F02", "F05-sooner"),
        ),
        *_papers([WINDOW, ONCE_PER_RTT], [100], ("F01", "F02")),
    ],
    "fig10c": [
        *_ours([NO_WINDOW, ONCE_PER_RTT], _HIGH, _AT_HIGH_RATES),
        *_papers([WINDOW], _HIGH, _AT_HIGH_RATES),
    ],
}
"""Trials by figure."""


def _behind(gbps: int) -> Distance:
    """The utilisation of the best rival, minus FNCC's."""
    fncc, *rivals = (at(label, gbps) for label in RIVALS)
    return lambda values: max(values[each] for each in rivals) - values[fncc]


def _later(gbps: int) -> Distance:
    """The ratio of FNCC's time to HPCC's."""
    return lambda values: values[at(FNCC, gbps)] / values[at(HPCC, gbps)]


DISTANCES: Mapping[str, Distance] = {
    "F05-sooner": _later(100),
    **{f"F07-converge-{gbps}{end}": _later(gbps) for gbps in _HIGH for end in ("", "-paper")},
    **{f"F08-{gbps}{end}": _behind(gbps) for gbps in _HIGH for end in ("", "-paper")},
}
"""For claims without a distance of their own, the distance of values from the claim."""
