"""Beyond the paper: FNCC+, which has an average for every hop, beside FNCC as printed and HPCC."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array
from incast.measure.statistics import Average
from incast.papers.fncc.algorithms import FNCC, FNCC_PLUS, FNCC_PLUS_TABLE, FNCC_TABLE, HPCC
from incast.papers.fncc.figures.fig14 import EQUAL_AT_ONCE, over_hpcc
from incast.papers.fncc.metrics import (
    HADOOP_DECILES,
    WEB_SEARCH_DECILES,
    Statistic,
    jitter,
    mean,
    mean_rate,
    peak,
    percentile,
    rates,
    ratios,
    slowdown,
    utilisation,
)
from incast.papers.fncc.networks import LOADS_SCALED, STARTS, at, elephants, tree, trees
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.explanation import Text
from incast.papers.framework.panels import Panel, averaged
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import average, difference, over, ratio
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import Dash
from incast.present.units import percent_text, ratio_text

_LABELS = (HPCC, FNCC, FNCC_PLUS, FNCC_TABLE, FNCC_PLUS_TABLE)
_FORMS = (FNCC_PLUS, FNCC_PLUS_TABLE)
_HOPS = (1, 2, 3, 4, 5)
_RATES = (100, 200, 400, 800)
_SIZES = {
    "web": ("web-search", "web search", WEB_SEARCH_DECILES),
    "hadoop": ("fb-hadoop", "Hadoop", HADOOP_DECILES),
}
_NOTE = (
    "Means of ten runs with 95 % confidence intervals; the second elephant starts at random, up "
    "to a base RTT of 12.5 µs later."
)
_WHERE = "not in the paper"


def _hops(label: str, hops: int) -> str:
    return f"{label}, {hops} switches"


def _runs(scale: Scale) -> dict[str, RunPlan]:
    planned: dict[str, RunPlan] = {}
    starts = range(1, len(STARTS) + 1)
    for label in _LABELS:
        for hops in _HOPS:
            planned |= over(starts, _hops(label, hops), _started(label, 100, hops))
        for gbps in _RATES:
            planned |= over(starts, at(label, gbps), _started(label, gbps, 3))
        for sizes, _, _ in _SIZES.values():
            planned |= trees(label, sizes, scale)
    return planned


def _started(label: str, gbps: int, switches: int) -> Callable[[int], RunPlan]:
    return lambda start: elephants(label, gbps, switches=switches, late=STARTS[start - 1])


Metric = Callable[[Run], float]


def _line_rate(run: Run) -> float:
    return float(run.ports.numbers("rate_bps").max())


def _swings(run: Run) -> float:
    """Of rates, as a share of the link's."""
    return jitter(run) / _line_rate(run)


def _queue_time(run: Run) -> float:
    """Seconds that the longest queue takes to leave."""
    return peak(run) * 8 / _line_rate(run)


_METRICS: dict[str, tuple[str, Metric, Axis]] = {
    "utilisation": ("Utilisation", utilisation, Axis("utilisation", Quantity.RATIO)),
    "swings": (
        "Swings of rates",
        _swings,
        Axis("swings over link rate", Quantity.RATIO, lower=0),
    ),
    "queue": ("Longest queue", _queue_time, Axis("time to leave", Quantity.TIME, lower=0)),
}


def _panel(
    name: str, over_what: str, x: Axis, keys: Sequence[int], run_label: Callable[[str, int], str]
) -> Panel:
    """A metric over the number of switches, or the rate of links."""
    title, metric, y = _METRICS[name]
    places = list(range(len(keys)))

    def draw(runs: Runs) -> Chart:
        curves = []
        for colour, label in enumerate(_LABELS):
            found = [average(runs, run_label(label, key), metric) for key in keys]
            curves.append(_curve(label, colour, places, found))
        return Chart(name, f"{title} over {over_what}", x, y, curves, note=_NOTE)

    return draw


def _curve(label: str, colour: int, x: Sequence[float], found: Sequence[Average]) -> Curve:
    dash: Dash = "dashed" if " table " in label else "solid"
    return averaged(label, x, found, colour, mark="points", dash=dash)


_SLOWDOWNS: dict[str, tuple[str, Statistic]] = {
    "mean": ("Mean slowdown", mean),
    "p99": ("p99 of the slowdown", percentile(99)),
}


