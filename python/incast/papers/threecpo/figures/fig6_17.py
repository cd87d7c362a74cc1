"""Fig. 6.17: two groups that share a fabric."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from incast.measure.statistics import Average
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.panels import averaged
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import average, ratio
from incast.papers.threecpo.algorithms import (
    ALONE,
    BASELINE,
    PRINTED,
    REPAIRED,
    TUNED,
    control,
    window,
)
from incast.papers.threecpo.metrics import BANDWIDTH, LATENCY, cycles_text, group
from incast.papers.threecpo.networks import shared, with_seeds
from incast.present.charts import Axis, Chart, Quantity
from incast.present.units import percent_text

HALVES = ("all-reduce", "writes")
_SCHEMES = (BASELINE, TUNED, PRINTED, REPAIRED)
_LOW = (1_300, 1_600)
_BANDWIDTH = "effective_bandwidth"
_APART = f"{PRINTED}, halves of whole ToRs"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    count = scale.pick(quick=64, full=512)
    planned: dict[str, RunPlan] = {}
    for half in HALVES:
        planned |= with_seeds(scale, labelled(half, ALONE), shared, window(3), [half], count=count)
    for scheme in _SCHEMES:
        chosen = window(3) if scheme == TUNED else control(scheme)
        planned |= with_seeds(scale, scheme, shared, chosen, HALVES, count=count)
    printed = control(PRINTED)
    planned[_APART] = shared(printed, HALVES, count=count, apart=True)
    return planned


def labelled(half: str, scheme: str) -> str:
    """Label of the runs that have a half under a scheme."""
    return f"{half}, {ALONE}" if scheme == ALONE else scheme


def _value(runs: Runs, half: str, scheme: str, metric: str) -> Average:
    return average(runs, labelled(half, scheme), group(HALVES.index(half), metric))


def _of_alone(runs: Runs, schemes: Sequence[str] = _SCHEMES) -> Measured:
    """Effective bandwidth over that of the half alone, seed by seed."""
    return {
        f"{half}, {scheme}": ratio(runs, scheme, labelled(half, ALONE), group(number, _BANDWIDTH))
        for number, half in enumerate(HALVES)
        for scheme in schemes
    }


def _why_3cpo_suffers(runs: Runs) -> str:
    found = {
        half: _value(runs, half, _APART, _BANDWIDTH).mean
        / _value(runs, half, ALONE, _BANDWIDTH).mean
        for half in HALVES
    }
    shares = " and ".join(percent_text(each) for each in found.values())
    return (
        "3CPO matches operations of its own group only, and random halves share each ToR: nothing "
        "answers the other half's queue but the watermark, which Algorithm 6 hardly lowers. Of "
        f"halves that are whole ToRs, and share no link but cores', 3CPO's have {shares} of what "
        "each has alone."
    )


def _means(runs: Runs) -> Measured:
    return {
        f"{half}, {scheme}": _value(runs, half, scheme, "mean_cycles")
        for half in HALVES
        for scheme in (ALONE, *_SCHEMES)
    }


def _printed_latencies(values: Values) -> bool:
    low = [values[f"{half}, {scheme}"] for half in HALVES for scheme in (ALONE, TUNED, PRINTED)]
    none = [values[f"{half}, {BASELINE}"] for half in HALVES]
    return all(0.75 * _LOW[0] <= each <= 1.25 * _LOW[1] for each in low) and all(
        abs(each / 75_000 - 1) <= 0.25 for each in none
    )


def _suffers(values: Values) -> bool:
    none = [values[f"{half}, {BASELINE}"] for half in HALVES]
    three = [values[f"{half}, {PRINTED}"] for half in HALVES]
    return max(none) <= 0.85 and min(three) >= 0.85


def _drawn(title: str, axis: Axis, metric: str) -> Callable[[Runs], Chart]:
    """A panel: a point for each half under each scheme."""

    def draw(runs: Runs) -> Chart:
        drawn = []
        schemes = (ALONE, *_SCHEMES)
        for colour, (scheme, offset) in enumerate(
            zip(schemes, np.linspace(-0.2, 0.2, len(schemes)), strict=True)
        ):
            found = [_value(runs, half, scheme, metric) for half in HALVES]
            x = np.arange(len(HALVES)) + offset
            drawn.append(averaged(scheme, x, found, colour, mark="dots"))
        return Chart(title, title, Axis("half", Quantity.COUNT, names=HALVES), axis, drawn)

    return draw


FIGURE = Figure(
    id="fig6_17",
    title="Two groups share the fabric",
    where="Dissertation, Fig. 6.17, §6.3.5",
    setup="128 endpoints in two random halves: 512 transactions of each member of one, 512 writes "
    "of each member of the other, from cycle 0; each half alone with a window of 3 beside it. "
    "Bandwidth is by the half's members and its own last cycle.",
    scaled="64 transactions and writes, 1 seed instead of 3",
    runs=_plan,
    charts={
        "bandwidth": _drawn("Effective bandwidth", BANDWIDTH, _BANDWIDTH),
        "latency": _drawn("Mean latency", LATENCY, "mean_cycles"),
    },
    claims=[
        Claim(
            "G24",
            "without control both suffer; 3CPO is only slightly below the tuned window",
            claimed="suffer; slightly worse",
            metric="effective bandwidth of each half over that of the half alone",
            measure=_of_alone,
            holds=_suffers,
            tolerance="of the bandwidth alone, at most 85 % without control, at least 85 % with "
            "3CPO",
            full_only=True,
            explanation=_why_3cpo_suffers,
        ),
        Claim(
            "G25",
            "mean latencies are 1,300 to 1,600 cycles, without control about 75,000",
            where="Dissertation, §6.3.5",
            claimed="1,300-1,600; 75,000",
            metric="mean latency, cycles",
            measure=_means,
            holds=_printed_latencies,
            tolerance="25 % on either side, of alone, window, 3CPO and no control",
            kind=Kind.NUMBER,
            full_only=True,
            show=cycles_text,
            explanation="Windows have it. 512 transactions of 64 initiators without control keep "
            "operations waiting in proportion to their number: 75,000 is what some 200 have.",
        ),
        Claim(
            "T07",
            "repaired, each half has 85 % of what it has alone",
            where="beyond the dissertation",
            claimed="our aim",
            metric="effective bandwidth of each half over that of the half alone",
            measure=lambda runs: _of_alone(runs, [REPAIRED]),
            holds=lambda values: all(each >= 0.85 for each in values.values()),
            tolerance="85 % of the bandwidth alone",
            kind=Kind.OURS,
        ),
    ],
)
