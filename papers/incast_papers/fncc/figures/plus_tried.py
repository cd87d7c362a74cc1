"""Beyond the paper: other forms of FNCC+, compared with FNCC+ in all its scenarios."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from incast.measure.run import Run
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import over
from incast.present.units import percent_text

from incast_papers.fncc.algorithms import (
    DIRECT,
    FNCC_PLUS,
    LONGER_AVERAGE,
    LOWEST_1G,
    NO_LHCS,
    ON_LATEST,
    ONCE_PER_RTT,
    SHORTER_AVERAGE,
    TARGET_095,
    Choice,
)
from incast_papers.fncc.metrics import (
    jitter,
    mean,
    mean_fct,
    peak,
    percentile,
    relative,
    slowdown,
    utilisation,
)
from incast_papers.fncc.networks import (
    STARTS,
    chosen,
    datacenter,
    elephants,
    many_to_one,
    tree,
)
from incast_papers.fncc.words import WORDS

_FORMS: Mapping[str, Choice] = {
    "direct": DIRECT,
    "latest": ON_LATEST,
    "target": TARGET_095,
    "without": NO_LHCS,
    "quarter": SHORTER_AVERAGE,
    "whole": LONGER_AVERAGE,
    "lowest": LOWEST_1G,
    "once": ONCE_PER_RTT,
}
_PLACES = {"1 switch": (100, 1), "3 switches": (100, 3), "400 Gb/s": (400, 3)}
"""Link rate in Gb/s, and the number of switches that both elephants share."""
_TREES = {"web search": ("web-search", 5), "Hadoop": ("fb-hadoop", 3)}
"""Distribution of sizes, and milliseconds of arrivals."""
_NETWORKS = {"star": True, "fat tree": False}
_SENDERS = 32
_SAME = 0.02
"""The smallest relative change that counts, in a size class, as in W06."""

Metric = Callable[[Run], float]

_OF_ELEPHANTS: Mapping[str, Metric] = {
    "idle time": lambda run: 1 - utilisation(run),
    "swings": jitter,
    "peak": peak,
}
_OF_TREES: Mapping[str, Metric] = {
    "mean": lambda run: slowdown(run, mean),
    "p99 to 100 KB": lambda run: slowdown(run, percentile(99), up_to=100e3),
    "mean of 200 KB to 1 MB": lambda run: slowdown(run, mean, above=200e3, up_to=1e6),
    "p99 above 1 MB": lambda run: slowdown(run, percentile(99), above=1e6),
}


def _incast(label: str, network: str) -> str:
    return f"{label}, {network}"


def _grid(label: str, scale: Scale) -> dict[str, RunPlan]:
    """Short runs of FNCC+ in each of its scenarios, under a label."""
    found: dict[str, RunPlan] = {}
    for place, (gbps, switches) in _PLACES.items():
        found |= over(range(1, len(STARTS) + 1), f"{label}, {place}", _started(gbps, switches))
    for name, (sizes, milliseconds) in _TREES.items():
        seeds = range(1, scale.pick(quick=1, full=3) + 1)
        duration = scale.pick(quick=1, full=milliseconds)
        found |= over(seeds, tree(label, name), _loaded(sizes, duration))
    for network, star in _NETWORKS.items():
        found[_incast(label, network)] = many_to_one(FNCC_PLUS, star, _SENDERS)
    return found


def _started(gbps: int, switches: int) -> Callable[[int], RunPlan]:
    return lambda start: elephants(FNCC_PLUS, gbps, switches=switches, late=STARTS[start - 1])


def _loaded(sizes: str, milliseconds: int) -> Callable[[int], RunPlan]:
    return lambda seed: datacenter(FNCC_PLUS, sizes, Scale.FULL, seed, duration=milliseconds)


def _runs(scale: Scale) -> dict[str, RunPlan]:
    found = _grid(FNCC_PLUS, scale)
    for choice in _FORMS.values():
        grid = _grid(choice.of(FNCC_PLUS), scale)
        found |= {label: chosen(planned, choice) for label, planned in grid.items()}
    return found


def _changes(form: str) -> Callable[[Runs], Measured]:
    """The relative difference of each number from FNCC+'s."""

    def measure(runs: Runs) -> Measured:
        def change(where: str, metric: Metric) -> Average:
            return relative(runs, f"{form}, {where}", f"{FNCC_PLUS}, {where}", metric)

        places = {
            f"{name}, {place}": change(place, metric)
            for name, metric in _OF_ELEPHANTS.items()
            for place in _PLACES
        }
        loads = {
            f"{name}, {load}": change(load, metric)
            for load in _TREES
            for name, metric in _OF_TREES.items()
        }
        incasts = {f"incast, {network}": change(network, mean_fct) for network in _NETWORKS}
        return {**places, **loads, **incasts}

    return measure


def _claim(suffix: str, choice: Choice) -> Claim:
    return WORDS.claim(
        f"W13-{suffix}",
        measure=_changes(choice.of(FNCC_PLUS)),
        holds=lambda values: all(value <= 0 for value in values.values()),
        trend=_pays_nowhere,
        show=percent_text,
    )


def _pays_nowhere(values: Values) -> bool:
    found = values.values()
    return max(found) <= _SAME and min(found) < -_SAME


FIGURE = WORDS.figure(
    "plus_tried",
    runs=_runs,
    claims=[_claim(suffix, choice) for suffix, choice in _FORMS.items()],
)
