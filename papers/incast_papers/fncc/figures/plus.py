"""Beyond the paper: FNCC+, with an average for each hop, compared with FNCC as printed and HPCC."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from incast.measure.run import Run
from incast.measure.series import Array
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.panels import Panel, averaged
from incast.papers.seeds import average, difference, over, ratio
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import Dash
from incast.present.units import percent_text, ratio_text

from incast_papers.fncc.algorithms import FNCC, FNCC_PLUS, FNCC_PLUS_TABLE, FNCC_TABLE, HPCC
from incast_papers.fncc.figures.fig14 import over_hpcc
from incast_papers.fncc.metrics import (
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
from incast_papers.fncc.networks import STARTS, at, elephants, tree, trees
from incast_papers.fncc.words import WORDS

_LABELS = (HPCC, FNCC, FNCC_PLUS, FNCC_TABLE, FNCC_PLUS_TABLE)
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
    """Size of the swings of rates, relative to the link rate."""
    return jitter(run) / _line_rate(run)


def _queue_time(run: Run) -> float:
    """Transmission time of the longest queue, in seconds."""
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
    """A panel of a metric over the number of switches, or over the link rate."""
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
    """Ratios of the statistic to HPCC's, by seed and size class."""
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
    """A comparison of FNCC+ with HPCC by a metric, for each number of switches and link rate."""

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
    measure: Callable[[Runs, str, str], Average],
    bound: Callable[[float], bool],
) -> Claim:
    return WORDS.claim(
        number,
        measure=_everywhere(measure),
        holds=lambda values: all(map(bound, values.values())),
        trend=lambda values: sum(map(bound, values.values())) > len(values) / 2,
        show=percent_text,
    )


def _tree_ratio(statistic: Statistic, **sizes: float) -> Callable[[Runs], Measured]:
    """Ratios of FNCC+'s statistic to HPCC's and to FNCC's, under both traffics."""

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


def _finishes(number: str, statistic: Statistic, **sizes: float) -> Claim:
    return WORDS.claim(
        number,
        measure=_tree_ratio(statistic, **sizes),
        holds=lambda values: all(
            value < 1 for name, value in values.items() if f"over {HPCC}" in name
        ),
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


def _smaller_share(run: Run) -> float:
    """The slower elephant's mean rate relative to the fair rate, from 300 to 400 µs after the
    second elephant's start.
    """
    flows = [mean_rate(run, flow, 300e-6, 400e-6) for flow in rates(run)]
    return min(flows) / (sum(flows) / len(flows))


FIGURE = WORDS.figure(
    "plus",
    runs=_runs,
    charts=_CHARTS,
    claims=[
        _elephants(
            "W01",
            lambda runs, ours, theirs: difference(runs, ours, theirs, utilisation),
            lambda value: value > 0,
        ),
        _elephants(
            "W02",
            lambda runs, ours, theirs: ratio(runs, ours, theirs, jitter),
            lambda value: value <= 0.5,
        ),
        _elephants(
            "W03",
            lambda runs, ours, theirs: ratio(runs, ours, theirs, peak),
            lambda value: value <= 0.8,
        ),
        _finishes("W04", mean),
        _finishes(
            "W05-short",
            percentile(99),
            up_to=100e3,
        ),
        _finishes(
            "W05-long",
            percentile(99),
            above=1e6,
        ),
        WORDS.claim(
            "W06",
            measure=_worst_class,
            holds=lambda values: all(value <= 1.02 for value in values.values()),
            show=ratio_text,
        ),
        WORDS.claim(
            "W07",
            measure=_table_matters,
            holds=lambda values: all(abs(value) <= 0.01 for value in values.values()),
            show=percent_text,
        ),
        _elephants(
            "W08",
            lambda runs, ours, theirs: difference(runs, ours, theirs, _smaller_share),
            lambda value: value >= -0.05,
        ),
    ],
)
