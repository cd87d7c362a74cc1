"""Fig. 6.11: mean and maximum latency of an all-reduce with 3CPO."""

from __future__ import annotations

from incast.papers.claim import Measured, Values
from incast.papers.figure import Runs
from incast.papers.seeds import difference, ratio

from incast_papers.threecpo.algorithms import AIMD, BASELINE, PRINTED, REPAIRED, STATIC_64, TUNED
from incast_papers.threecpo.metrics import (
    LATENCY,
    cycles_text,
    longest,
    mean,
    other_choices,
    over_initiators,
    tails,
    values,
)
from incast_papers.threecpo.networks import (
    AT_ONCE,
    SPREAD_STARTS,
    at_spread,
    point,
    varied_and_spread,
)
from incast_papers.threecpo.words import WORDS

_SHOWN = (PRINTED, BASELINE, TUNED, REPAIRED)


def _lower_by(runs: Runs) -> Measured:
    """The reduction of the mean latency below the tuned window's, in cycles."""
    return {
        AT_ONCE: difference(runs, point(TUNED, 64), point(PRINTED, 64), mean),
        SPREAD_STARTS: difference(runs, at_spread(TUNED), at_spread(PRINTED), mean),
    }


def _over_tuned(runs: Runs) -> Measured:
    """Ratios of mean and maximum latency to the tuned window's."""
    return {
        f"{name}, {where}": ratio(runs, label, tuned, metric)
        for name, metric in (("mean", mean), ("longest", longest))
        for where, label, tuned in (
            (AT_ONCE, point(PRINTED, 64), point(TUNED, 64)),
            (SPREAD_STARTS, at_spread(PRINTED), at_spread(TUNED)),
        )
    }


def _similar(where: str, found: Values) -> bool:
    return found[f"mean, {where}"] <= 1.1 and found[f"longest, {where}"] <= 2


FIGURE = WORDS.figure(
    "fig6_11",
    runs=varied_and_spread,
    charts={
        "latency": over_initiators(
            "Latency",
            (PRINTED, BASELINE, TUNED, AIMD, STATIC_64, REPAIRED),
            LATENCY,
            {"mean": mean, "longest": longest},
        ),
        "tail-at-once": tails(
            "64 initiators, starts at once", {each: point(each, 64) for each in _SHOWN}
        ),
        "tail-spread": tails(
            "64 initiators, starts spread", {each: at_spread(each) for each in _SHOWN}
        ),
    },
    claims=[
        WORDS.claim(
            "G02",
            measure=_lower_by,
            holds=lambda values: 100 <= values[AT_ONCE] <= 400,
            trend=lambda values: 100 <= values[SPREAD_STARTS] <= 400,
            show=cycles_text,
            variations=other_choices(),
            distance=lambda values: abs(values[AT_ONCE] - 200),
        ),
        WORDS.claim(
            "G14",
            measure=_over_tuned,
            holds=lambda values: _similar(AT_ONCE, values),
            trend=lambda values: _similar(SPREAD_STARTS, values),
            variations=other_choices(),
            distance=lambda values: values[f"longest, {AT_ONCE}"],
        ),
        WORDS.claim(
            "T03",
            measure=lambda runs: values(
                runs, {AT_ONCE: point(REPAIRED, 64), SPREAD_STARTS: at_spread(REPAIRED)}, longest
            ),
            holds=lambda values: all(each <= 5000 for each in values.values()),
            show=cycles_text,
        ),
    ],
)
