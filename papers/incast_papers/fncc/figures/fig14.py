"""Figure 14: slowdown by flow size under web search traffic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from incast.measure.run import Run
from incast.measure.series import Array
from incast.measure.statistics import Average, Median
from incast.papers import panels
from incast.papers.claim import Claim, Measured
from incast.papers.explanation import Text
from incast.papers.figure import Figure, RunPlan, Runs, Scale
from incast.papers.restyled import log_values
from incast.papers.seeds import average, pairs, seeded
from incast.papers.tolerances import both
from incast.papers.variations import Variation
from incast.papers.words import NO_VALUES
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, ratio_text

from incast_papers.fncc.algorithms import (
    AS_PRINTED,
    DCQCN,
    FNCC,
    FNCC_PLAIN,
    FNCC_PRINTED,
    FNCC_SINGLE,
    FNCC_TABLE,
    HPCC,
    ONCE_PER_ACK,
    OTHER_AVERAGE,
    Reading,
)
from incast_papers.fncc.metrics import (
    WEB_SEARCH_DECILES,
    Statistic,
    Variations,
    by_seed,
    change,
    mean,
    near,
    off,
    paper_claims,
    paper_panels,
    percentile,
    ratios,
    slowdown,
    with_variations,
)
from incast_papers.fncc.networks import datacenter, seeds
from incast_papers.fncc.words import WORDS

_RIVALS = (FNCC, HPCC, DCQCN)
_BESIDE = {Reading.OURS: (FNCC_SINGLE, FNCC_PLAIN, FNCC_TABLE), Reading.PAPER: (FNCC_PRINTED,)}
"""Other forms of FNCC, shown in addition."""
_OURS = (
    Variation(ONCE_PER_ACK.name, {FNCC: FNCC_SINGLE}, hides=OTHER_AVERAGE),
    Variation("without LHCS", {FNCC: FNCC_PLAIN}, hides=OTHER_AVERAGE),
    Variation("tables refreshed every 1 µs", {FNCC: FNCC_TABLE}, hides=OTHER_AVERAGE),
)
_PAPER = (Variation(AS_PRINTED.name, {FNCC: FNCC_PRINTED}, hides=OTHER_AVERAGE),)
"""Variations of all claims, in both settings."""
_LARGE = 1e6
"""The paper's 'larger than 1 MB', in bytes."""

_STATISTICS = {
    "a-mean": ("(a) Average", mean),
    "b-median": ("(b) Median", percentile(50)),
    "c-p95": ("(c) 95th percentile", percentile(95)),
    "d-p99": ("(d) 99th percentile", percentile(99)),
}


RunsOf = Callable[[Scale], Mapping[str, RunPlan]]


def _mean_of_middle(label: str) -> Text:
    """Mean slowdown of flows from 200 KB to 1 MB, in words."""

    def told(runs: Runs) -> str:
        found = average(runs, label, lambda run: slowdown(run, mean, above=200e3, up_to=1e6))
        return f"{found.mean:.2f}"

    return told


_VALUES: Mapping[str, Text] = {
    "mean_with": _mean_of_middle(FNCC),
    "mean_without": _mean_of_middle(FNCC_PLAIN),
    "mean_of_hpcc": _mean_of_middle(HPCC),
}


def _no_more(scale: Scale) -> Mapping[str, RunPlan]:
    return {}


def _runs(sizes: str, more: RunsOf) -> Callable[[Scale], dict[str, RunPlan]]:
    return lambda scale: {
        **{
            seeded(reading.of(label), seed): datacenter(label, sizes, scale, seed, reading)
            for reading, beside in _BESIDE.items()
            for label in (*_RIVALS, *beside)
            for seed in seeds(scale)
        },
        **more(scale),
    }


def beside(runs: Runs) -> list[str]:
    """The other forms of FNCC for which there are runs."""
    labels = [label for labels in _BESIDE.values() for label in labels]
    return [label for label in labels if seeded(label, 1) in runs]


def other_average(runs: Runs) -> list[str]:
    """FNCC with the average that this setting does not use."""
    return [label for label in beside(runs) if label in OTHER_AVERAGE]


UPPER_END = "all, upper end"
"""The label of the upper end of an interval."""


def upper_end(average: Average) -> float:
    """The upper end of the 95 % interval; for one run, the number itself."""
    return average.mean if np.isnan(average.half_width) else average.mean + average.half_width


def beyond_chance(values: Mapping[str, float]) -> bool:
    """Whether the change is negative over the whole interval."""
    return values[UPPER_END] < 0


def median_against(rival: str) -> Callable[[Runs], Measured]:
    """The relative difference of FNCC's median slowdown of flows above 1 MB from a rival's."""

    def measure(runs: Runs) -> Measured:
        found = {
            label: change(runs, label, rival, percentile(50), WEB_SEARCH_DECILES, above=_LARGE)
            for label in (FNCC, *other_average(runs))
        }
        others = {label: found[label].all for label in other_average(runs)}
        whole = found[FNCC].all
        return {"up to": found[FNCC].best, "all": whole, UPPER_END: upper_end(whole), **others}

    return measure


