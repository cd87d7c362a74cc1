"""Fig. 6.2: effective bandwidth of an all-reduce without control, with windows, with AIMD."""

from __future__ import annotations

from incast.papers.claim import Measured
from incast.papers.figure import Runs
from incast.papers.seeds import ratio
from incast.papers.tolerances import close_to

from incast_papers.threecpo.algorithms import AIMD, BASELINE, STATIC_64, TUNED
from incast_papers.threecpo.metrics import (
    BANDWIDTH,
    LIMIT,
    bandwidth,
    over_initiators,
    values,
)
from incast_papers.threecpo.networks import INITIATORS, point, varied_initiators
from incast_papers.threecpo.words import WORDS

_SCHEMES = (BASELINE, TUNED, STATIC_64, AIMD)
_FEWER = tuple(n for n in INITIATORS if n <= 16)


def _of(scheme: str, initiators: int) -> dict[str, str]:
    return {"": point(scheme, initiators)}


def _static_over_tuned(runs: Runs) -> Measured:
    return {
        f"{n} initiators": ratio(runs, point(STATIC_64, n), point(TUNED, n), bandwidth)
        for n in INITIATORS
    }


def _aimd_over_none(runs: Runs) -> Measured:
    return {
        f"{n} initiators": ratio(runs, point(AIMD, n), point(BASELINE, n), bandwidth)
        for n in INITIATORS
    }


FIGURE = WORDS.figure(
    "fig6_2",
    runs=varied_initiators,
    charts={
        "bandwidth": over_initiators(
            "Effective bandwidth", _SCHEMES, BANDWIDTH, {"": bandwidth}, limit=LIMIT
        )
    },
    claims=[
        WORDS.claim(
            "G03",
            measure=lambda runs: values(runs, _of(TUNED, 64), bandwidth),
            holds=lambda values: values[""] >= 0.95 * LIMIT,
        ),
        WORDS.claim(
            "G04",
            measure=lambda runs: values(runs, _of(BASELINE, 64), bandwidth),
            holds=close_to(1.0, 0.1),
        ),
        WORDS.claim(
            "G10",
            measure=_static_over_tuned,
            holds=lambda values: all(values[f"{n} initiators"] <= 0.5 for n in _FEWER),
        ),
        WORDS.claim(
            "G08",
            measure=_aimd_over_none,
            holds=close_to(1.0, 0.05),
        ),
    ],
)