def _over_hpcc(key: str, part: str) -> Panel:
    _, name, edges = _SIZES[key]
    title, statistic = _SLOWDOWNS[part]

    def draw(runs: Runs) -> Chart:
        curves = []
        for colour, label in enumerate(_LABELS[1:]):
            ratios = _ratios(runs, label, key, statistic)
            found = [Average.of(column.tolist()) for column in ratios.T]
            curves.append(_curve(label, colour, edges, found))
        return over_hpcc(f"{part}-{key}", f"{title} over HPCC's, {name}", curves, upper=1.1)

    return draw


def _ratios(runs: Runs, label: str, key: str, statistic: Statistic) -> Array:
    """By seed and class of size, over HPCC's."""
    sizes, _, edges = _SIZES[key]
    return ratios(runs, tree(label, sizes), tree(HPCC, sizes), statistic, edges)


_BY_HOPS = Axis(
    "switches that both share", Quantity.COUNT, names=tuple(f"{hops}" for hops in _HOPS)
)
_BY_RATE = Axis("link rate", Quantity.COUNT, names=tuple(f"{gbps} Gb/s" for gbps in _RATES))
_CHARTS: dict[str, Panel] = {
    **{
        f"{name}-hops": _panel(name, "shared switches", _BY_HOPS, _HOPS, _hops) for name in _METRICS
    },
    **{f"{name}-rates": _panel(name, "link rates", _BY_RATE, _RATES, at) for name in _METRICS},
    **{f"{part}-{key}": _over_hpcc(key, part) for key in _SIZES for part in _SLOWDOWNS},
}


def _everywhere(metric: Callable[[Runs, str, str], Average]) -> Callable[[Runs], Measured]:
    """A comparison of FNCC+ with HPCC, by place."""

    def measure(runs: Runs) -> Measured:
        chains = {f"{hops} switches": (_hops, hops) for hops in _HOPS}
        links = {f"{gbps} Gb/s": (at, gbps) for gbps in _RATES[1:]}
        return {
            place: metric(runs, named(FNCC_PLUS, key), named(HPCC, key))
            for place, (named, key) in {**chains, **links}.items()
        }

    return measure


def _elephants(
    number: str,
    says: str,
    claimed: str,
    measure: Callable[[Runs, str, str], Average],
    bound: Callable[[float], bool],
    metric: str,
    explanation: Text = "",
) -> Claim:
    return Claim(
        number,
        says,
        claimed=claimed,
        measure=_everywhere(measure),
        holds=lambda values: all(map(bound, values.values())),
        trend=lambda values: sum(map(bound, values.values())) > len(values) / 2,
        tolerance="none: at one to five shared switches and 200 to 800 Gb/s; as a trend, at most "
        "of them",
        metric=metric,
        kind=Kind.OURS,
        show=percent_text,
        explanation=explanation,
    )


def _tree_ratio(statistic: Statistic, **sizes: float) -> Callable[[Runs], Measured]:
    """FNCC+'s statistic over HPCC's and over FNCC's, under both loads."""

    def of_run(run: Run) -> float:
        return slowdown(run, statistic, **sizes)

    def measure(runs: Runs) -> Measured:
        return {
            f"{label} over {other}, {name}": ratio(
                runs, tree(label, kind), tree(other, kind), of_run
            )
            for kind, name, _ in _SIZES.values()
            for label, other in ((FNCC_PLUS, HPCC), (FNCC_PLUS, FNCC), (FNCC_PLUS_TABLE, HPCC))
        }

    return measure


def _finishes(
    number: str, says: str, claimed: str, statistic: Statistic, metric: str, **sizes: float
) -> Claim:
    return Claim(
        number,
        says,
        claimed=claimed,
        measure=_tree_ratio(statistic, **sizes),
        holds=lambda values: all(
            value < 1 for name, value in values.items() if f"over {HPCC}" in name
        ),
        tolerance="none: below HPCC's under both loads, with either table; means of five seeds",
        metric=metric,
        kind=Kind.OURS,
        full_only=True,
        show=ratio_text,
    )


def _worst_class(runs: Runs) -> Measured:
    values = {}
    for key, (_, name, _) in _SIZES.items():
        ratios = _ratios(runs, FNCC_PLUS, key, mean)
        values[name] = Average.of(ratios[:, int(np.argmax(ratios.mean(axis=0)))].tolist())
    return values


def _table_matters(runs: Runs) -> Measured:
    return {
        f"{hops} switches": difference(
            runs, _hops(FNCC_PLUS_TABLE, hops), _hops(FNCC_PLUS, hops), utilisation
        )
        for hops in _HOPS
    }


