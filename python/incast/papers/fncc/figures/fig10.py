"""Figure 10: who slows down first, how deep the queue gets, how busy the link stays."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from incast.measure.run import Run
from incast.measure.statistics import Average
from incast.papers.fncc.algorithms import DCQCN, FNCC, FNCC_TABLE, HPCC, RIVALS, ROCC
from incast.papers.fncc.metrics import (
    FIRST_CUT,
    converged_after,
    each,
    jitter,
    lowest,
    mean_queue,
    noisy,
    pauses,
    peak,
    rate_steps,
    rates,
    reaction,
    utilisation,
)
from incast.papers.fncc.networks import SHOWN, at, elephants, elephants_at
from incast.papers.framework import panels
from incast.papers.framework.conditions import both
from incast.papers.framework.explanation import Recorded, Text
from incast.papers.framework.paper import Claim, Figure, Kind, RunPlan, Runs, Values
from incast.present.units import bytes_text, percent_text, rate_text, seconds_text

_RATES = (100, 200, 400)
_SEEDS = range(1, 6)
_CLAIMED = {FNCC: 0.0, HPCC: 30e-6, DCQCN: 46e-6, ROCC: 70e-6}
"""Seconds after the second elephant's start."""
_LONGER = "RoCC, 10 ms"


def _rocc_paused(runs: Runs) -> str:
    middle, high = (runs[at(ROCC, gbps)] for gbps in (200, 400))
    queues = [bytes_text(mean_queue(run)) for run in (middle, high)]
    return (
        "RoCC beyond 100 Gb/s: no parameters are published, those of 100 Gb/s are scaled, and then "
        f"PFC keeps its queue, with {pauses(middle):.0f} pause frames at 200 Gb/s and "
        f"{pauses(high):.0f} at 400 Gb/s: {' and '.join(queues)} on average, at 400 Gb/s below the "
        "1.2 MB that it aims at. RoCC's own paper has PFC at 800 KB for 100 Gb/s, this network has "
        "it at 500 KB."
    )


def _first_step(gbps: int) -> Callable[[Runs], tuple[str, float]]:
    """Time of RoCC's first change of the rate, in words, and the new rate in bit/s."""

    def measure(runs: Runs) -> tuple[str, float]:
        time, rate = rate_steps(runs[at(ROCC, gbps)])[0]
        return f"{time * 1e6:.1f} µs", rate

    return measure


def _misses_threshold(runs: Runs) -> str:
    time, rate = _first_step(100)(runs)
    return (
        f"Its first step, to {_gbps(rate)} at {time}, misses the threshold of a tenth: see "
        "F04-first."
    )


def _small_step(runs: Runs) -> str:
    _, rate = _first_step(100)(runs)
    mean = _of_seeds(runs, FIRST_CUT)
    low, high = (_us(mean.mean + sign * mean.half_width) for sign in (-1, 1))
    return (
        f"FNCC and HPCC come first, in this order. RoCC's first step is small, from 100 to "
        f"{_gbps(rate)}, and ahead of DCQCN's mean, whose interval is {low} to {high}: which of "
        "the two is first cannot be told by it."
    )


def _late_step(runs: Runs) -> str:
    (first, small), (second, large) = rate_steps(runs[at(ROCC, 100)])[:2]
    return (
        "The port computes its fair rate every 40 µs, first at 320 µs, and the sender takes some "
        f"15 µs to follow: {_gbps(small)} from {first * 1e6:.1f} µs on, {_gbps(large)} from "
        f"{second * 1e6:.1f} µs on. A plot shows the latter."
    )


def _never(runs: Runs) -> str:
    time, rate = _first_step(400)(runs)
    lowest_rate = min(values.min() for _, values in rates(runs[at(ROCC, 400)]).values())
    return (
        f"RoCC's 'never' comes from the threshold of a tenth: its first step is at {time}, by "
        f"{percent_text(1 - rate / 400e9)}, and it stays above "
        f"{math.floor(lowest_rate / 1e9)} Gb/s."
    )


def _interval(runs: Runs) -> str:
    half = _of_seeds(runs).half_width
    return (
        "DCQCN: mean of five seeds, since marking is random; its 95 % interval is "
        f"± {_us(half)}, the tolerance ± {_us(_CLAIMED[DCQCN] / 4)}."
    )


