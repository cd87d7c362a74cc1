"""Figure 10 (a–b): who slows down first, how deep the queue gets, when shares are fair."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from incast.measure.statistics import Average
from incast.papers.fncc.algorithms import (
    DCQCN,
    FNCC,
    FNCC_TABLE,
    HPCC,
    RIVALS,
    ROCC,
    Reading,
    markings,
)
from incast.papers.fncc.metrics import (
    FIRST_CUT,
    UNTIL,
    converged_after,
    each,
    each_time,
    jitter,
    mean_rate,
    paper_claims,
    paper_panels,
    rate_steps,
    reaction,
    reactions_of,
    shortest_queue,
    with_variations,
)
from incast.papers.fncc.networks import (
    ANY_START,
    CLOSE_UP,
    JOIN,
    SHOWN,
    any_start,
    at,
    at_any_start,
    chosen,
    elephants,
    elephants_at,
    elephants_at_any_start,
    under_readings,
)
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.explanation import Recorded, Text
from incast.papers.framework.paper import Figure, RunPlan, Runs
from incast.papers.framework.restyled import second_dashed
from incast.papers.framework.seeds import average
from incast.papers.framework.tolerances import Condition, both
from incast.papers.framework.variations import Variation, varied
from incast.present.units import rate_text, seconds_text

_CLAIMED = {FNCC: 0.0, HPCC: 30e-6, DCQCN: 46e-6, ROCC: 70e-6}
"""Seconds after the second elephant's start."""
_LONGER = "RoCC, 10 ms"
_HALF = "DCQCN ±"


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
    mean = _of_starts(runs, FIRST_CUT)
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


def _marks_early(runs: Runs) -> str:
    return (
        "Marking is not published for 100 Gb/s. In proportion to the link it begins at 12.5 KB "
        "with a small probability, so the time to the first mark is a matter of chance: "
        f"± {_us(_of_starts(runs).half_width)}. With HPCC's marking, from 400 KB on, see the "
        "paper's setting."
    )


def _of_starts(runs: Runs, share: float = 0.9) -> Average:
    """Seconds until a sender slows down under DCQCN."""
    return average(runs, any_start(at(DCQCN, 100)), lambda run: reaction(run, share))


def _gbps(rate: float) -> str:
    return f"{rate / 1e9:.3g} Gb/s"


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} µs"


def _runs() -> dict[str, RunPlan]:
    return (
        under_readings(
            lambda reading: {
                **elephants_at([100], (*RIVALS, FNCC_TABLE), reading),
                **elephants_at_any_start([100], (*RIVALS, FNCC_TABLE), reading),
                **at_any_start(
                    _LONGER, lambda late: elephants(ROCC, reading=reading, stop=10e-3, late=late)
                ),
            }
        )
        | _marked_otherwise()
    )


def _marked_otherwise() -> dict[str, RunPlan]:
    """DCQCN's first cut under each marking."""
    found: dict[str, RunPlan] = {}
    for reading in Reading:
        for choice in markings(reading):
            for label, planned in elephants_at_any_start([100], (DCQCN,), reading).items():
                found[reading.of(label.replace(DCQCN, choice.of(DCQCN), 1))] = chosen(
                    planned, choice
                )
    return found


def _marked(reading: Reading) -> list[Variation]:
    return [varied(choice.name, (DCQCN,)) for choice in markings(reading)]


def _reactions(runs: Runs, share: float) -> Measured:
    return {
        label: average(runs, any_start(at(label, 100)), lambda run: reaction(run, share))
        for label in RIVALS
    }


def reactions(runs: Runs) -> Measured:
    """Time until each algorithm first slows a sender down, at 100 Gb/s; means over all starts."""
    return _reactions(runs, 0.9)


def reactions_with_interval(runs: Runs) -> Measured:
    """The same, and half of the 95 % interval of DCQCN's."""
    return {**reactions(runs), _HALF: _of_starts(runs).half_width}


def first_cuts(runs: Runs) -> Measured:
    """Time of each algorithm's first decrease, however small."""
    return _reactions(runs, FIRST_CUT)


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


