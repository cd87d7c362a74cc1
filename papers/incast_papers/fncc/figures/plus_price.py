"""Beyond the paper: the costs of FNCC+. It is compared with FNCC with one average per ACK, the
usual reading of the paper, and with HPCC at loads where it loses.
"""

from __future__ import annotations

from collections.abc import Callable

from incast.measure.run import Run
from incast.measure.statistics import Average
from incast.papers.claim import Claim, Measured
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import over, ratio
from incast.papers.tolerances import Condition
from incast.present.units import percent_text, ratio_text, seconds_text

from incast_papers.fncc.algorithms import FNCC_PLUS, FNCC_SINGLE, HPCC
from incast_papers.fncc.metrics import (
    Statistic,
    converged_after,
    each_time,
    mean,
    mean_fct,
    percentile,
    slowdown,
)
from incast_papers.fncc.networks import (
    at,
    datacenter,
    elephants_at_any_start,
    many_to_one,
    seeds,
    tree,
    trees,
)
from incast_papers.fncc.words import WORDS

_LABELS = (HPCC, FNCC_SINGLE, FNCC_PLUS)
_RATES = (100, 200, 400)
_TREES = {"web-search": "web search", "fb-hadoop": "Hadoop"}
_HIGH = "80 % load"
_SENDERS = (8, 32, 64)
_NETWORKS = ("star", "fat tree")
_CLASSES = {
    "up to 100 KB": (0.0, 100e3),
    "200 KB to 1 MB": (200e3, 1e6),
    "above 1 MB": (1e6, float("inf")),
}


def _incast(label: str, network: str, senders: int) -> str:
    return f"{label}, {network}, {senders} senders"


def _loaded(label: str, scale: Scale) -> Callable[[int], RunPlan]:
    return lambda seed: datacenter(
        label, "web-search", scale, seed, load=0.8, duration=scale.pick(quick=1, full=6)
    )


def _runs(scale: Scale) -> dict[str, RunPlan]:
    found: dict[str, RunPlan] = elephants_at_any_start(_RATES, _LABELS)
    for label in _LABELS:
        for sizes in _TREES:
            found |= trees(label, sizes, scale)
        found |= over(seeds(scale)[:3], tree(label, _HIGH), _loaded(label, scale))
        for network in _NETWORKS:
            for senders in _SENDERS:
                planned = many_to_one(label, network == "star", senders)
                found[_incast(label, network, senders)] = planned
    return found


def _against_single(statistic: Statistic, above: float, up_to: float) -> Callable[[Runs], Measured]:
    """Ratios of FNCC's forms to HPCC, and of FNCC+ to FNCC with one average per ACK, under both
    traffics.
    """

    def of_run(run: Run) -> float:
        return slowdown(run, statistic, above=above, up_to=up_to)

    def measure(runs: Runs) -> Measured:
        return {
            f"{label} over {other}, {name}": ratio(
                runs, tree(label, sizes), tree(other, sizes), of_run
            )
            for sizes, name in _TREES.items()
            for label, other in (
                (FNCC_PLUS, FNCC_SINGLE),
                (FNCC_PLUS, HPCC),
                (FNCC_SINGLE, HPCC),
            )
        }

    return measure


def _row(number: str, statistic: Statistic, above: float, up_to: float) -> Claim:
    return WORDS.claim(
        number,
        measure=_against_single(statistic, above, up_to),
        holds=lambda values: all(
            value < 1 for name, value in values.items() if f"over {FNCC_SINGLE}" in name
        ),
        show=ratio_text,
    )


def _high_load(runs: Runs) -> Measured:
    def of(statistic: Statistic, low: float, high: float) -> Average:
        return ratio(
            runs,
            tree(FNCC_PLUS, _HIGH),
            tree(HPCC, _HIGH),
            lambda run: slowdown(run, statistic, above=low, up_to=high),
        )

    found: dict[str, Average] = {"mean, all": of(mean, 0, float("inf"))}
    for name, (low, high) in _CLASSES.items():
        found[f"mean, {name}"] = of(mean, low, high)
        found[f"p99, {name}"] = of(percentile(99), low, high)
    return found


def _incasts(runs: Runs) -> Measured:
    return {
        f"{network}, {senders} senders": mean_fct(runs[_incast(FNCC_PLUS, network, senders)])
        / mean_fct(runs[_incast(HPCC, network, senders)])
        - 1
        for network in _NETWORKS
        for senders in _SENDERS
    }


def _no_later(gbps: int) -> Condition:
    return lambda values: values[at(FNCC_PLUS, gbps)] <= values[at(HPCC, gbps)]


FIGURE = WORDS.figure(
    "plus_price",
    runs=_runs,
    claims=[
        _row("W09-short", percentile(95), 0, 100e3),
        _row("W09-long", percentile(99), 1e6, float("inf")),
        _row("W09-mean", mean, 0, float("inf")),
        WORDS.claim(
            "W10",
            measure=_high_load,
            holds=lambda values: all(value <= 1.02 for value in values.values()),
            trend=lambda values: values["mean, all"] < 1,
            show=ratio_text,
        ),
        WORDS.claim(
            "W11",
            measure=_incasts,
            holds=lambda values: all(value <= 0 for value in values.values()),
            show=percent_text,
        ),
        *(
            WORDS.claim(
                f"W12-{gbps}",
                measure=each_time(converged_after, *(at(label, gbps) for label in _LABELS)),
                holds=_no_later(gbps),
                show=seconds_text,
            )
            for gbps in _RATES
        ),
    ],
)