def _median(number: str, rival: str, claimed: float) -> Claim:
    return WORDS.claim(
        number,
        measure=median_against(rival),
        holds=both(near(-claimed, "up to"), beyond_chance),
        trend=beyond_chance,
        distance=off(-claimed, "up to"),
        show=percent_text,
    )


def against(statistic: Statistic, edges: Sequence[float]) -> Callable[[Runs], Measured]:
    """Ratios of FNCC's statistic to each rival's, in the worst size class and for all flows
    together; medians over the seeds.
    """

    def whole(run: Run) -> float:
        return slowdown(run, statistic)

    def measure(runs: Runs) -> Measured:
        values = {}
        for rival in (HPCC, DCQCN):
            against = ratios(runs, FNCC, rival, statistic, edges)
            worst = int(np.argmax(np.median(against, axis=0)))
            values[f"worst class vs {rival}"] = Median.of(against[:, worst].tolist())
            both_of = pairs(runs, FNCC, rival, whole)
            values[f"all flows vs {rival}"] = Median.of([one / other for one, other in both_of])
        return values

    return measure


def _worst(values: Mapping[str, float]) -> float:
    """The largest ratio in any size class."""
    return max(value for name, value in values.items() if name.startswith("worst"))


def best(number: str, statistic: Statistic, edges: Sequence[float]) -> Claim:
    """The claim that FNCC's statistic is the lowest in every size class."""
    return WORDS.claim(
        number,
        measure=against(statistic, edges),
        holds=lambda values: all(
            value < 1 for name, value in values.items() if name.startswith("worst")
        ),
        trend=lambda values: all(
            value < 1 for name, value in values.items() if name.startswith("all")
        ),
        distance=_worst,
        values=_VALUES,
        show=ratio_text,
    )


def _rows(label: str, statistic: Statistic, edges: Sequence[float]) -> Callable[[Runs], Array]:
    return lambda runs: by_seed(runs, label, statistic, edges)


def over_hpcc(name: str, title: str, curves: Sequence[Curve], *, upper: float) -> Chart:
    """A chart of slowdown relative to HPCC's, by size class."""
    return Chart(
        name,
        title,
        Axis("flow size", Quantity.SIZE, log=True),
        Axis("slowdown over HPCC's", Quantity.RATIO, lower=0.8, upper=upper),
        list(curves),
        note="Ten classes of size, each of a tenth of the flows, at their upper ends; means "
        "over seeds of the ratio at equal seeds, with 95 % confidence intervals.",
    )


def _ratio_panel(title: str, statistic: Statistic, edges: Sequence[float]) -> panels.Panel:
    """A panel of the statistic under FNCC's forms relative to HPCC's."""

    def draw(runs: Runs) -> Chart:
        curves = []
        for place, label in enumerate((FNCC, *beside(runs))):
            rows = ratios(runs, label, HPCC, statistic, edges)
            curves.append(panels.averaged_rows(label, edges, rows, place, mark="points"))
        ends = np.array([edges[0], edges[-1]], dtype=float)
        curves.append(Curve(HPCC, ends, np.ones(2), len(curves), dash="dashed", group=HPCC))
        return over_hpcc("ratio", title, curves, upper=1.2)

    return draw


def figure(
    number: int,
    name: str,
    sizes: str,
    edges: Sequence[float],
    claims: Sequence[Claim],
    *,
    values: Mapping[str, Text] = NO_VALUES,
    more: RunsOf = _no_more,
    ours: Variations = MappingProxyType({}),
    papers: Variations = MappingProxyType({}),
) -> Figure:
    """The figure of one kind of traffic. Both settings have variations; remarks in the paper's
    setting may have values of their own, and more runs may be added.
    """

    def drawn(reading: Reading) -> dict[str, panels.Panel]:
        labels = (*_RIVALS, *_BESIDE[reading])
        found = {}
        for part, (title, statistic) in _STATISTICS.items():
            rows = {label: _rows(label, statistic, edges) for label in labels}
            found[part] = log_values(panels.averages(f"{title}, {name}", edges, rows))
            found[f"{part}-ratio"] = _ratio_panel(f"{title} over HPCC's, {name}", statistic, edges)
        return found

    in_ours = {claim.id: (*_OURS, *ours.get(claim.id, ())) for claim in claims}
    in_papers = {claim.id: (*_PAPER, *papers.get(claim.id, ())) for claim in claims}
    return WORDS.figure(
        f"fig{number}",
        runs=_runs(sizes, more),
        charts={**drawn(Reading.OURS), **paper_panels(drawn(Reading.PAPER))},
        claims=[
            *with_variations(claims, in_ours),
            *paper_claims(claims, values, in_papers),
        ],
    )


FIGURE = figure(
    14,
    "web search",
    "web-search",
    WEB_SEARCH_DECILES,
    claims=[
        _median("F18", HPCC, 0.124),
        _median("F19", DCQCN, 0.428),
        best("F22-web", mean, WEB_SEARCH_DECILES),
        best("F23", percentile(99), WEB_SEARCH_DECILES),
        best("F23-p95", percentile(95), WEB_SEARCH_DECILES),
    ],
)