def _of_seeds(runs: Runs, share: float | None = None) -> Average:
    """Seconds until a sender slows down under DCQCN."""
    found = (runs[_seed(seed)] for seed in _SEEDS)
    return Average.of([reaction(run) if share is None else reaction(run, share) for run in found])


def _gbps(rate: float) -> str:
    return f"{rate / 1e9:.3g} Gb/s"


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} µs"


_FNCC_RUNS = {100: "1460e0685af2f269", 200: "b0440ae553722179", 400: "b664b63eae7c26c8"}
"""Fingerprints of FNCC's runs, when texts were written, by Gb/s."""


def _noisy(gbps: int) -> Text:
    return noisy({at(FNCC, gbps): _FNCC_RUNS[gbps]})


def _seed(seed: int) -> str:
    """Marking is random: DCQCN's time is a mean of five."""
    return f"DCQCN, seed {seed}"


def _runs() -> dict[str, RunPlan]:
    more = {_seed(seed): elephants(DCQCN, seed=seed) for seed in _SEEDS}
    return {
        **elephants_at(_RATES, (*RIVALS, FNCC_TABLE)),
        **more,
        _LONGER: elephants(ROCC, stop=10e-3),
    }


def _reactions(runs: Runs, when: Callable[[Run], float]) -> Values:
    of_one = {label: when(runs[at(label, 100)]) for label in RIVALS}
    return {**of_one, DCQCN: float(np.mean([when(runs[_seed(seed)]) for seed in _SEEDS]))}


def reactions(runs: Runs) -> Values:
    """Time at which each algorithm first slows a sender down, at 100 Gb/s."""
    return _reactions(runs, reaction)


def first_cuts(runs: Runs) -> Values:
    """Time of each algorithm's first decrease, however small."""
    return _reactions(runs, lambda run: reaction(run, FIRST_CUT))


def in_order(values: Values) -> bool:
    """Each algorithm slows down before the next."""
    return values[FNCC] < values[HPCC] < values[DCQCN] < values[ROCC]


def _in_place(label: str) -> Callable[[Values], bool]:
    """Slower than all before it and sooner than all after it; the order of those is free."""
    place = RIVALS.index(label)
    return lambda values: (
        all(values[other] < values[label] for other in RIVALS[:place])
        and all(values[other] > values[label] for other in RIVALS[place + 1 :])
    )


def _reacts(number: str, label: str, *, explanation: Text = "", note: Text = "") -> Claim:
    claimed = _CLAIMED[label]
    return Claim(
        number,
        f"a sender first slows down {claimed * 1e6:.0f} µs after the second elephant's start under "
        f"{label}",
        claimed=f"at {300 + claimed * 1e6:.0f} µs",
        measure=reactions,
        holds=lambda values: abs(values[label] - claimed) <= max(claimed / 4, 5e-6),
        trend=_in_place(label),
        tolerance="a quarter of it, at least 5 µs: read off curves; slowing down is a rate a tenth "
        "below what it was. As a trend, its place in the order FNCC, HPCC, DCQCN, RoCC",
        kind=Kind.NUMBER,
        show=seconds_text,
        note=note,
        explanation=explanation,
    )


def _first_cuts() -> list[Claim]:
    """The other reading of slowing down, which decides between DCQCN and RoCC."""
    return [
        Claim(
            "F01-order-first",
            "by the first decrease of a rate too, FNCC slows down first, then HPCC, DCQCN, RoCC",
            claimed="in this order",
            measure=first_cuts,
            holds=in_order,
            tolerance="none: an order; a rate 1 % below what it was, more than it jitters",
            kind=Kind.TREND,
            show=seconds_text,
            explanation=_small_step,
        ),
        Claim(
            "F04-first",
            "by the first decrease of a rate too, a sender slows down 70 µs after the second "
            "elephant's start under RoCC",
            claimed="at 370 µs",
            measure=first_cuts,
            holds=lambda values: abs(values[ROCC] - _CLAIMED[ROCC]) <= _CLAIMED[ROCC] / 4,
            trend=_in_place(ROCC),
            tolerance="a quarter of it; a rate 1 % below what it was. As a trend, its place in the "
            "order FNCC, HPCC, DCQCN, RoCC",
            kind=Kind.NUMBER,
            show=seconds_text,
            explanation=_late_step,
        ),
    ]


