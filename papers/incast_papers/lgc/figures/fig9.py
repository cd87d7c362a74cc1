"""Figure 9: round trips of incasts."""

from __future__ import annotations

from collections.abc import Callable

from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import Runs
from incast.papers.seeds import median
from incast.present.units import seconds_text

from incast_papers.lgc.algorithms import DCTCP, LGC, LGC_TWO
from incast_papers.lgc.figures.fig7 import QUEUES, lower
from incast_papers.lgc.metrics import rtt_panels, rtt_percentile
from incast_papers.lgc.networks import COUNTS, incast_name, incasts
from incast_papers.lgc.words import WORDS

HIGH = (90, 95)
"""Percentiles that must agree with the median for one distribution to count as lower."""


def of_distribution(*names: str) -> Callable[[Runs], Measured]:
    """The median and high percentiles of RTTs, by the label of the runs."""
    return lambda runs: {
        f"p{percent}, {name}": median(runs, name, rtt_percentile(percent))
        for percent in (50, *HIGH)
        for name in names
    }


def medians(values: Values) -> Values:
    """The medians among the values of :func:`of_distribution`, by the label of the runs."""
    mark = "p50, "
    return {
        name.removeprefix(mark): value for name, value in values.items() if name.startswith(mark)
    }


def not_longer(values: Values, own: str, other: str) -> bool:
    """Whether no high percentile of `own` is above that of `other`."""
    return all(values[f"p{percent}, {own}"] <= values[f"p{percent}, {other}"] for percent in HIGH)


def _l30(number: str, own: str) -> Claim:
    names = [incast_name(flows, label) for flows in COUNTS for label in (own, DCTCP)]

    def holds(values: Values) -> bool:
        high = all(
            not_longer(values, incast_name(flows, own), incast_name(flows, DCTCP))
            for flows in COUNTS
        )
        return high and lower(own, DCTCP, 0.9, counts=3)(medians(values))

    return WORDS.claim(
        number,
        measure=of_distribution(*names),
        holds=holds,
        trend=lambda values: lower(own, DCTCP, 1.0, counts=2)(medians(values)),
        show=seconds_text,
        values=QUEUES,
    )


_PANELS = dict(zip(("a-5-flows", "b-20-flows", "c-40-flows"), COUNTS, strict=True))

FIGURE = WORDS.figure(
    "fig9",
    runs=incasts(COUNTS, LGC, DCTCP, LGC_TWO),
    charts=rtt_panels(
        {file: f"Round trips, {flows} flows" for file, flows in _PANELS.items()},
        {
            file: {incast_name(flows, label): label for label in (LGC, DCTCP, LGC_TWO)}
            for file, flows in _PANELS.items()
        },
    ),
    claims=[
        _l30("L30", LGC),
        _l30("L30-two", LGC_TWO),
    ],
)
