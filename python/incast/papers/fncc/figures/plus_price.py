"""Beyond the paper: whom FNCC+ is not for. FNCC+ against FNCC with one average per ACK, the usual
reading of the paper, and the loads at which it loses to HPCC.
"""

from __future__ import annotations

from collections.abc import Callable

from incast.measure.run import Run
from incast.measure.statistics import Average
from incast.papers.fncc.algorithms import FNCC_PLUS, FNCC_SINGLE, HPCC
from incast.papers.fncc.metrics import (
    LOCKED,
    Statistic,
    converged_after,
    each_time,
    mean,
    mean_fct,
    percentile,
    slowdown,
)
from incast.papers.fncc.networks import (
    LOADS_SCALED,
    at,
    datacenter,
    elephants_at_any_start,
    many_to_one,
    seeds,
    tree,
    trees,
)
from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import over, ratio
from incast.papers.framework.tolerances import Condition
from incast.present.units import percent_text, ratio_text, seconds_text

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
    """FNCC's forms over HPCC, and FNCC+ over the other, under both loads."""

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


def _row(
    number: str, says: str, metric: str, statistic: Statistic, above: float, up_to: float
) -> Claim:
    return Claim(
        number,
        says,
        claimed="lower (ours)",
        metric=metric,
        measure=_against_single(statistic, above, up_to),
        holds=lambda values: all(
            value < 1 for name, value in values.items() if f"over {FNCC_SINGLE}" in name
        ),
        tolerance="none: below FNCC's with one average per ACK under both loads; means of five "
        "seeds",
        kind=Kind.OURS,
        full_only=True,
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


FIGURE = Figure(
    id="plus_price",
    title="Whom FNCC+ is not for",
    where="not in the paper",
    setup="FNCC+ beside FNCC with one average per ACK, and beside HPCC. "
    "The traffic of Figs. 14 and 15; web search at 80 % load, 6 ms of arrivals, three seeds; "
    "incasts of 500 KB, one flow every 2 µs, into one host of a star or of the fat tree; two "
    "elephants at 100 to 400 Gb/s, ten starts.",
    scaled=LOADS_SCALED,
    runs=_runs,
    claims=[
        _row(
            "W09-short",
            "short flows gain more from FNCC+ than from FNCC averaged once per ACK",
            "p95 of the slowdown up to 100 KB, ratio",
            percentile(95),
            0,
            100e3,
        ),
        _row(
            "W09-long",
            "long flows gain more from FNCC+ than from FNCC averaged once per ACK",
            "p99 of the slowdown above 1 MB, ratio",
            percentile(99),
            1e6,
            float("inf"),
        ),
        _row(
            "W09-mean",
            "flows on average gain more from FNCC+ than from FNCC averaged once per ACK",
            "mean slowdown, ratio",
            mean,
            0,
            float("inf"),
        ),
        Claim(
            "W10",
            "at 80 % load no class of sizes pays for FNCC+",
            claimed="none (ours)",
            metric="slowdown over HPCC's, web search",
            measure=_high_load,
            holds=lambda values: all(value <= 1.02 for value in values.values()),
            trend=lambda values: values["mean, all"] < 1,
            tolerance="at most 2 % above HPCC's, means and p99; as a trend, the mean of all flows "
            "is lower",
            kind=Kind.OURS,
            full_only=True,
            show=ratio_text,
        ),
        Claim(
            "W11",
            "flows of an incast finish no later under FNCC+ than under HPCC",
            claimed="no later (ours)",
            metric="mean FCT, difference from HPCC's",
            measure=_incasts,
            holds=lambda values: all(value <= 0 for value in values.values()),
            tolerance="none: at each number of senders, in both networks",
            kind=Kind.OURS,
            show=percent_text,
            explanation="LHCS makes shares equal at once: of flows that start one after the other "
            "the first ones lose their lead, and all finish late together.",
        ),
        *(
            Claim(
                f"W12-{gbps}",
                f"two elephants converge no later under FNCC+ than under HPCC at {gbps} Gb/s",
                claimed="no later (ours)",
                metric="time to converge",
                measure=each_time(converged_after, *(at(label, gbps) for label in _LABELS)),
                holds=_no_later(gbps),
                tolerance="none; medians of ten starts",
                kind=Kind.OURS,
                show=seconds_text,
                explanation=LOCKED,
            )
            for gbps in _RATES
        ),
    ],
)
