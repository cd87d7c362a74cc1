"""Figure 10: tail slowdown under Hadoop traffic."""

from __future__ import annotations

import numpy as np

from incast.measure.metrics import flow_share
from incast.measure.run import Run
from incast.measure.statistics import Median
from incast.papers.fairness.algorithms import HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.metrics import (
    LARGE,
    RANGE_SLACK,
    RANGE_WHY,
    RATIO_OF_TAILS,
    SMALL,
    TAIL,
    by_length,
    large_tail,
    pooled,
    small_tail,
    tail_points,
    tails_by_length,
)
from incast.papers.fairness.networks import DATACENTER_SCALED, hadoop
from incast.papers.framework import panels, seeds
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure, Runs
from incast.papers.framework.points import Points
from incast.papers.framework.tolerances import at_most, of, within
from incast.present.units import bytes_text, percent_text, ratio_text

_ALL = (HPCC, HPCC_VAI_SF, SWIFT, SWIFT_VAI_SF)
_SETUP = (
    "320 hosts in HPCC's fat tree, Hadoop sizes at 50 % load, three seeds: one of the paper's 50 "
    "ms of arrivals, two of 20 ms. A run ends when all flows have finished."
)


def _at_which_points(default: str, label: str) -> Text:
    """At which points the tail halves."""

    def told(runs: Runs) -> str:
        found = tail_points(runs, default, over=label)
        ratios = {size: at.median for size, at in found.items() if isinstance(at, Median)}
        halved = sum(ratio >= 2 for ratio in ratios.values())
        least = min(ratios, key=ratios.__getitem__)
        return (
            f"It halves at {halved} of {len(ratios)} points; the least is {ratios[least]:.2f} "
            f"times less, {least}."
        )

    return told


def _default(number: str, label: str) -> Claim:
    return Claim(
        number,
        f"flows above 1 MB have a 99.9th-percentile slowdown of 20 to 40 under {label}",
        claimed="20–40 (also: 30–40)",
        metric=TAIL,
        measure=lambda runs: tails_by_length(runs, label),
        holds=within(20, 40, slack=RANGE_SLACK),
        tolerance=RANGE_WHY,
        kind=Kind.NUMBER,
        full_only=True,
        note=by_length(label),
        replaced=pooled(label),
    )


def both_parts(number: str, default: str, label: str) -> Claim:
    """The claim on the tail of long flows with both parts."""
    return Claim(
        number,
        f"flows above 1 MB have a 99.9th-percentile slowdown of 10 to 15 under {label}",
        claimed="10–15",
        metric=TAIL,
        measure=lambda runs: tails_by_length(runs, label),
        holds=within(10, 15, slack=RANGE_SLACK),
        trend=lambda values: max(values.values()) <= 20,
        tolerance=f"{RANGE_WHY}; as a trend, at most the 20 that the default has at least",
        kind=Kind.NUMBER,
        full_only=True,
        note=(by_length(label), lambda runs: _busiest_receiver(seeds.first(runs, label))),
        replaced=pooled(label),
    )


def _busiest_receiver(run: Run) -> str:
    """The share of the slowest flows that one receiver has."""
    flows = run.completed
    large = flows.numbers("size_bytes") > LARGE
    slow = large & (flows.numbers("slowdown") > large_tail(run))
    receivers, counts = np.unique(flows.numbers("destination")[slow], return_counts=True)
    if not len(receivers):
        return ""
    busiest = counts.argmax()
    return (
        f"With seed 1, {counts[busiest]} of the {counts.sum()} flows above 1 MB that are beyond "
        f"p99.9 have one receiver, host {receivers[busiest]}: the draw of the traffic decides "
        "much of the tail."
    )


def halved(number: str, default: str, label: str, *, where: str = "abstract, §VI-B") -> Claim:
    """The claim that the tail of long flows is less than half."""
    return Claim(
        number,
        f"{label} halves the 99.9th-percentile slowdown of flows above 1 MB",
        where=where,
        claimed="> 2 times less",
        metric=f"{RATIO_OF_TAILS}, {default} over {label}",
        measure=lambda runs: tail_points(runs, default, over=label),
        holds=lambda values: min(values.values()) >= 2,
        trend=lambda values: min(values.values()) >= 1.2,
        tolerance="none: 'over 2x', at each point; as a trend, at least a fifth",
        kind=Kind.NUMBER,
        full_only=True,
        explanation=_at_which_points(default, label),
        replaced=pooled(default, label),
    )


def small_flows(number: str, default: str, label: str) -> Claim:
    """The claim that small flows do not pay for it."""

    def measure(runs: Runs) -> Measured:
        points = Points.of(runs, label, 99.9).over(Points.of(runs, default, 99.9)).up_to(SMALL)
        medians = points.medians()
        worst = max(medians, key=lambda at: at.median)
        size = bytes_text(float(points.sizes[medians.index(worst)]))
        return {
            "all of them": seeds.median_ratio(runs, label, default, small_tail),
            f"highest point, to {size}": worst,
        }

    def middle_point(runs: Runs) -> str:
        points = Points.of(runs, label, 99.9).over(Points.of(runs, default, 99.9)).up_to(SMALL)
        medians = [at.median for at in points.medians()]
        more = sum(ratio > 1.1 for ratio in medians)
        return (
            f"{more} of {len(medians)} points are more than 10 % higher; the middle one of all is "
            f"{ratio_text(float(np.median(medians)))}."
        )

    return Claim(
        number,
        f"small flows finish as quickly under {label} as under {default}",
        claimed="not worse",
        metric=f"99.9th-percentile FCT slowdown of flows up to 100 KB, {label} over {default}, of "
        "all of them and at each point, median (range) of the seeds",
        measure=measure,
        holds=at_most(1.1),
        trend=of("all of them", at_most(1.1)),
        tolerance="at most 10 % larger at every point: less cannot be seen in the figure; as a "
        "trend, of all of them",
        full_only=True,
        explanation=middle_point,
        replaced="that of all of them alone, which hides points that are worse.",
    )


def _shares(runs: Runs) -> Values:
    run = seeds.first(runs, HPCC)
    return {
        "below 300 KB": flow_share(run, up_to=300e3),
        "above 1 MB": flow_share(run, above=LARGE),
    }


FIGURE = Figure(
    id="fig10",
    title="Tail slowdown under Hadoop traffic",
    where="Fig. 10; dissertation Fig. 4.7",
    setup=_SETUP,
    scaled=DATACENTER_SCALED,
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
        Claim(
            "B27",
            "95 % of Hadoop's flows are below 300 KB, 2.5 % above 1 MB",
            where="§VI-A",
            claimed="95 %, 2.5 %",
            metric="share of flows, by number",
            measure=_shares,
            holds=lambda values: (
                abs(values["below 300 KB"] - 0.95) <= 0.005
                and abs(values["above 1 MB"] - 0.025) <= 0.003
            ),
            tolerance="0.5 and 0.3 percentage points: the flows are drawn at random",
            kind=Kind.THEORY,
            show=percent_text,
        ),
    ],
)