def _first(gbps: int, note: Text = "") -> Claim:
    labels = [at(label, gbps) for label in RIVALS]
    return Claim(
        f"F07-reaction-{gbps}",
        f"at {gbps} Gb/s FNCC is the first to slow down",
        claimed="first",
        measure=each(reaction, *labels),
        holds=lowest(labels[0], labels[1:]),
        tolerance="none: before all others",
        show=seconds_text,
        note=note,
    )


def _shortest(number: str, gbps: int, note: Text = "") -> Claim:
    labels = [at(label, gbps) for label in RIVALS]
    return Claim(
        number,
        f"at {gbps} Gb/s FNCC has the lowest peak of the queue",
        claimed="lowest",
        measure=each(peak, *labels),
        holds=lowest(labels[0], labels[1:]),
        tolerance="none: below all others",
        show=bytes_text,
        note=note,
    )


def _busiest(gbps: int) -> Claim:
    labels = [at(label, gbps) for label in RIVALS]
    fncc, hpcc = labels[:2]
    return Claim(
        f"F08-{gbps}",
        f"at {gbps} Gb/s FNCC keeps the congested link busiest",
        claimed="highest",
        measure=each(utilisation, *labels, at(FNCC_TABLE, gbps)),
        holds=lambda values: all(values[fncc] > values[other] for other in labels[1:]),
        trend=lambda values: values[fncc] > values[hpcc],
        tolerance="none: above all others, from the second elephant's start to 1 ms; as a trend, "
        "above HPCC",
        show=percent_text,
        note=_rocc_paused,
        explanation=(_noisy(gbps), "DCQCN and RoCC keep links busy by long queues."),
    )


_UNTIL = (
    "from the second elephant's start until both rates, averaged over 10 µs, stay within a "
    "fifth of half the link"
)


def _converging() -> list[Claim]:
    fncc, hpcc = at(FNCC, 100), at(HPCC, 100)
    table = at(FNCC_TABLE, 100)
    return [
        Claim(
            "F05-sooner",
            "FNCC converges sooner than HPCC",
            claimed="faster",
            measure=each(converged_after, fncc, hpcc, table),
            holds=lambda values: values[fncc] <= 0.8 * values[hpcc],
            trend=lambda values: values[fncc] < values[hpcc],
            tolerance=f"a fifth sooner, which a figure shows; {_UNTIL}. As a trend, sooner",
            show=seconds_text,
            explanation=Recorded(
                "flow0 hears of the queue 8 µs sooner than flow1, whose first ACK takes a round "
                "trip, and goes further down: 36 and 51 Gb/s at 400 µs, which the additive "
                "increase evens out slowly. Under HPCC both hear at the same time.",
                {at(FNCC, 100): _FNCC_RUNS[100]},
            ),
        ),
        Claim(
            "F05-smoother",
            "FNCC converges more smoothly than HPCC, whose rates jitter",
            claimed="smoother",
            measure=each(jitter, fncc, hpcc, table),
            holds=lambda values: values[fncc] <= 0.8 * values[hpcc],
            trend=lambda values: values[fncc] < values[hpcc],
            tolerance="a fifth less, which a figure shows: standard deviation of rates about the "
            "mean of every 100 µs, from 100 µs after the second elephant's start; as a trend, less",
            show=rate_text,
            explanation=_noisy(100),
        ),
    ]


