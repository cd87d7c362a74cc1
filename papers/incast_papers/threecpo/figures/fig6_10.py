"""Fig. 6.10: effective bandwidth of an all-reduce with 3CPO."""

from __future__ import annotations

from collections.abc import Callable

from incast.papers.claim import Measured
from incast.papers.explanation import Text
from incast.papers.figure import Runs
from incast.papers.seeds import average, ratio
from incast.present.units import percent_text

from incast_papers.threecpo.algorithms import (
    AIMD,
    BASELINE,
    PRINTED,
    REPAIRED,
    STATIC_64,
    TUNED,
)
from incast_papers.threecpo.metrics import (
    BANDWIDTH,
    LIMIT,
    bandwidth,
    finish_spread,
    other_choices,
    over_initiators,
)
from incast_papers.threecpo.networks import (
    AT_ONCE,
    INITIATORS,
    SPREAD_STARTS,
    at_spread,
    point,
    varied_and_spread,
)
from incast_papers.threecpo.words import WORDS


def _over_tuned(scheme: str, runs: Runs) -> Measured:
    return {
        AT_ONCE: ratio(runs, point(scheme, 64), point(TUNED, 64), bandwidth),
        SPREAD_STARTS: ratio(runs, at_spread(scheme), at_spread(TUNED), bandwidth),
    }


def _by_initiators(runs: Runs, label: Callable[[str, int], str]) -> Measured:
    return {
        f"{n} initiators": ratio(runs, label(PRINTED, n), label(TUNED, n), bandwidth)
        for n in INITIATORS
    }


def _finish_apart(scheme: str) -> Text:
    """The time between the first and the last endpoint's finish, relative to the run, in words."""
    return lambda runs: f"{average(runs, point(scheme, 64), finish_spread).mean:.0%}"


_G13 = WORDS.claim(
    "G13",
    measure=lambda runs: _by_initiators(runs, point),
    holds=lambda values: all(share >= 0.9 for share in values.values()),
    trend=lambda values: all(share >= 0.7 for share in values.values()),
    show=percent_text,
)

FIGURE = WORDS.figure(
    "fig6_10",
    runs=varied_and_spread,
    charts={
        "bandwidth": over_initiators(
            "Effective bandwidth",
            (PRINTED, BASELINE, TUNED, AIMD, STATIC_64, REPAIRED),
            BANDWIDTH,
            {"": bandwidth},
            limit=LIMIT,
        )
    },
    claims=[
        WORDS.claim(
            "G01",
            measure=lambda runs: _over_tuned(PRINTED, runs),
            holds=lambda values: values[AT_ONCE] >= 0.98,
            trend=lambda values: values[SPREAD_STARTS] >= 0.95,
            show=percent_text,
            values={
                "finish_apart": _finish_apart(PRINTED),
                "finish_apart_with_windows": _finish_apart(TUNED),
            },
            variations=other_choices(),
            distance=lambda values: max(0.0, 0.98 - values[AT_ONCE]),
        ),
        _G13,
        WORDS.again(
            _G13,
            "G13-spread",
            measure=lambda runs: _by_initiators(runs, at_spread),
        ),
        WORDS.claim(
            "T01",
            measure=lambda runs: _over_tuned(REPAIRED, runs),
            holds=lambda values: values[AT_ONCE] >= 0.98,
            trend=lambda values: values[AT_ONCE] >= 0.94,
            show=percent_text,
        ),
        WORDS.claim(
            "T02",
            measure=lambda runs: {
                f"{n} initiators": ratio(runs, point(REPAIRED, n), point(PRINTED, n), bandwidth)
                for n in INITIATORS
            },
            holds=lambda values: all(values[f"{n} initiators"] > 1 for n in (64, 32, 16, 8)),
        ),
    ],
)
