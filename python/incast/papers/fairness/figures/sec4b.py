"""Section IV-B: Sampling Frequency alone shortens queues and may leave bandwidth unused."""

from __future__ import annotations

from incast.measure.metrics import goodput_between, queue_mean
from incast.measure.run import Run
from incast.papers.fairness.algorithms import ALGORITHMS, HPCC, SWIFT
from incast.papers.fairness.metrics import SETTLED
from incast.papers.fairness.networks import star, stars
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.paper import Figure, Runs
from incast.present.units import bytes_text, rate_text
from incast.time_units import PICOSECOND

HPCC_SF, SWIFT_SF = "HPCC SF", "Swift SF"
_PAIRS = {HPCC_SF: HPCC, SWIFT_SF: SWIFT}


def _queues(runs: Runs) -> Values:
    return {label: queue_mean(runs[label]) for pair in _PAIRS.items() for label in reversed(pair)}


def _goodput(run: Run) -> float:
    """Mean goodput of the network, in bit/s, while all flows send and the arrivals are over."""
    starts = run.completed.numbers("start_ps")
    finishes = starts + run.completed.numbers("fct_ps")
    begin = float(starts.max()) * PICOSECOND + 100e-6
    return goodput_between(run, begin, float(finishes.min()) * PICOSECOND)


def _goodputs(runs: Runs) -> Values:
    return {label: _goodput(runs[label]) for pair in _PAIRS.items() for label in reversed(pair)}


FIGURE = Figure(
    id="sec4b",
    title="Sampling Frequency alone",
    where="§IV-B",
    setup="The incast of Fig. 1 with Sampling Frequency and without Variable AI. No figure of the "
    "paper; its text says it.",
    runs=lambda scale: {
        **stars(HPCC, SWIFT),
        **{
            label: star(
                {**ALGORITHMS[default], "algorithm": f"{ALGORITHMS[default]['algorithm']}+sf"},
                16,
                name=f"star-16 {label}",
            )
            for label, default in _PAIRS.items()
        },
    },
    charts={
        "queue": panels.queue("Queue", HPCC, HPCC_SF, SWIFT, SWIFT_SF, mean_of_us=10),
        "goodput": panels.goodput("Goodput", HPCC, HPCC_SF, SWIFT, SWIFT_SF),
    },
    claims=[
        Claim(
            "B31",
            "Sampling Frequency alone shortens the queue",
            claimed="shorter",
            metric=f"mean queue, {SETTLED}",
            measure=_queues,
            holds=lambda values: all(
                values[label] < values[default] for label, default in _PAIRS.items()
            ),
            trend=lambda values: any(
                values[label] < values[default] for label, default in _PAIRS.items()
            ),
            tolerance="none: under both; as a trend, under one",
            kind=Kind.TREND,
            show=bytes_text,
        ),
        Claim(
            "B32",
            "Sampling Frequency alone may leave bandwidth unused",
            claimed="may",
            metric=f"mean goodput, {SETTLED}",
            measure=_goodputs,
            holds=lambda values: any(
                values[label] <= 0.99 * values[default] for label, default in _PAIRS.items()
            ),
            tolerance="under one of the two at least 1 % less: 'may'",
            explanation="In this incast it does not: rates that are fair sooner use the link as "
            "well. That it may elsewhere is not refuted.",
            kind=Kind.TREND,
            show=rate_text,
        ),
    ],
)