def _reacts(
    number: str,
    label: str,
    *,
    holds: Condition | None = None,
    explanation: Text = "",
    note: Text = "",
    replaced: Text = "",
) -> Claim:
    claimed = _CLAIMED[label]
    return Claim(
        number,
        f"a sender first slows down {claimed * 1e6:.0f} µs after the second elephant's start under "
        f"{label}",
        claimed=f"at {300 + claimed * 1e6:.0f} µs",
        measure=reactions if holds is None else reactions_with_interval,
        holds=holds or (lambda values: abs(values[label] - claimed) <= max(claimed / 4, 5e-6)),
        trend=_in_place(label),
        tolerance="a quarter of it, at least 5 µs: read off curves; slowing down is a rate a tenth "
        "below what it was. As a trend, its place in the order FNCC, HPCC, DCQCN, RoCC",
        metric="time to the first slow-down",
        kind=Kind.NUMBER,
        show=seconds_text,
        note=note,
        explanation=explanation,
        replaced=replaced,
        distance=lambda values: abs(values[label] - claimed),
    )


def _within_interval(values: Values) -> bool:
    """DCQCN's mean, and its interval, are within the tolerance."""
    claimed = _CLAIMED[DCQCN]
    return abs(values[DCQCN] - claimed) + values[_HALF] <= claimed / 4


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
            metric="time to a rate 1 % lower",
            kind=Kind.READING,
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
            metric="time to a rate 1 % lower",
            kind=Kind.READING,
            show=seconds_text,
            explanation=_late_step,
        ),
    ]


def _sooner_and_lower(runs: Runs) -> str:
    fncc, hpcc = (runs[at(label, 100)] for label in (FNCC, HPCC))
    heard, late = (_us(abs(cuts[1] - cuts[0])) for cuts in (reactions_of(fncc), reactions_of(hpcc)))
    first, second = (mean_rate(fncc, flow, 90e-6, 110e-6) for flow in ("flow 0", "flow 1"))
    return (
        f"flow1, whose first ACK takes a round trip, slows down by 1 % {heard} after flow0, which "
        f"goes further down: {_gbps(first)} and {_gbps(second)} 100 µs after the second's start at "
        f"300 µs. Under HPCC both slow down within {late}. With nothing random the two then keep "
        "the rates that they have, whatever the additive increase adds: their phases lock, which "
        "random packets undo (P01, P02). So the time depends on the start, as the range shows. "
        "With reactions once per RTT FNCC is sooner than HPCC: see the variation."
    )


def _converging() -> list[Claim]:
    fncc, hpcc = at(FNCC, 100), at(HPCC, 100)
    table = at(FNCC_TABLE, 100)
    return [
        Claim(
            "F05-sooner",
            "FNCC converges sooner than HPCC",
            claimed="faster",
            metric="time to converge",
            measure=each_time(converged_after, fncc, hpcc, table),
            holds=lambda values: values[fncc] <= 0.8 * values[hpcc],
            trend=lambda values: values[fncc] < values[hpcc],
            tolerance=f"a fifth sooner, which a figure shows; {UNTIL}. As a trend, sooner",
            show=seconds_text,
            explanation=_sooner_and_lower,
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
            metric="swings of rates",
            show=rate_text,
        ),
    ]


def _slow_rivals() -> list[Claim]:
    fncc, _, dcqcn, rocc = (at(label, 100) for label in RIVALS)
    return [
        Claim(
            "F05-dcqcn",
            "DCQCN's flows are slow to recover",
            claimed="slow",
            metric="time to converge",
            measure=each_time(converged_after, fncc, dcqcn),
            holds=lambda values: values[dcqcn] >= 2 * values[fncc],
            tolerance=f"twice FNCC's time; {UNTIL}",
            show=seconds_text,
        ),
        Claim(
            "F05-rocc",
            "RoCC does not converge within microseconds",
            claimed="hard to converge",
            metric="time to converge",
            measure=each_time(converged_after, fncc, rocc),
            holds=both(
                lambda values: values[rocc] >= 0.5e-3,
                lambda values: values[rocc] > values[fncc],
            ),
            tolerance=f"not within half a millisecond, nor before FNCC; {UNTIL}",
            show=seconds_text,
        ),
        Claim(
            "F27",
            "RoCC takes milliseconds to converge",
            where="§6",
            claimed="milliseconds",
            metric="time to converge",
            measure=each_time(converged_after, _LONGER),
            holds=lambda values: 0.5e-3 <= values[_LONGER] < 10e-3,
            trend=lambda values: values[_LONGER] >= 0.1e-3,
            tolerance=f"half a millisecond to ten: the order; {UNTIL}. As a trend, a tenth of a "
            "millisecond, some eight RTTs",
            kind=Kind.TREND,
            show=seconds_text,
        ),
    ]


