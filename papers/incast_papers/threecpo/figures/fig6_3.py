"""Fig. 6.3: mean and maximum latency of an all-reduce without control, with windows, with AIMD."""

from __future__ import annotations

from collections.abc import Callable

from incast.measure.run import Run
from incast.papers.claim import Values
from incast.papers.explanation import Text
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average
from incast.papers.tolerances import at_most, close_to, within
from incast.papers.variations import varied

from incast_papers.threecpo.algorithms import AIMD, BASELINE, STATIC_64, TUNED, window
from incast_papers.threecpo.metrics import (
    LATENCY,
    bandwidth,
    cycles_text,
    longest,
    mean,
    over_initiators,
    values,
)
from incast_papers.threecpo.networks import (
    SPREAD,
    all_reduce,
    point,
    varied as all_reduce_of,
    varied_initiators,
    with_seeds,
)
from incast_papers.threecpo.words import WORDS

_OF_64 = point(TUNED, 64)
_WINDOW_5 = varied("a window of 5", [_OF_64])
_FREE = point(BASELINE, 64)
_LATER = varied(f"starts over {SPREAD:,} cycles", [_FREE])
_BELOW = 0.75
"""'Below 5,000' is taken to mean not far below: at least this fraction of it."""


def _plan(scale: Scale) -> dict[str, RunPlan]:
    label, later = _WINDOW_5.replaced(_OF_64), _LATER.replaced(_FREE)
    return {
        **varied_initiators(scale),
        **with_seeds(scale, label, all_reduce, window(5)),
        **with_seeds(scale, later, all_reduce_of, BASELINE, 64, spread=SPREAD),
    }


def _of_run(metric: Callable[[Run], float]) -> Callable[[Runs], float]:
    """A metric of the runs without control."""
    return lambda runs: average(runs, _FREE, metric).mean


def _cycles(metric: Callable[[Run], float]) -> Text:
    return lambda runs: cycles_text(_of_run(metric)(runs))


def _slowest(kind: str) -> Text:
    return _cycles(lambda run: float(run.summary["latency_by_kind"][kind]["max_cycles"]))


def _off(bound: float) -> Callable[[Values], float]:
    return lambda values: abs(values[""] / bound - (1 + _BELOW) / 2)


FIGURE = WORDS.figure(
    "fig6_3",
    runs=_plan,
    charts={
        "latency": over_initiators(
            "Latency",
            (BASELINE, TUNED, STATIC_64, AIMD),
            LATENCY,
            {"mean": mean, "longest": longest},
        )
    },
    claims=[
        WORDS.claim(
            "G05",
            measure=lambda runs: values(runs, {"": _OF_64}, longest),
            holds=within(_BELOW * 5000, 5000),
            trend=at_most(5000),
            distance=_off(5000),
            variations=[_WINDOW_5],
            show=cycles_text,
        ),
        WORDS.claim(
            "G06",
            measure=lambda runs: values(runs, {"": _OF_64}, mean),
            holds=within(_BELOW * 3100, 3100),
            trend=at_most(3100),
            distance=_off(3100),
            show=cycles_text,
            variations=[_WINDOW_5],
        ),
        WORDS.claim(
            "G07",
            measure=lambda runs: values(runs, {"": _FREE}, longest),
            holds=close_to(70_000, 0.15),
            trend=lambda values: values[""] >= 10 * 5000,
            show=cycles_text,
            values={
                "cycles_of_run": _cycles(lambda run: float(run.summary["cycles"])),
                "bandwidth_of_run": lambda runs: f"{_of_run(bandwidth)(runs):.2f}",
                "slowest_read": _slowest("read-reduction"),
                "slowest_write": _slowest("write-multicast"),
            },
            variations=[_LATER],
        ),
    ],
)
