"""Figure 11: tail slowdown under web search and storage traffic."""

from __future__ import annotations

from incast.measure.metrics import flow_share
from incast.papers import panels, seeds
from incast.papers.claim import Claim, Values
from incast.papers.figure import Runs
from incast.papers.tolerances import at_least
from incast.present.units import percent_text

from incast_papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast_papers.fairness.figures.fig10 import halved, small_flows
from incast_papers.fairness.metrics import (
    LARGE,
    SEVERAL,
    each,
    large_tail,
    pooled,
    small_tail,
    tail_points,
)
from incast_papers.fairness.networks import websearch_storage
from incast_papers.fairness.words import WORDS

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)


def _rises(number: str, label: str) -> Claim:
    return WORDS.claim(
        number,
        measure=each(lambda run: large_tail(run) / small_tail(run), label),
        holds=at_least(SEVERAL),
        trend=at_least(1.2),
    )


def _lower(number: str, default: str, label: str) -> Claim:
    return WORDS.claim(
        number,
        measure=lambda runs: tail_points(runs, default, over=label),
        holds=at_least(SEVERAL),
        trend=at_least(1.2),
        values={"tails": pooled(default, label)},
    )


def _shares(runs: Runs) -> Values:
    return {
        "web search above 1 MB": flow_share(seeds.first(runs, HPCC), above=LARGE, traffic=0),
        "storage below 128 KB": flow_share(seeds.first(runs, HPCC), up_to=128e3, traffic=1),
        "storage below 256 KB": flow_share(seeds.first(runs, HPCC), up_to=256e3, traffic=1),
        "storage below 2 MB": flow_share(seeds.first(runs, HPCC), up_to=2e6, traffic=1),
    }


_SHARES = {
    "web search above 1 MB": 0.30,
    "storage below 128 KB": 0.96,
    "storage below 256 KB": 0.975,
    "storage below 2 MB": 1.0,
}

FIGURE = WORDS.figure(
    "fig11",
    runs=lambda scale: websearch_storage(scale, *_ALL),
    charts={"tail": panels.slowdown("99.9th-percentile FCT slowdown", 99.9, *_ALL)},
    claims=[
        _rises("B15-hpcc", HPCC),
        _rises("B15-swift", SWIFT),
        _lower("B16-hpcc", HPCC, HPCC_VAI_SF),
        _lower("B16-swift", SWIFT, SWIFT_VAI_SF),
        halved("B13-web-hpcc", HPCC, HPCC_VAI_SF),
        halved("B13-web-swift", SWIFT, SWIFT_VAI_SF),
        small_flows("B14-web-hpcc", HPCC, HPCC_VAI_SF),
        small_flows("B14-web-swift", SWIFT, SWIFT_VAI_SF),
        WORDS.claim(
            "B28",
            measure=_shares,
            holds=lambda values: all(
                abs(values[name] - share) <= (0.02 if "web" in name else 0.01)
                for name, share in _SHARES.items()
            ),
            show=percent_text,
        ),
    ],
)