def _heard_at_once(runs: Runs) -> str:
    after = _us(average(runs, any_start(at(FNCC, 100)), reaction).mean - 3.1e-6)
    return (
        "Nothing can be known sooner: the second elephant's first packet reaches the first switch "
        "after 1.6 µs, and the ACK that tells of it is 1.5 µs old at the sender (Fig. 12). The "
        f"average U then takes another {after} until a rate is a tenth lower."
    )


def _sooner_than_read(runs: Runs) -> str:
    first, tenth, half = (
        f"{(JOIN + reaction(runs[at(HPCC, 100)], share)) * 1e6:.1f} µs"
        for share in (FIRST_CUT, 0.9, 0.55)
    )
    return (
        "Here it is sooner: news of the first queue leaves the first switch at 301.7 µs and is "
        f"10.9 µs old at the sender (Fig. 12). The rate is 1 % lower at {first}, a tenth at "
        f"{tenth}, and down to 55 %, where a plot shows it to be down, at {half}."
    )


_ONCE_PER_RTT = Recorded(
    "If it followed the average once per RTT only, a tenth would take until 343 µs.",
    {at(HPCC, 100): "728278d7ee81cf8d"},
)


def _claims() -> list[Claim]:
    """The claims that both settings are judged by."""
    return [
        _reacts("F01", FNCC, explanation=_heard_at_once),
        Claim(
            "F01-order",
            "FNCC slows down first, then HPCC, DCQCN, RoCC",
            claimed="in this order",
            measure=reactions,
            holds=in_order,
            tolerance="none: an order",
            metric="time to the first slow-down",
            kind=Kind.TREND,
            show=seconds_text,
        ),
        _reacts("F02", HPCC, explanation=(_sooner_than_read, _ONCE_PER_RTT)),
        _reacts(
            "F03",
            DCQCN,
            holds=_within_interval,
            note="DCQCN: mean of ten starts, each with a seed of its own, since marking is random; "
            "all of its 95 % interval has to lie within the tolerance. The paper takes 'default "
            "values recommended in (Zhu et al.)', which are 5 to 200 KB with 0.01, for links of "
            "40 Gb/s. No marking gives both this number and F21: see the variations of both.",
            explanation=_marks_early,
            replaced="The mean alone, whatever its interval.",
        ),
        _reacts("F04", ROCC, note=_misses_threshold),
        *_converging(),
        *_slow_rivals(),
        shortest_queue("F06", 100),
    ]


def _panels(names: Mapping[str, str], close: str = "") -> dict[str, panels.Panel]:
    """Queue and rates; from close by, without those that squeeze the others."""
    between = CLOSE_UP if close else SHOWN
    return {
        "a-queue-100": panels.port_queue(f"(a) Queue at 100 Gb/s{close}", names, between=between),
        "b-rates-100": second_dashed(
            panels.sender_rates(f"(b) Rates at 100 Gb/s{close}", names, between=between)
        ),
    }


_ALL = _panels({at(label, 100): label for label in RIVALS})
_CLOSE = _panels({at(label, 100): label for label in (FNCC, HPCC)}, ", FNCC and HPCC only")

FIGURE = Figure(
    id="fig10",
    title="Reaction, queue and convergence with two elephants",
    where="Fig. 10a–b",
    setup="The network of Fig. 1 at 100 Gb/s, and RoCC too. Rates are what congestion control "
    f"allows, every 100 ns. {ANY_START}",
    runs=lambda scale: _runs(),
    charts={
        **_ALL,
        **{f"{name}-close": panel for name, panel in _CLOSE.items()},
        **paper_panels(_ALL),
    },
    claims=[
        *with_variations(_claims(), {"F03": _marked(Reading.OURS)}),
        *_first_cuts(),
        *paper_claims(
            _claims(),
            {"F01": _heard_at_once, "F02": _sooner_than_read},
            {"F03": _marked(Reading.PAPER)},
        ),
    ],
)