def _slow_rivals() -> list[Claim]:
    fncc, _, dcqcn, rocc = (at(label, 100) for label in RIVALS)
    return [
        Claim(
            "F05-dcqcn",
            "DCQCN's flows are slow to recover",
            claimed="slow",
            measure=each(converged_after, fncc, dcqcn),
            holds=lambda values: values[dcqcn] >= 2 * values[fncc],
            tolerance=f"twice FNCC's time; {_UNTIL}",
            show=seconds_text,
        ),
        Claim(
            "F05-rocc",
            "RoCC does not converge within microseconds",
            claimed="hard to converge",
            measure=each(converged_after, fncc, rocc),
            holds=both(
                lambda values: values[rocc] >= 0.5e-3,
                lambda values: values[rocc] > values[fncc],
            ),
            tolerance=f"not within half a millisecond, nor before FNCC; {_UNTIL}",
            show=seconds_text,
        ),
        Claim(
            "F27",
            "RoCC takes milliseconds to converge",
            where="§6",
            claimed="milliseconds",
            measure=each(converged_after, _LONGER),
            holds=lambda values: 0.5e-3 <= values[_LONGER] < 10e-3,
            trend=lambda values: values[_LONGER] >= 0.1e-3,
            tolerance=f"half a millisecond to ten: the order; {_UNTIL}. As a trend, a tenth of a "
            "millisecond, some eight RTTs",
            kind=Kind.TREND,
            show=seconds_text,
        ),
    ]


def _names(gbps: int, *more: str) -> dict[str, str]:
    return {at(label, gbps): label for label in (*RIVALS, *more)}


FIGURE = Figure(
    id="fig10",
    title="Reaction, queue and utilisation with two elephants",
    where="Fig. 10",
    setup="The network of Fig. 1 at 100, 200 and 400 Gb/s, and RoCC too. Rates are what congestion "
    "control allows, every 100 ns.",
    runs=lambda scale: _runs(),
    charts={
        "a-queue-100": panels.port_queue("(a) Queue at 100 Gb/s", _names(100), between=SHOWN),
        "b-rates-100": panels.sender_rates("(b) Rates at 100 Gb/s", _names(100), between=SHOWN),
        "c-queue-200": panels.port_queue("(c) Queue at 200 Gb/s", _names(200), between=SHOWN),
        "d-rates-200": panels.sender_rates("(d) Rates at 200 Gb/s", _names(200), between=SHOWN),
        "e-queue-400": panels.port_queue("(e) Queue at 400 Gb/s", _names(400), between=SHOWN),
        "f-rates-400": panels.sender_rates("(f) Rates at 400 Gb/s", _names(400), between=SHOWN),
        "g-utilisation-200": panels.port_utilisation(
            "(g) Utilisation, 200 Gb/s", _names(200, FNCC_TABLE), between=SHOWN
        ),
        "h-utilisation-400": panels.port_utilisation(
            "(h) Utilisation, 400 Gb/s", _names(400, FNCC_TABLE), between=SHOWN
        ),
    },
    claims=[
        _reacts(
            "F01",
            FNCC,
            explanation=Recorded(
                "Nothing can be known sooner: the second elephant's first packet reaches the first "
                "switch at 301.6 µs, and the ACK that tells of it is 1.5 µs old at the sender "
                "(Fig. 12). The average U then takes some 6 µs until a rate is a tenth lower.",
                {at(FNCC, 100): _FNCC_RUNS[100]},
            ),
        ),
        _reacts(
            "F02",
            HPCC,
            explanation=Recorded(
                "Here it is sooner: news of the first queue leaves the first switch at 301.7 µs "
                "and is 10.9 µs old at the sender (Fig. 12). The rate is 1 % lower at 312.9 µs, a "
                "tenth at 317.3 µs, and down to 55 %, where a plot shows it to be down, at 331 µs. "
                "If it followed the average once per RTT only, a tenth would take until 343 µs.",
                {at(HPCC, 100): "728278d7ee81cf8d"},
            ),
        ),
        _reacts(
            "F03",
            DCQCN,
            note=_interval,
        ),
        _reacts(
            "F04",
            ROCC,
            note=_misses_threshold,
        ),
        Claim(
            "F01-order",
            "FNCC slows down first, then HPCC, DCQCN, RoCC",
            claimed="in this order",
            measure=reactions,
            holds=in_order,
            tolerance="none: an order",
            kind=Kind.TREND,
            show=seconds_text,
        ),
        *_first_cuts(),
        *_converging(),
        *_slow_rivals(),
        _shortest("F06", 100),
        _shortest("F07-queue-200", 200, _rocc_paused),
        _shortest("F07-queue-400", 400, _rocc_paused),
        _first(200),
        _first(
            400,
            (_never, _rocc_paused),
        ),
        _busiest(200),
        _busiest(400),
    ],
)
