"""Figure 10: tail slowdown under Hadoop traffic."""

from __future__ import annotations

import numpy as np
from incast.measure.metrics import flow_share
from incast.measure.run import Run
from incast.measure.statistics import Median
from incast.papers import panels, seeds
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import Runs
from incast.papers.points import Points
from incast.papers.tolerances import at_most, of, within
from incast.present.units import bytes_text, percent_text, ratio_text

from incast_papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast_papers.fairness.metrics import (
    LARGE,
    RANGE_SLACK,
    SMALL,
    by_length,
    large_tail,
    pooled,
    small_tail,
    tail_points,
    tails_by_length,
)
from incast_papers.fairness.networks import hadoop
from incast_papers.fairness.words import WORDS

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)


def _ratios(runs: Runs, default: str, label: str) -> dict[str, float]:
    """The default's tail slowdown over that of a label, by point."""
    found = tail_points(runs, default, over=label)
    return {size: at.median for size, at in found.items() if isinstance(at, Median)}


def _least(runs: Runs, default: str, label: str) -> tuple[str, float]:
    """The point with the smallest reduction of the tail, and that reduction."""
    ratios = _ratios(runs, default, label)
    size = min(ratios, key=ratios.__getitem__)
    return size, ratios[size]


def _default(number: str, label: str) -> Claim:
    return WORDS.claim(
        number,
        measure=lambda runs: tails_by_length(runs, label),
        holds=within(20, 40, slack=RANGE_SLACK),
        values={"by_length": by_length(label), "tails": pooled(label)},
    )


def both_parts(number: str, default: str, label: str) -> Claim:
    """The claim on the tail of long flows under Variable AI and Sampling Frequency."""
    return WORDS.claim(
        number,
        measure=lambda runs: tails_by_length(runs, label),
        holds=within(10, 15, slack=RANGE_SLACK),
        trend=lambda values: max(values.values()) <= 20,
        values={
            "by_length": by_length(label),
            "one_busy": lambda runs: _busiest_receiver(seeds.first(runs, label)),
            "tails": pooled(label),
        },
    )


_ONE_RECEIVER = WORDS.text("one_receiver", "slow", "all", "host")


def _busiest_receiver(run: Run) -> str:
    """The largest share of the slowest flows that have the same receiver."""
    flows = run.completed
    large = flows.numbers("size_bytes") > LARGE
    slow = large & (flows.numbers("slowdown") > large_tail(run))
    receivers, counts = np.unique(flows.numbers("destination")[slow], return_counts=True)
    if not len(receivers):
        return ""
    busiest = counts.argmax()
    return _ONE_RECEIVER.format(slow=counts[busiest], all=counts.sum(), host=receivers[busiest])


def halved(number: str, default: str, label: str) -> Claim:
    """The claim that the tail of long flows falls to less than half."""
    return WORDS.claim(
        number,
        measure=lambda runs: tail_points(runs, default, over=label),
        holds=lambda values: min(values.values()) >= 2,
        trend=lambda values: min(values.values()) >= 1.2,
        values={
            "points": lambda runs: str(len(_ratios(runs, default, label))),
            "points_that_halve": lambda runs: str(
                sum(ratio >= 2 for ratio in _ratios(runs, default, label).values())
            ),
            "least": lambda runs: f"{_least(runs, default, label)[1]:.2f}",
            "least_point": lambda runs: _least(runs, default, label)[0],
            "tails": pooled(default, label),
        },
    )


def small_flows(number: str, default: str, label: str) -> Claim:
    """The claim that small flows do not become slower."""

    def points(runs: Runs) -> Points:
        return Points.of(runs, label, 99.9).over(Points.of(runs, default, 99.9)).up_to(SMALL)

    def measure(runs: Runs) -> Measured:
        medians = points(runs).medians()
        worst = max(medians, key=lambda at: at.median)
        size = bytes_text(float(points(runs).sizes[medians.index(worst)]))
        return {
            "all of them": seeds.median_ratio(runs, label, default, small_tail),
            f"highest point, to {size}": worst,
        }

    def ratios(runs: Runs) -> list[float]:
        return [at.median for at in points(runs).medians()]

    return WORDS.claim(
        number,
        measure=measure,
        holds=at_most(1.1),
        trend=of("all of them", at_most(1.1)),
        values={
            "points": lambda runs: str(len(ratios(runs))),
            "points_above": lambda runs: str(sum(ratio > 1.1 for ratio in ratios(runs))),
            "middle_point": lambda runs: ratio_text(float(np.median(ratios(runs)))),
        },
    )


def _shares(runs: Runs) -> Values:
    run = seeds.first(runs, HPCC)
    return {
        "below 300 KB": flow_share(run, up_to=300e3),
        "above 1 MB": flow_share(run, above=LARGE),
    }


FIGURE = WORDS.figure(
    "fig10",
    runs=lambda scale: hadoop(scale, *_ALL),
    charts={"tail": panels.slowdown("99.9th-percentile FCT slowdown", 99.9, *_ALL)},
    claims=[
        _default("B11-hpcc", HPCC),
        _default("B11-swift", SWIFT),
        both_parts("B12-hpcc", HPCC, HPCC_VAI_SF),
        both_parts("B12-swift", SWIFT, SWIFT_VAI_SF),
        halved("B13-hpcc", HPCC, HPCC_VAI_SF),
        halved("B13-swift", SWIFT, SWIFT_VAI_SF),
        small_flows("B14-hpcc", HPCC, HPCC_VAI_SF),
        small_flows("B14-swift", SWIFT, SWIFT_VAI_SF),
        WORDS.claim(
            "B27",
            measure=_shares,
            holds=lambda values: (
                abs(values["below 300 KB"] - 0.95) <= 0.005
                and abs(values["above 1 MB"] - 0.025) <= 0.003
            ),
            show=percent_text,
        ),
    ],
)