_HEARS_SOONER = (
    "flow0 hears of the queue sooner than flow1, whose first ACK takes a round trip, and goes "
    "further down; under HPCC both hear at the same time. The two then keep these rates, since "
    "nothing in the runs is random and their phases lock (P01). With one packet in a hundred at "
    "random FNCC's even out, and five seeds do not tell whether FNCC+'s do (P02). Variable AI and "
    "Sampling Frequency, which FNCC takes as well, are parts for fairness."
)


def _smaller_share(run: Run) -> float:
    """The slower elephant's mean rate over the fair one, from 300 to 400 µs after the second's
    start.
    """
    flows = [mean_rate(run, flow, 300e-6, 400e-6) for flow in rates(run)]
    return min(flows) / (sum(flows) / len(flows))


FIGURE = Figure(
    id="plus",
    title="FNCC+: an average for every hop",
    where=_WHERE,
    setup="FNCC+ is ours: each hop has an average U_i over half a base RTT, the largest counts, "
    "and LHCS looks at it, too. Two elephants over one to five switches that both share, and over "
    "three at 100 to 800 Gb/s; the traffic of Figs. 14 and 15. Live tables, and tables refreshed "
    "every 1 µs. What is claimed here is our expectation, written down after runs with one start "
    "and one seed had been seen; half a base RTT was chosen then, from a quarter, a half and a "
    "whole.",
    scaled=LOADS_SCALED,
    runs=_runs,
    charts=_CHARTS,
    claims=[
        _elephants(
            "W01",
            "FNCC+ keeps the congested link busier than HPCC",
            "busier (ours)",
            lambda runs, ours, theirs: difference(runs, ours, theirs, utilisation),
            lambda value: value > 0,
            "utilisation less HPCC's",
            "Over one switch only the last hop is congested, where LHCS goes to 0.9 of the fair "
            "rate while the queue drains.",
        ),
        _elephants(
            "W02",
            "under FNCC+ rates swing less than under HPCC",
            "half as much (ours)",
            lambda runs, ours, theirs: ratio(runs, ours, theirs, jitter),
            lambda value: value <= 0.5,
            "swings of rates over HPCC's",
            "Over one or two switches HPCC's rates hardly swing.",
        ),
        _elephants(
            "W03",
            "under FNCC+ the queue is shallower than under HPCC",
            "a fifth (ours)",
            lambda runs, ours, theirs: ratio(runs, ours, theirs, peak),
            lambda value: value <= 0.8,
            "peak of the queue over HPCC's",
        ),
        _finishes(
            "W04",
            "flows finish sooner under FNCC+ than under HPCC on average",
            "sooner (ours)",
            mean,
            "mean slowdown, ratio",
        ),
        _finishes(
            "W05-short",
            "the tail of flows up to 100 KB is lower under FNCC+ than under HPCC",
            "lower (ours)",
            percentile(99),
            "p99 of the slowdown up to 100 KB, ratio",
            up_to=100e3,
        ),
        _finishes(
            "W05-long",
            "the tail of flows above 1 MB is lower under FNCC+ than under HPCC",
            "lower (ours)",
            percentile(99),
            "p99 of the slowdown above 1 MB, ratio",
            above=1e6,
        ),
        Claim(
            "W06",
            "no class of sizes pays for it on average",
            claimed="none (ours)",
            measure=_worst_class,
            holds=lambda values: all(value <= 1.02 for value in values.values()),
            tolerance="mean slowdown of each of ten classes at most 2 % above HPCC's",
            metric="mean slowdown of the worst class over HPCC's",
            kind=Kind.OURS,
            full_only=True,
            show=ratio_text,
            explanation=EQUAL_AT_ONCE,
        ),
        Claim(
            "W07",
            "how often switches refresh their tables does not matter to FNCC+",
            claimed="not (ours)",
            measure=_table_matters,
            holds=lambda values: all(abs(value) <= 0.01 for value in values.values()),
            tolerance="one percentage point",
            metric="utilisation with a table refreshed every 1 µs less that with a live one",
            kind=Kind.OURS,
            show=percent_text,
        ),
        _elephants(
            "W08",
            "two elephants share as fairly under FNCC+ as under HPCC",
            "as fairly (ours)",
            lambda runs, ours, theirs: difference(runs, ours, theirs, _smaller_share),
            lambda value: value >= -0.05,
            "the slower one's share of what is fair, less HPCC's",
            explanation=_HEARS_SOONER,
        ),
    ],
)
